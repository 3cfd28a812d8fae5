"""The settings by which an object is stopped on purpose: those in force, their writers, their quotation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, format_duration
from unstuck.facts.aspects.objects import Touches
from unstuck.facts.aspects.reported import Setting, Switches
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.standstills import Switch, find_switch

say = Messages(__name__)


def find_stops(ref: Ref, snap: Facts) -> Iterator[tuple[Switches, Setting, Switch]]:
    """Yield the settings that stop the object, each with its fact and its meaning."""
    for fact in snap.of(Switches, ref):
        for item in fact.items:
            if switch := find_switch(ref.kind, item.field, item.value):
                yield fact, item, switch


def find_setting(ref: Ref, snap: Facts, field: str, value: str) -> tuple[Switches, ...]:
    """Return the facts that show this value of a field."""
    return tuple(
        f for f in snap.of(Switches, ref) if any(i.field == field and i.value == value for i in f.items)
    )


def quote_setting(field: str, value: str) -> Text:
    """Return a setting in brackets, to follow a state."""
    return say(" ({field}: {value})", field=field, value=value)


def find_writer(ref: Ref, field: str, snap: Facts) -> tuple[str, datetime | None]:
    """Return who wrote a field last, and when at the latest; ("", None) if managedFields do not tell."""
    touches = [t for f in snap.of(Touches, ref) for t in f.items if field in t.fields]
    last = max(touches, key=lambda t: (t.at is not None, t.at or snap.now, t.manager), default=None)
    return (last.manager, last.at) if last else ("", None)


def find_last_change(ref: Ref, snap: Facts) -> datetime | None:
    """Return when its spec was written last, at the latest; None if managedFields do not tell."""
    times = (
        t.at for f in snap.of(Touches, ref) for t in f.items if any(p.startswith("spec.") for p in t.fields)
    )
    return max((at for at in times if at), default=None)


def describe_writer(ref: Ref, field: str, snap: Facts) -> tuple[Text, datetime | None]:
    """Return who wrote a field last, worded to follow its meaning, and when at the latest."""
    by, at = find_writer(ref, field, snap)
    says = say(" by {manager}", manager=by) if by else NO_TEXT
    if at:
        # The entry's time is the manager's last write: the value is not younger.
        span = format_duration(snap.now - at)
        says += say(", {span} ago or earlier", span=span)
    return says, at
