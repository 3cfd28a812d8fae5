"""The program ends because a library or module that it needs is missing

## How it happens

The dynamic loader or the language's own loader does not find what the program was built with: the image lacks the package, the program
was built on a system with a newer C library, the dependencies were not installed into the image, or a volume is mounted over them.

## How to tell

The run ended with an error, nobody ended it, and its last lines say what is not found: a shared library, a version of `GLIBC`, a module
(Python, Node.js, Ruby), a class (Java).

## Known limits

The image is not looked into: it stays likely.

## References

- ld.so(8); CPython importlib; Node.js modules (cjs/loader.js); OpenJDK launcher
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
    return plain(pod, snap, ("library-missing",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = say("it finds no {name}", name=name)
    notes = (say("the image is {image}", image=one.run.spec.image),) if one.run.spec else ()
    step = mend(say("install it into the image, or build the program for the image's own C library"))
    return finding(pod, one, means, (step,), notes=notes)


CAUSE = Cause(
    id="program.library-missing",
    title=say("the program ends because a library or module that it needs is missing"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
