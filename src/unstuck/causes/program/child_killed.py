"""A process that the program started was killed

## How it happens

A program starts others: a backup its archiver, a server its workers, a script its commands. One of these is
killed by signal 9, and its parent lives and reports it. In a container the kernel is the usual sender: the
container's memory limit, or the node's memory, is used up, and it chooses one process. The container is then
OOMKilled only if the chosen process is its first. Else a parent does it after its own time is over.

## How to tell

The parent's words: `signal: killed` (Go), `was terminated by signal 9` (PostgreSQL), `was sent SIGKILL`
(Gunicorn), a shell's `Killed`, exit status 137 of a command or of a step of a build.

## Known limits

The message does not name the sender of the signal: the kernel's log does, or the counter `oom_kill` of the
container's cgroup. It is never more than likely. A kill of the container's first process is
container.out-of-memory.

## References

- Linux Documentation/admin-guide/cgroup-v2.rst (memory.events, memory.oom.group); PostgreSQL documentation
  "Linux Memory Overcommit"
"""

from __future__ import annotations

from unstuck.causes.program._plain import choose_pod, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_LESS = mend(
    say(
        "raise the memory limit of its container, or let it do less at a time; if its parent's time limit "
        "ended it, raise that limit"
    )
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("child-killed",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    limit = dict(one.run.spec.limits).get("memory") if one.run.spec else None
    notes = (say("the container's own limit is {limit}", limit=limit),) if limit else ()
    who = say("{name}, which it started,", name=name) if name else say("a process that it started")
    means = say(
        "{who} was killed by signal 9: usually by the kernel because the memory limit of its container was"
        " reached, which does not end the container itself",
        who=who,
    )
    return make_finding(pod, one, means, (_look_at_limits(pod), _LESS), notes=notes)


def _look_at_limits(pod: Ref) -> Step:
    """Return the look at the limits of its container; a text rarely names the Pod."""
    of = choose_pod(pod)
    return Step(
        say(
            "see the memory limit of the container that wrote this, its Last State and its restarts; the "
            "kernel's log of its node names each process that it killed for memory"
        ),
        command=command("kubectl describe {pod} {space}", pod=given.of(of), space=given.space(of)),
    )


CAUSE = Cause(
    id="program.child-killed",
    title=say("a process that the program started was killed"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
