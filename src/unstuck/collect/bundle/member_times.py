"""The time at which a part of the input was written: it describes that moment, and the ages in it count back
from then.

A must-gather, a sosreport or a plain file is written while the questions are asked, and tar, zip and rsync
keep the time. If it is earlier than a time inside the part, it was set artificially and proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Events, Presence
from unstuck.facts.core import Fact

# No Kubernetes was before. An archive that is made to be the same each time has 0 or its tool's first year.
_FIRST = datetime(2014, 6, 6, tzinfo=UTC)
# The clocks of the client and of the cluster differ.
_APART = timedelta(minutes=5)


def moment(written: float | None, now: datetime) -> datetime:
    """Return the time of writing, or now if it cannot be true. written: seconds since 1970. now: aware,
    the time of reading.
    """
    if written is None or not _FIRST.timestamp() <= written < now.timestamp():
        return now
    return datetime.fromtimestamp(written, UTC)


def contradicts(facts: Iterable[Fact], at: datetime) -> bool:
    """Tell whether this time is before an event that the content already shows."""
    return any(when > at + _APART for fact in facts for when in _list_event_times(fact))


def _list_event_times(fact: Fact) -> Iterator[datetime]:
    match fact:
        case Presence():
            told = [fact.created]
        case Lease():
            told = [fact.renewed]
        case Events():
            told = [event.last for event in fact.items]
        case _:
            told = []
    yield from (t for t in told if t is not None)
