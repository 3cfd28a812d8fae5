"""Which facts Events told: what was read out of an Event's message cites the list that the Event stands in. And those that name nobody."""

from __future__ import annotations

from unstuck.facts.aspects.objects import Events
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts


def is_from_events(fact: Fact, snap: Facts) -> bool:
    """Tell whether the fact is a list of Events, or was read out of one about the same subject."""
    return isinstance(fact, Events) or any(fact.src.where == events.src.where for events in snap.of(Events, fact.about))


def nobody(namespace: str | None) -> Ref:
    """Return whom the Events of a Namespace are about that name no object: any object of it may be meant."""
    return Ref("Event", namespace)
