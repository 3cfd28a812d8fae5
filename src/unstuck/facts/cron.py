"""Cron schedules of CronJobs: parsing, and their due times.

Source: github.com/robfig/cron v3 parser.go and spec.go (ParseStandard, SpecSchedule.Next), which
kube-apiserver and kube-controller-manager use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from types import MappingProxyType

from unstuck.facts.duration import parse_duration
from unstuck.facts.record import Record, record

# SpecSchedule.Next looks no further than this many years ahead.
_YEARS = 5
_NICKNAMES: Mapping[str, str] = MappingProxyType(
    {
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
        "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *",
    }
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = MappingProxyType({name: number for number, name in enumerate(_MONTH_NAMES, 1)})
_DAYS = MappingProxyType({name: number for number, name in enumerate(_DAY_NAMES)})
# The first and last value of each of the five fields, and its names.
_FIELDS: tuple[tuple[int, int, Mapping[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_SHORTEST = 1.0


@record()
class Schedule(Record):
    """A parsed schedule. zone: its own time zone (`TZ=Asia/Tokyo`), or "". every: for `@every 90m` the
    seconds between two starts, else None.

    any_day, any_weekday: whether the field is `*`; if neither is, a match of one of them suffices.
    """

    minutes: frozenset[int] = frozenset()
    hours: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    any_day: bool = True
    any_weekday: bool = True
    zone: str = ""
    every: int | None = None

    def has_day(self, day: date) -> bool:
        """Tell whether the schedule is due on this day."""
        if day.month not in self.months:
            return False
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return (of_month and of_week) if self.any_day or self.any_weekday else (of_month or of_week)


def parse_schedule(text: str) -> Schedule | None:
    """Parse a schedule like the controller; None for an invalid one."""
    zone, rest = "", text.strip()
    if rest.startswith(("TZ=", "CRON_TZ=")):
        first, _, rest = rest.partition(" ")
        zone = first.partition("=")[2]
        rest = rest.strip()
    if rest.startswith("@every "):
        span = parse_duration(rest.removeprefix("@every ").strip())
        return Schedule(zone=zone, every=int(span)) if span is not None and span >= _SHORTEST else None
    fields = _NICKNAMES.get(rest, rest).split()
    if len(fields) != len(_FIELDS):
        return None
    read = [_read_field(field, *bounds) for field, bounds in zip(fields, _FIELDS, strict=True)]
    if any(values is None for values, _ in read):
        return None
    minutes, hours, days, months, weekdays = (values or frozenset() for values, _ in read)
    return Schedule(minutes, hours, days, months, weekdays, read[2][1], read[4][1], zone)


def list_starts(schedule: Schedule, after: datetime, zone: tzinfo = UTC) -> Iterator[datetime]:
    """Yield the due times after a moment, in order, in UTC; none if there is none within five years. zone:
    the time zone of its hours.
    """
    if schedule.every is not None:
        at = after.replace(microsecond=0)
        while (at - after).days < 366 * _YEARS:
            at += timedelta(seconds=schedule.every)
            yield at
        return
    local = after.astimezone(zone)
    day, last = local.date(), local.year + _YEARS
    while day.year <= last:
        if schedule.has_day(day):
            yield from (at for at in _list_times(schedule, day, zone) if at > after)
        if day == date.max:
            return
        day += timedelta(days=1)


def _list_times(schedule: Schedule, day: date, zone: tzinfo) -> list[datetime]:
    """Return the due times of one day: a time skipped by a clock change is left out, a repeated one counts
    twice.
    """
    found = set()
    for hour in schedule.hours:
        for minute in schedule.minutes:
            for fold in (0, 1):
                local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone, fold=fold)
                at = local.astimezone(UTC)
                if at.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
                    found.add(at)
    return sorted(found)


def _read_field(
    text: str, low: int, high: int, names: Mapping[str, int]
) -> tuple[frozenset[int] | None, bool]:
    """Return the values of one field, None if invalid, and whether it is unrestricted."""
    values, free = set[int](), False
    for part in text.split(","):
        if not part:
            # As strings.FieldsFunc does.
            continue
        of_part = _read_part(part, low, high, names)
        if of_part is None:
            return None, False
        values |= of_part
        free = free or (part.partition("/")[0] in ("*", "?") and part.partition("/")[2] in ("", "1"))
    return frozenset(values), free


def _read_part(part: str, low: int, high: int, names: Mapping[str, int]) -> frozenset[int] | None:
    span, *steps = part.split("/")
    ends = span.split("-")
    if len(steps) > 1 or len(ends) > 2:
        return None
    step = _read_number(steps[0], {}) if steps else 1
    if ends[0] in ("*", "?"):
        first, last = low, high
    else:
        numbers = [_read_number(end, names) for end in ends]
        if numbers[0] is None or numbers[-1] is None:
            return None
        # `5/15` goes on to the end.
        first, last = numbers[0], high if steps and len(ends) == 1 else numbers[-1]
    if not step or first < low or last > high or first > last:
        return None
    return frozenset(range(first, last + 1, step))


def _read_number(text: str, names: Mapping[str, int]) -> int | None:
    if (named := names.get(text.lower())) is not None:
        return named
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
