"""Help for an object whose own status reports its fault: the looks, and the corrections."""

from __future__ import annotations

import re
from collections.abc import Collection

from unstuck.causes.program._held_values import PORTS_OF_SERVICES
from unstuck.diagnosis import asking, given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.command import command
from unstuck.diagnosis.line_classes import look_of_class
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.reported import Reported, Setting
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)


LOOKS = 2
# A field of a spec, as validation names it (`spec.selector: Invalid value`).
_FIELDS = regex(r"(?<![\w.])(spec(?:\.\w[\w\[\].-]{0,80}\w)+)")
_IMMUTABLE = regex(
    r"field is immutable|immutable after creation|updates to .{0,80}spec.{0,80} are forbidden", re.I
)
# Words for a time, or a number of tries, that is used up; and names of the fields that bound it.
_TIME, _OF_TIME = (
    regex(r"(?i)deadline|timed? ?out|timeout|longer than|took too long|expired"),
    regex(r"(?i)deadline|time-?out|duration|expir"),
)
_TRIES, _OF_TRIES = (
    regex(r"(?i)\bretries|attempts?\b|backoff|tries\b"),
    regex(r"(?i)retr|attempt|backoff|\blimit$"),
)
# apimachinery pkg/api/errors (NewInvalid), pkg/util/validation/field.
_REFUSED = regex(
    r"\b(?P<kind>[A-Z]\w{2,60})(?:\.[\w.-]{1,100})? \"(?P<name>[a-z0-9][\w.-]{0,252})\" is invalid: \[?"
    r"(?P<field>[a-z][\w.\[\]-]{1,200}): "
    r"(?:Invalid|Required|Unsupported|Duplicate|Forbidden|Too long|Too many)"
)
# Messages about a missing object of another kind that should allow it: `not permitted by any ReferenceGrant`.
_ALLOWING = regex(
    r"(?:by any|by an?|without an?|requires? an?|needs? an?|no|any) (?P<kind>[A-Z][a-z]+"
    r"(?:[A-Z][a-z]+)+)(?![\w/-]"
    r"| [\"'`“])"
)
_DENIED = regex(r"(?i)not (?:permitted|allowed|authorized)|denied|forbidden|permit")
# pkg/registry/core/service/portallocator (ErrAllocated).
TAKEN = regex(r"odePort: Invalid value: (?P<port>\d{1,5}): provided port is already allocated")
# Kinds whose objects only run Pods: no data goes with them.
_REMADE = ("Job", "Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")


def find_bounds(subject: Ref, text: str, snap: Facts) -> tuple[Setting, ...]:
    """Find the fields of its spec that limit the time or the tries that the message reports as used up."""
    bounds = [b for f in snap.of(Reported, subject) for b in f.bounds]
    kinds = [named for over, named in ((_TIME, _OF_TIME), (_TRIES, _OF_TRIES)) if over.search(text)]
    return tuple(b for b in bounds if any(named.search(b.field) for named in kinds))[:LOOKS]


def help_refused(subject: Ref, text: str, holders: tuple[Ref, ...], verify: Text) -> tuple[Step, ...]:
    """Return steps after the server refused an object for a field: correct the subject's source."""
    refused = _REFUSED.search(text)
    if refused is None or _IMMUTABLE.search(text):
        return ()
    right = say(
        "correct {field} of {kind} {name} where {subject} takes it from: its source, chart or values",
        field=refused["field"],
        kind=refused["kind"],
        name=refused["name"],
        subject=who(subject),
    )
    taken = TAKEN.search(text) is not None and not holders
    look = (Step(say("see which Service has that port"), command=PORTS_OF_SERVICES),) if taken else ()
    return (*look, Step(right, where="source", verify=verify))


def help_bounded(subject: Ref, bounds: tuple[Setting, ...], verify: Text) -> tuple[Step, ...]:
    """Return steps after its own time or tries are used up: to change the field that bounds them."""
    if not bounds:
        return ()
    says = say("find out what took so long, or raise {field} above what it takes", field=bounds[0].field)
    if _OF_TRIES.search(bounds[0].field):
        says = say(
            "correct what each try failed for; {field} counts from the start after the next change "
            "of its spec",
            field=bounds[0].field,
        )
    if subject.kind == "Job":
        says += say("; a Job that has failed is not started again: recreate it")
        verify = say("the new Job completes")
    return (Step(says, where="source", verify=verify),)


def find_said(subject: Ref, text: str, snap: Facts) -> tuple[Setting, ...]:
    """Find the fields of its spec whose values the message quotes."""
    return tuple(s for f in snap.of(Reported, subject) for s in f.said if s.value in text)[:LOOKS]


def _tell_place(named: list[Ref]) -> Text:
    """Return ` in Namespace NAME` of the first named object; empty if none has one."""
    within = next((r.within for r in named if r.within), None)
    return say(" in Namespace {within}", within=within) if within else NO_TEXT


# pkg/controller/podautoscaler/horizontal.go (AmbiguousSelector): `controlled by multiple HPAs: [ns/a ns/b]`.
_SEVERAL = regex(r"\bmultiple [A-Za-z]{2,40}:? \[(?P<names>[a-z0-9./-]+(?:,? [a-z0-9./-]+)+)\]")


def help_by_words(
    subject: Ref,
    text: str,
    named: list[Ref],
    absent: Collection[Ref],
    verify: Text,
    said: tuple[Setting, ...] = (),
) -> tuple[Step, ...]:
    """Return the looks that the message suggests, and fixes for the object or the field that it names.

    absent: named objects that the server does not have. said: fields of its spec that it quotes. Without any
    name, the next look is at the object itself, and there is no fix yet.
    """
    if several := _SEVERAL.search(text):
        names = list_names(several["names"].replace(",", " ").split())
        only = say(
            "leave one of {names} for this: delete the others, or change what they are for", names=names
        )
        return (Step(only, where="source", verify=verify),)
    field = next(iter(_FIELDS.findall(text)), None)
    unchangeable = _IMMUTABLE.search(text)
    allowing = _ALLOWING.search(text) if _DENIED.search(text) else None
    fixed = field is not None and unchangeable is not None
    # A message without names means the object itself: a release has its object's name by default.
    of_class = (
        look_of_class(text, f"release {subject.name} in namespace {subject.within}") if not named else None
    )
    return fitting(
        *(
            Step(
                say("see how {target} is, which these words name", target=who(target)),
                command=ask_why(target),
            )
            for target in named[:LOOKS]
            if target not in absent
        ),
        *(
            Step(
                say("see which there are"),
                command=command("kubectl get {kind} -A", kind=given.kind_of(target.kind)),
            )
            for target in named[:1]
            if target in absent
        ),
        *(
            (Step(say("see {what}", what=of_class.says), command=of_class.command),)
            if of_class and not of_class.on_node
            else ()
        ),
        Remedy(fixed, _undo(text, unchangeable.start() if unchangeable else 0, verify)),
        # A field that is named together with an object belongs to that object.
        Remedy(
            field is not None and not fixed and not named,
            Step(say("correct {field}", field=field or ""), where="source", verify=verify),
        ),
        Remedy(
            bool(named) and not fixed and named[0] in absent,
            Step(
                say("create {target}, or correct the reference to it", target=who(named[0]) if named else ""),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            allowing is not None,
            Step(
                say(
                    "make a {kind} that allows this{place}, if it is meant",
                    kind=allowing["kind"] if allowing else "",
                    place=_tell_place(named),
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            bool(named) and not fixed and not allowing and named[0] not in absent,
            Step(
                say(
                    "fix {target}, if it is not well or not as it should be",
                    target=who(named[0]) if named else "",
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            bool(said) and not named and field is None,
            Step(
                say(
                    "see whether {fields} {n:is|are} as intended, and correct {n:it|them} if not: the "
                    "message is about {n:it|them}",
                    n=len(said),
                    fields=list_names(s.field for s in said),
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            not named and field is None and of_class is None,
            Step(say("see its events, and what else its status says"), command=asking.describe(subject)),
        ),
    )


def _undo(text: str, at: int, verify: Text) -> Step:
    """Return the step after the server refused to change a field. at: the position of the words that call it
    immutable: of several refusals in a text, the last field and object before them are meant.
    """
    field = (_FIELDS.findall(text[:at]) or _FIELDS.findall(text) or [""])[-1]
    refused = [*_REFUSED.finditer(text[:at])][-1:]
    if refused and refused[0]["kind"] in _REMADE:
        says = say(
            "undo the change of {field}, or delete and recreate {kind} {name}, which stops what it runs: an "
            "immutable field is never changed in place",
            field=field,
            kind=refused[0]["kind"],
            name=refused[0]["name"],
        )
        return Step(says, where="source", risk="disrupts", verify=verify)
    says = say("undo the change of {field}: an immutable field is never changed in place", field=field)
    return Step(says, where="source", verify=verify)
