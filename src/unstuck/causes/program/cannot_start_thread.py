"""The program ends because it can start no further process or thread

## How it happens

The kernel refuses a new process or thread: the Pod has used up its `podPidsLimit`, the user its limit of processes (`ulimit -u`), the
Node its pids, or no memory is left for a stack.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `can't fork`, `unable to create native thread` or `pthread_create
failed`.

## Known limits

Which limit it is, is not looked up: it stays likely. Pids of the Node are told by node.pids-exhausted where it is the cause.

## References

- fork(2), clone(2), EAGAIN; documentation "Process ID Limits And Reservations"
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("thread-refused",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say("it can start no further process or thread")
    step = mend(say("start fewer of them, or raise podPidsLimit or the user's limit"))
    return finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.cannot-start-thread",
    title=say("the program ends because it can start no further process or thread"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
