"""The program ends because a file that it runs is not a program for this machine

## How it happens

A script or a program starts a file that the kernel does not take for a program: it is built for another CPU
architecture, it is a script without a `#!` line, or it is empty or cut short.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `Exec format error` or
`cannot execute binary file`.

## Known limits

The file is not looked at: it stays likely. Where the runtime itself may not start the container's first
program, container.wrong-architecture reports it.

## References

- execve(2), ENOEXEC; bash execute_cmd.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("format-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    path = one.complaint.path
    means = (
        say("{path} is not a program for this machine", path=path)
        if path
        else say("the file that it runs is not a program for this machine")
    )
    step = mend(say("build it for the Node's architecture, or give the script its #! line"))
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.exec-format-error",
    title=say("the program ends because a file that it runs is not a program for this machine"),
    subjects=("Pod",),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
