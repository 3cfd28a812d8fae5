"""Events, of both APIs (`v1` and `events.k8s.io/v1`), grouped by their object.

An Event's time is its last one: a failure in an event that is older than a success is stale, and only a
cause, which sees both, can know that. So each Failure carries the event's last time as its source's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import target_of
from unstuck.collect.objects.scheduling import parse_unschedulable
from unstuck.facts.aspects.objects import Event, Events
from unstuck.facts.core import Fact, Ref, Source, shorten
from unstuck.facts.derive.events import make_nameless_ref
from unstuck.facts.record import replace
from unstuck.facts.regex import regex
from unstuck.wording.match import find_failures

_CONTAINER = regex(r"\{([^{}]+)\}$")
_EVER = datetime.min.replace(tzinfo=UTC)


def involved_object(obj: doc.Doc) -> Ref | None:
    """Return the object that an Event is about."""
    row = doc.section(obj, "involvedObject") or doc.section(obj, "regarding")
    return target_of(row, doc.text(row, "namespace") or None)


def group_by_object(objs: Iterable[doc.Doc]) -> dict[Ref, list[doc.Doc]]:
    """Group Events by their object; those without one by their Namespace."""
    out: dict[Ref, list[doc.Doc]] = {}
    for obj in objs:
        out.setdefault(
            involved_object(obj) or make_nameless_ref(doc.text(obj, "metadata", "namespace") or None), []
        ).append(obj)
    return out


def events_of(objs: Iterable[doc.Doc], about: Ref, where: str, *, whole: bool) -> Iterator[Fact]:
    """Yield one Events fact, ordered by last time, and the Failures in the messages. whole: no other
    Events about the subject exist.
    """
    read = sorted(
        ((_read_event(o), o) for o in objs), key=lambda p: (p[0].last or _EVER, p[0].reason, p[0].message)
    )
    items = tuple(e for e, _ in read)
    newest = items[-1].last if items else None
    quote = shorten(f"{items[-1].reason}: {items[-1].message}") if items else "no events"
    yield Events(about=about, src=Source(where, quote, newest), items=items, whole=whole)
    for event, obj in read:
        yield from _read_failures(event, obj, about, where)


def _read_failures(event: Event, obj: doc.Doc, about: Ref, where: str) -> Iterator[Fact]:
    times = f" ×{event.count}" if event.count > 1 else ""
    src = Source(where, shorten(f"{event.reason}{times}: {event.message}"), event.last)
    if event.reason == "FailedScheduling":
        found = parse_unschedulable(event.message, about=about, src=src, whole=False)
        if found:
            yield found
    # Before 1.3, and in excerpts, an Event has no type.
    normal = not event.warning and bool(doc.text(obj, "type"))
    if normal and event.reason not in ("BackOff", "Killing"):
        return
    row = doc.section(obj, "involvedObject") or doc.section(obj, "regarding")
    container = _CONTAINER.search(doc.text(row, "fieldPath"))
    reporter = event.reporter or "event"
    for f in find_failures(
        event.message,
        about=about,
        src=src,
        reporter=reporter,
        count=event.count,
        first=event.first,
        reason=event.reason,
    ):
        yield replace(f, container=container[1]) if container and not f.container else f


def _read_event(obj: doc.Doc) -> Event:
    """Read an Event: `v1` has count and first/lastTimestamp, `events.k8s.io` has series and eventTime; a
    server may fill either in both.
    """
    series = doc.section(obj, "series")
    first = (
        doc.time(obj, "firstTimestamp")
        or doc.time(obj, "deprecatedFirstTimestamp")
        or doc.time(obj, "eventTime")
    )
    last = (
        doc.time(series, "lastObservedTime")
        or doc.time(obj, "lastTimestamp")
        or doc.time(obj, "deprecatedLastTimestamp")
    )
    count = (
        doc.whole_number(series, "count")
        or doc.whole_number(obj, "count")
        or doc.whole_number(obj, "deprecatedCount")
    )
    created = doc.time(obj, "metadata", "creationTimestamp")
    source = doc.section(obj, "source") or doc.section(obj, "deprecatedSource")
    component = (
        doc.text(source, "component")
        or doc.text(obj, "reportingComponent")
        or doc.text(obj, "reportingController")
    )
    host = doc.text(source, "host") or doc.text(obj, "reportingInstance")
    return Event(
        reason=doc.text(obj, "reason"),
        message=mask_message(doc.text(obj, "message") or doc.text(obj, "note")),
        warning=doc.text(obj, "type") == "Warning",
        count=max(1, count or 1),
        first=first or created,
        last=last or first or created,
        reporter=", ".join(p for p in (component, host) if p),
    )
