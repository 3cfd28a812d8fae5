"""Reads from a CustomResource by when it should act again: by its own interval or schedule and the last time
that it did, or by the time that it planned.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from unstuck.collect.objects import doc
from unstuck.facts.aspects.due import Lapse
from unstuck.facts.cron import list_starts, parse_schedule
from unstuck.facts.duration import parse_duration
from unstuck.facts.regex import regex

# The time of an act that is repeated (external-secrets refreshTime, velero lastBackup and lastSyncedTime,
# argo-workflows lastScheduledTime); not of a change, which may be long ago.
_LAST = regex(
    r"(?i)^(?:last(?:successful)?_?(?:(?:re)?sync(?:ed)?|refresh(?:ed)?|run|schedul(?:e|ed)|backup|snapshot|check(?:ed)?"
    r"|prob(?:e|ed)|reconcil(?:e|ed|iation)|scan(?:ned)?|poll(?:ed)?)(?:time|at|timestamp)?"
    r"|(?:refresh|sync|scan)time)$"
)
# The time of the next act (cert-manager renewalTime, cloudnative-pg nextScheduleTime, volsync nextSyncTime).
_NEXT = regex(r"^(?:renewalTime|next[A-Z]\w{0,30}(?:Time|At|Timestamp|Run))$")
# How often it acts (external-secrets refreshInterval, vault-secrets-operator refreshAfter, velero
# backupSyncPeriod).
_INTERVAL = regex(
    r"(?i)^(?!retry|timeout|max|min)(?:\w*interval|refreshafter|\w*(?:sync|refresh|poll|check|scan)\w*(?:period"
    r"|frequency|every))$"
)
_ZONES = ("timeZone", "timezone")
# A policy by which the interval does not count (external-secrets refreshPolicy).
_ONCE = ("CreatedOnce", "OnChange")
# An act may take a while, be tried again after an error, and wait for others.
_SLACK, _MOST_PERIODS = timedelta(hours=1), 2
# An unknown time zone differs from UTC by this much at most.
_FARTHEST = timedelta(hours=14)
_LONGEST_PERIOD = timedelta(days=400).total_seconds()


def find_lapses(obj: doc.Doc) -> Iterator[Lapse]:
    """Yield by when the object should act again, as far as it tells."""
    spec, status = doc.section(obj, "spec"), doc.section(obj, "status")
    for name in doc.keys(status):
        if _NEXT.match(name) and (at := doc.time(status, name)):
            yield Lapse(f"status.{name}", at, at + _SLACK)
    acts = [(at, name) for name in doc.keys(status) if _LAST.match(name) and (at := doc.time(status, name))]
    if not acts:
        return
    at, name = max(acts)
    if lapse := _find_lapse_of_interval(spec, f"status.{name}", at) or _find_lapse_of_schedule(
        spec, f"status.{name}", at
    ):
        yield lapse


def _find_lapse_of_interval(spec: doc.Doc, field: str, at: datetime) -> Lapse | None:
    """Return by when the next act is overdue by the longest interval of the spec."""
    if doc.text(spec, "refreshPolicy") in _ONCE:
        return None
    periods = [
        (seconds, name)
        for name in doc.keys(spec)
        if _INTERVAL.match(name) and (seconds := parse_duration(doc.text(spec, name))) is not None
    ]
    seconds, name = max(periods, default=(0.0, ""))
    if not 0 < seconds < _LONGEST_PERIOD or min(periods)[0] <= 0:
        return None
    due = at + _MOST_PERIODS * timedelta(seconds=seconds) + _SLACK
    return Lapse(field, at, due, f"spec.{name}", doc.text(spec, name))


def _find_lapse_of_schedule(spec: doc.Doc, field: str, at: datetime) -> Lapse | None:
    """Return by when the next act is overdue by a schedule in the form of a CronJob's."""
    text = doc.text(spec, "schedule")
    schedule = parse_schedule(text) if text else None
    if schedule is None:
        return None
    named = next((name for key in _ZONES if (name := doc.text(spec, key))), schedule.zone)
    zone = find_zone(named) if named else None
    start = next(list_starts(schedule, at, zone or UTC), None)
    if start is None:
        return None
    due = start + _SLACK + (timedelta(0) if zone else _FARTHEST)
    return Lapse(field, at, due, "spec.schedule", text)


def find_zone(name: str) -> tzinfo | None:
    """Return a time zone by its name, UTC for none; None for a zone unknown to this machine."""
    if name in ("", "UTC", "Etc/UTC"):
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # with Python's own build settings; few name a zone

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None
