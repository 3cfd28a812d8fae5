"""Facts that come from Events: they cite the list that their Event stands in. And the subject of Events that name no object."""

from __future__ import annotations

from unstuck.facts.aspects.objects import Events
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts


def is_from_events(fact: Fact, snap: Facts) -> bool:
    """Tell whether the fact is a list of Events, or was read out of one about the same subject."""
    return isinstance(fact, Events) or any(fact.src.where == events.src.where for events in snap.of(Events, fact.about))


def make_nameless_ref(namespace: str | None) -> Ref:
    """Return the subject of a Namespace's Events that name no object: each object of it may be meant."""
    return Ref("Event", namespace)
