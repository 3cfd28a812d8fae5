"""The program ends with a panic or an uncaught exception

## How it happens

The program meets a state that it was not written for: a nil pointer, a missing field in its input, an
uncaught exception, an assertion, a memory fault. Or it deliberately exits so, because of the wrong input that
its message names: a rollback does not help then, and is advised only for a fault that the language itself
raises.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `panic:`, `Exception in
thread`, a traceback, `panicked at`, `Segmentation fault` or the like, and no more specific message. The first
frame of the program's own code is named if it is seen.

## Known limits

The fault is in the program's source, or, for an exception with its own message, in its data or settings: it
stays likely. Only the last lines are read, so a long stack may hide its beginning.

## References

- Go src/runtime/panic.go; Python traceback; java.lang.ThreadGroup; Rust std::panicking
"""

from __future__ import annotations

from unstuck.causes.container._reported import names_anything
from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.objects import Owners
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# Exceptions raised by the language, and not by a program on purpose. Sources: java.lang, Python's exceptions,
# ECMA-262, Go's runtime, Rust's core.
_FAULT = regex(
    r"NullPointer|NullReference|IndexOutOf|ArrayIndex|ClassCast|NoSuchMethod|NoSuchField|StackOverflow"
    r"|Arithmetic|ConcurrentModification"
    r"|\b(?:Type|Attribute|Index|Name|Reference|Range|Syntax|Assertion|UnboundLocal|ZeroDivision"
    r"|Recursion)Error\b"
    r"|^panic: (?:runtime error|assignment to entry in nil map|interface conversion|close of |send on closed"
    r"|sync: |reflect: )"
    r"|^fatal error: |index out of bounds|Option::unwrap|attempt to (?:add|subtract|multiply|divide)"
    r"|unreachable code"
    r"|assertion |Segmentation fault|terminate called after|(?i:core dumped|deadlock)"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("crashed",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    if pod.kind == "Text":
        return _make_finding_in_text(pod, one)
    line = one.complaint.line
    fault = _FAULT.search(line) is not None
    # A program that deliberately exits so got a wrong input.
    means = (say("it fell") if fault else say("it stops itself with this error")) + _say_at(one.complaint)
    named = names_anything(line, pod.within)
    owned = not any(f.controller is None for f in snap.of(Owners, pod))
    return make_finding(
        pod,
        one,
        means,
        fitting(
            Remedy(
                not fault and named, mend(say("correct what its words name, in its data or its settings"))
            ),
            Remedy(fault and owned, mend(say("fix it in the program, or go back to the version before"))),
            # No controller keeps a revision of it.
            Remedy(
                fault and not owned,
                mend(say("fix it in the program, and recreate the Pod from an image that has the fix")),
            ),
        ),
    )


def _say_at(said: Complaint) -> Text:
    return say(" at {place}", place=said.place) if said.place else NO_TEXT


def _make_finding_in_text(text: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a panic with its stack, or an exception, outside of a known container's log."""
    c = one.complaint
    means = (
        say(
            "a fault of the program: {said}, in {function} at {place}",
            said=c.reason,
            function=c.name,
            place=c.place,
        )
        if c.name
        else say("the program ends with an error that it does not catch: {said}", said=c.line) + _say_at(c)
    )
    fixed = mend(
        say(
            "use a version in which that code is fixed, or remove the option or the part of an object that"
            " leads there"
        )
    )
    above = Step(say("read the lines before it: which object or which options led there"))
    return make_finding(text, one, means, (look_at_settings(), above, fixed))


CAUSE = Cause(
    id="program.crashes",
    title=say("the program ends with a panic or an uncaught exception"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Owners},
    rule=_rule,
)
