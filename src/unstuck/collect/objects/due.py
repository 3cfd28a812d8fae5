"""The times in an object that say until when it is good, and how often it acts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.collect.objects.lapses import find_lapses, find_zone
from unstuck.facts.aspects.due import Due, End
from unstuck.facts.core import Fact
from unstuck.facts.cron import list_starts, parse_schedule
from unstuck.facts.regex import regex

# cert-manager notAfter; expirationDate, expiresAt, validUntil of others.
_END = regex(
    r"(?i)^(?:not_?after|valid_?(?:until|to)|expir(?:y|es|ation)(?:_?(?:at|on|date|time|timestamp))?)$"
)
# The number of reported next starts: two missed ones show a lasting problem.
_MOST_STARTS = 3


def due_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Due for an observed object with a deadline or schedule."""
    status = doc.section(seen.obj, "status")
    ends = tuple(
        End(f"status.{key}", at)
        for key in doc.keys(seen.obj, "status")
        if _END.match(key) and (at := doc.time(status, key))
    )
    if seen.observed and seen.ref.kind == "CronJob" and (schedule := doc.text(seen.obj, "spec", "schedule")):
        yield _read_schedule(seen, schedule, doc.time(status, "lastScheduleTime"))
        return
    lapses = tuple(find_lapses(seen.obj)) if seen.observed and "." in seen.ref.kind else ()
    if seen.observed and (ends or lapses):
        told = dict.fromkeys((*(e.field for e in ends), *(one.field for one in lapses)))
        yield Due(
            about=seen.ref,
            src=seen.src("; ".join(f"{f} {doc.text(status, f.removeprefix('status.'))}" for f in told)),
            ends=ends,
            lapses=lapses,
        )


def _read_schedule(seen: SeenObject, text: str, last: datetime | None) -> Due:
    obj = seen.obj
    schedule, policy = parse_schedule(text), doc.text(obj, "spec", "concurrencyPolicy")
    named = doc.text(obj, "spec", "timeZone") or (schedule.zone if schedule else "")
    zone = find_zone(named)
    deadline = doc.whole_number(obj, "spec", "startingDeadlineSeconds")
    created = doc.time(obj, "metadata", "creationTimestamp")
    begun = last or created
    if begun and deadline is not None:
        # With a deadline, a start that is overdue for longer is skipped for good: starts before the last
        # change of the spec do not count.
        begun = max((begun, *_list_times_of_changes(obj)))
    starts = list_starts(schedule, begun, zone or UTC) if schedule and begun else iter(())
    told = doc.text(obj, "status", "lastScheduleTime") or "<none>"
    beside = f", timeZone {named}" if named else ""
    return Due(
        about=seen.ref,
        src=seen.src(f"schedule {text}{beside}, lastScheduleTime {told}"),
        schedule=text,
        zone=named,
        last=last,
        starts=tuple(islice(starts, _MOST_STARTS)),
        legible=schedule is not None and begun is not None,
        exact=zone is not None,
        active=len(doc.rows(obj, "status", "active")),
        forbids=policy == "Forbid",
        replaces=policy == "Replace",
        succeeded=doc.time(obj, "status", "lastSuccessfulTime") or created,
    )


def _list_times_of_changes(obj: doc.Doc) -> Iterator[datetime]:
    """Yield the times at which its spec was written, by any client."""
    for row in doc.rows(obj, "metadata", "managedFields"):
        at = doc.time(row, "time")
        if at and doc.section(row, "fieldsV1", "f:spec"):
            yield at
