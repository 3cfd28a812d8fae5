"""The program ends because a command that it runs is not in the image

## How it happens

A shell script runs a command that the image does not have: a tool of a larger base image, the program itself
under another name or path, or an interpreter that `env` looks for.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `NAME: not found` or
`command not found`. It is proven if the run ended with 127, as a shell does then.

## Known limits

A script that continues after it, and fails for another reason, wrote the line too: without 127 it stays
likely. A command that the runtime itself does not find is container.command-not-found.

## References

- sh(1), exit status 127; busybox shell/ash.c; bash execute_cmd.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# The exit code of a shell that finds no command.
_NOT_FOUND = 127


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        ("command-not-found",),
        lambda one: _make_finding(pod, one),
        {"it ended as a shell does that finds no command": _find_exits_not_found(pod, snap)},
    )


def _find_exits_not_found(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    said = find_program_messages(pod, snap, "command-not-found")
    hits = tuple(t for t in said.hits if t.run.end.code == _NOT_FOUND)
    return Sign(True, hits, said.seen, sure=said.sure) if hits else Sign(None)


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    if pod.kind == "Text" and "$PATH" in one.complaint.line:
        means = say(
            (
                "{name} is not in $PATH of the container: its image does not contain it, or PATH is unset "
                "or wrong there"
            ),
            name=name,
        )
        whole = Step(
            say(
                "run it by its whole path (/bin/{name}, /usr/bin/{name}): if that works, PATH is at fault",
                name=name.rpartition("/")[2],
            )
        )
        other = mend(
            say(
                (
                    "use a command that the image contains, or an image that contains {name}; set PATH "
                    "where it is missing"
                ),
                name=name,
            )
        )
        return make_finding(pod, one, means, (whole, look_at_settings(), other))
    if pod.kind == "Text":
        means = say("command {name} is not in the image of the container that runs it", name=name)
    else:
        means = say("command {name} is not in its image", name=name)
    step = mend(say("correct the command, or use an image that contains it"))
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.command-not-found",
    title=say("the program ends because a command that it runs is not in the image"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
