"""The program ends with a panic or an exception that nobody caught

## How it happens

The program meets a state that it was not written for: a nil pointer, a missing field in its input, an exception that nobody catches, an
assertion, a fault of memory.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `panic:`, `Exception in thread`, a traceback, `panicked at`,
`Segmentation fault` or the like, and nothing more exact. The first frame of the program's own code is named where it is seen.

## Known limits

What is wrong stands in the program's source: it stays likely. Only the last lines are read, so that a long stack may hide where it
begins.

## References

- Go src/runtime/panic.go; Python traceback; java.lang.ThreadGroup; Rust std::panicking
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("crashed",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    place = one.complaint.place
    means = say("it fell") + (say(" at {place}", place=place) if place else NO_TEXT)
    step = mend(say("fix it in the program, or go back to the version before"))
    if any(f.controller is None for f in snap.of(Owners, pod)):
        # No controller keeps a revision of it.
        step = mend(say("fix it in the program, and recreate the Pod from an image that has the fix"))
    return finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.crashes",
    title=say("the program ends with a panic or an exception that nobody caught"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Owners},
    rule=_rule,
)
