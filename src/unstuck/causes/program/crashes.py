"""The program ends with a panic or an exception that nobody caught

## How it happens

The program meets a state that it was not written for: a nil pointer, a missing field in its input, an exception that nobody catches, an
assertion, a fault of memory.

## How to tell

The run ended with an error, nobody ended it, and its last lines say `panic:`, `Exception in thread`, a traceback, `panicked at`,
`Segmentation fault` or the like, and nothing more exact. The first frame of the program's own code is named where it is seen.

## Known limits

What is wrong stands in the program's source, or, of an exception with words of its own, in its data or settings: it stays likely. Only
the last lines are read, so that a long stack may hide where it begins.

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
from unstuck.facts.regex import regex

say = Messages(__name__)

# An exception with words of its own. It tells what is wrong as whoever wrote the program foresaw it.
_OF_ITS_OWN = regex(r"\b(?:[A-Za-z_]\w{0,80}\.){1,12}[A-Z]\w{0,80}(?:Error|Exception): \S+ \S")
# What no program is written to raise: a language does. Sources: java.lang, Python's built-in exceptions, ECMA-262, Go's runtime.
_FAULT = regex(
    r"NullPointer|NullReference|IndexOutOf|ArrayIndex|ClassCast|NoSuchMethod|NoSuchField|StackOverflow|Arithmetic|ConcurrentModification"
    r"|\b(?:Type|Attribute|Key|Index|Name|Reference|Range|Syntax|Assertion|UnboundLocal|ZeroDivision|Recursion)Error\b"
    r"|^panic: runtime error"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("crashed",), lambda one: _finding(pod, one, snap))


def _finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    place = one.complaint.place
    if _OF_ITS_OWN.search(one.complaint.line) and not _FAULT.search(one.complaint.line):
        # A program that was written to end so has met what it was not given right.
        stop = say("it stops itself with this exception") + (say(" at {place}", place=place) if place else NO_TEXT)
        meant = say(
            "correct what its words name, in its data or its settings; if they name a fault of the program, go back to the version before"
        )
        return finding(pod, one, stop, (mend(meant),))
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
