"""A command stops until an option that it names is given

## How it happens

A command first checks for damage that it would do, finds some, and stops: `kubectl drain` at Pods whose
emptyDir would be lost, that no controller would recreate, or that belong to a DaemonSet; other tools at data
of another version. Only an explicit option overrides the check.

## How to tell

The message has the reason and the option: `cannot delete Pods with local storage (use --delete-emptydir-data
to override)`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.
Whether the data that the option gives up may be lost is not seen here.

## References

- kubectl pkg/drain/filters.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# kubectl drain's name for a Pod with an emptyDir.
_LOCAL = "local storage"
_UNREAD = DoNot(
    say("add it before reading what it gives up"),
    say("it switches off the check that has just found something"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("option-wanted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    of = say(" ({objects})", objects=c.resource.rstrip(" ,.")) if c.resource else NO_TEXT
    means = (
        say("{command} stops: {reason}", command=_command(c.line), reason=c.reason)
        + of
        + say("; it names the option that lets it: {option}", option=c.verb)
    )
    again = Step(say("if you can accept that, run the same command again with {option}", option=c.verb))
    if _LOCAL not in c.reason:
        return make_finding(pod, one, means, (again,), do_not=(_UNREAD,))
    look = Step(
        say(
            "see which emptyDir volumes these Pods have, and whether their content is expendable: it is "
            "lost with the Pod"
        )
    )
    return make_finding(pod, one, means, (look, again), do_not=(_UNREAD,))


def _command(line: str) -> str | Text:
    """Return the command that stops: kubectl drain is recognised by its own names for kinds of Pods."""
    drains = (
        _LOCAL in line
        or "DaemonSet-managed" in line
        or "not managed by" in line
        or "declare no controller" in line
    )
    return "kubectl drain" if drains else say("the command")


CAUSE = Cause(
    id="program.option-wanted",
    title=say("a command stops until an option that it names is given"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
