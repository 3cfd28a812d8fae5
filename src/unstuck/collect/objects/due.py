"""The times in an object that say until when it is good, and how often it acts."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.due import Due, End
from unstuck.facts.core import Fact
from unstuck.facts.regex import regex

# cert-manager notAfter; expirationDate, expiresAt, validUntil of others.
_END = regex(
    r"(?i)^(?:not_?after|valid_?(?:until|to)|expir(?:y|es|ation)(?:_?(?:at|on|date|time|timestamp))?)$"
)
_DAY = 86_400
_NICKNAMES = {
    "@yearly": 366,
    "@annually": 366,
    "@monthly": 31,
    "@weekly": 7,
    "@daily": 1,
    "@midnight": 1,
    "@hourly": 1,
}


def due_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Due of an observed object that has such a time."""
    status = doc.section(seen.obj, "status")
    ends = tuple(
        End(f"status.{key}", at)
        for key in doc.keys(seen.obj, "status")
        if _END.match(key) and (at := doc.time(status, key))
    )
    if seen.observed and seen.ref.kind == "CronJob" and (schedule := doc.text(seen.obj, "spec", "schedule")):
        last = doc.time(status, "lastScheduleTime")
        src = seen.src(
            f"schedule {schedule}, lastScheduleTime {doc.text(status, 'lastScheduleTime') or '<none>'}"
        )
        yield Due(about=seen.ref, src=src, schedule=schedule, last=last, period=find_longest_gap(schedule))
    elif seen.observed and ends:
        yield Due(
            about=seen.ref,
            src=seen.src(
                "; ".join(f"{e.field} {doc.text(status, e.field.removeprefix('status.'))}" for e in ends)
            ),
            ends=ends,
        )


def find_longest_gap(schedule: str) -> int | None:
    """Return the longest time in seconds between two starts of a cron schedule, rounded up to days; None
    where it is not known.
    """
    if schedule in _NICKNAMES:
        return _NICKNAMES[schedule] * _DAY
    fields = [f for f in schedule.split() if not f.startswith(("TZ=", "CRON_TZ="))]
    if len(fields) != 5:
        return None
    _, _, day, month, weekday = fields
    free = ("*", "?")
    if month not in free:
        # The 29th of February comes every four years.
        return (4 * 366 if "29" in day else 366) * _DAY
    if day not in free:
        # Some months have no 31st.
        return 62 * _DAY
    return _DAY if weekday in free else 7 * _DAY
