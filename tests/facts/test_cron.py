"""A schedule is due exactly by a minute-by-minute evaluation of its fields, in every time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.facts.cron import list_starts, parse_schedule

_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    """Make one field of a schedule."""
    number = st.integers(low, high)
    span = st.tuples(number, number).map(lambda p: f"{min(p)}-{max(p)}")
    start = st.one_of(st.just("*"), number.map(str), span)
    step = st.tuples(start, st.integers(1, high)).map(lambda p: f"{p[0]}/{p[1]}")
    return st.lists(st.one_of(start, start, step), min_size=1, max_size=3).map(",".join)


def fits(field: str, low: int, high: int, value: int) -> bool:
    """Tell whether a value is one of a field's, the simple way."""
    for part in field.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        begin = low if first == "*" else int(first)
        end = high if first == "*" or (slash and not dash) else int(last or first)
        if begin <= value <= end and (value - begin) % int(step or 1) == 0:
            return True
    return False


def is_due(schedule: list[str], at: datetime) -> bool:
    """Tell whether a local minute is one of a schedule's, the simple way."""
    values = (at.minute, at.hour, at.day, at.month, at.isoweekday() % 7)
    hit = [fits(f, *b, v) for f, b, v in zip(schedule, _BOUNDS, values, strict=True)]
    free = any(p in ("*", "*/1") for f in (schedule[2], schedule[4]) for p in f.split(","))
    return all(hit[:2]) and hit[3] and ((hit[2] and hit[4]) if free else (hit[2] or hit[4]))


@given(
    st.tuples(*(fields(*b) for b in _BOUNDS)),
    st.integers(0, 2 * 365 * 24 * 60 * 60),
    st.sampled_from(_ZONES),
)
def test_the_next_start_is_the_first_minute_that_fits(
    schedule: tuple[str, ...], seconds: int, zone: str
) -> None:
    begun, place = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds), ZoneInfo(zone)
    read = parse_schedule(" ".join(schedule))
    assert read is not None
    minute = begun.replace(second=0, microsecond=0) + timedelta(minutes=1)
    ahead = (minute + timedelta(minutes=n) for n in range(3 * 24 * 60))
    simple = [at for at in ahead if is_due(list(schedule), at.astimezone(place))]
    found = list(islice(list_starts(read, begun, place), 3))
    assert [at for at in found if at < minute + timedelta(days=3)] == simple[:3]


@pytest.mark.parametrize(
    ("text", "after", "first"),
    [
        ("0 0 29 2 *", "2026-11-30T00:00", "2028-02-29T00:00"),
        ("@yearly", "2026-11-30T00:00", "2027-01-01T00:00"),
        ("@annually", "2026-11-30T00:00", "2027-01-01T00:00"),
        ("@monthly", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("@weekly", "2026-11-30T00:00", "2026-12-06T00:00"),
        ("@midnight", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("@hourly", "2026-11-30T00:00", "2026-11-30T01:00"),
        ("@every 1h30m", "2026-11-30T00:00", "2026-11-30T01:30"),
        ("5 4 * JAN-mar Sun,2", "2026-11-30T00:00", "2027-01-03T04:05"),
        ("10/20 3 ? * ?", "2026-11-30T03:11", "2026-11-30T03:30"),
        ("0 9 13 * 5", "2026-11-30T00:00", "2026-12-04T09:00"),
        ("0 9 */2 * 5", "2026-11-30T00:00", "2026-12-01T09:00"),
    ],
)
def test_when_a_schedule_is_due(text: str, after: str, first: str) -> None:
    read = parse_schedule(text)
    assert read is not None
    at = next(list_starts(read, datetime.fromisoformat(after).replace(tzinfo=UTC)))
    assert at == datetime.fromisoformat(first).replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "5 5 30,31 feb ?"])
def test_a_day_that_no_month_has_never_comes(text: str) -> None:
    read = parse_schedule(text)
    assert read is not None and not list(list_starts(read, datetime(2026, 11, 30, tzinfo=UTC)))


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "* * * *", "* * * * * *", "60 * * * *", "* * 0 * *", "* * * * 7", "5-1 * * * *"),
        *("*/0 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "* * * foo *", "@daily 1", "@every", "@every 0s"),
        *("@every x", "* * * -1 *", "1- * * * *", "-1 * * * *", "99999999999999 * * * *", "٣ * * * *"),
    ],
)
def test_what_the_controller_does_not_read_is_not_read(text: str) -> None:
    assert parse_schedule(text) is None


def test_a_time_zone_is_part_of_a_schedule() -> None:
    for word in ("TZ=Asia/Tokyo", "CRON_TZ=Asia/Tokyo"):
        read = parse_schedule(f"{word} 30 8 * * *")
        assert read is not None and read.zone == "Asia/Tokyo"
        starts = list_starts(read, datetime(2026, 11, 30, tzinfo=UTC), ZoneInfo(read.zone))
        assert next(starts) == datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def test_the_hour_that_a_clock_change_leaves_out_is_none_and_one_that_comes_twice_is_two() -> None:
    berlin, read = ZoneInfo("Europe/Berlin"), parse_schedule("30 2 * * *")
    assert read is not None
    spring = islice(list_starts(read, datetime(2026, 3, 28, 12, tzinfo=UTC), berlin), 1)
    assert list(spring) == [datetime(2026, 3, 30, 0, 30, tzinfo=UTC)]
    autumn = islice(list_starts(read, datetime(2026, 10, 24, 12, tzinfo=UTC), berlin), 2)
    assert list(autumn) == [datetime(2026, 10, 25, h, 30, tzinfo=UTC) for h in (0, 1)]
