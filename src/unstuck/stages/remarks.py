"""People's remarks in an object's annotations: the reason for its state, and its end."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.aspects.reported import Remarks
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def tell_remark(ref: Ref, snap: Facts) -> Text:
    """Return the first remark of an object, worded to follow its state; empty if there is none."""
    for fact in snap.of(Remarks, ref):
        for item in fact.items:
            return say(
                "; its annotation {name} says: {text}",
                name=item.field.partition("[")[2].removesuffix("]"),
                text=item.value,
            )
    return NO_TEXT


def find_remarks(ref: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return the facts that hold such remarks."""
    return tuple(snap.of(Remarks, ref))
