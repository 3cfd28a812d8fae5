"""The printing time of a described Pod, from its ages and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.text.kubectl.print_time import find_print_time

PRINTED = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
TAKEN_ON = PRINTED - timedelta(minutes=12, seconds=7)


def stamp(at: datetime) -> str:
    return at.strftime("%a, %d %b %Y %H:%M:%S +0000")


def human(age: timedelta) -> str:
    """Return a duration in the form of k8s.io/apimachinery/pkg/util/duration."""
    seconds = int(age.total_seconds())
    minutes, hours = seconds // 60, seconds // 3600
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s" if seconds % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    return f"{hours}h" if hours < 48 else f"{hours // 24}d"


def described(printed: datetime, placed: datetime, started: datetime | None = None, name: str = "web") -> str:
    ran = f"    State:          Running\n      Started:      {stamp(started)}\n" if started else ""
    rows = f"  Normal  Scheduled  {human(printed - placed)}  default-scheduler  Successfully assigned f/{name} to lab-1\n"
    if started:
        rows += f"  Normal  Started  {human(printed - started)} (x4 over 9m)  kubelet  Started container c\n"
    return (
        f"Name:             {name}\nNamespace:        f\nNode:             lab-1/10.0.0.1\nStart Time:       {stamp(placed)}\n"
        f"Containers:\n  c:\n{ran}Events:\n  Type    Reason     Age   From               Message\n  ----    ------     ----  ----     -------\n{rows}"
    )


LATER = st.timedeltas(timedelta(0), timedelta(days=900))


@given(
    LATER,
    st.timedeltas(timedelta(seconds=3), timedelta(days=30)),
    st.timedeltas(timedelta(seconds=1), timedelta(days=30)),
)
def test_however_late_it_is_read_it_is_of_when_it_was_printed(
    later: timedelta, since: timedelta, runs: timedelta
) -> None:
    placed = (PRINTED - since).replace(microsecond=0)
    started = max(placed, (PRINTED - runs).replace(microsecond=0))
    at = find_print_time([described(PRINTED, placed, started)], PRINTED + later)
    unit = (
        86400
        if PRINTED - started >= timedelta(hours=48)
        else 3600
        if PRINTED - started >= timedelta(hours=3)
        else 60
    )
    assert at is not None
    assert PRINTED <= at <= PRINTED + min(later, timedelta(seconds=unit + 2))


def test_what_runs_shortest_tells_best() -> None:
    started = PRINTED - timedelta(seconds=40)
    at = find_print_time([described(PRINTED, TAKEN_ON, started)], PRINTED + timedelta(days=3))
    assert at is not None and at - PRINTED <= timedelta(seconds=2)


def test_of_two_the_later_one_counts() -> None:
    early, late = (
        described(PRINTED - timedelta(hours=1), TAKEN_ON - timedelta(hours=1)),
        described(PRINTED, PRINTED - timedelta(seconds=9)),
    )
    for texts in ([f"{early}\n\n{late}"], [late, early]):
        at = find_print_time(texts, PRINTED + timedelta(days=3))
        assert at is not None and abs(at - PRINTED) <= timedelta(seconds=2)


def test_nothing_that_stands_there_has_yet_to_come() -> None:
    ended = PRINTED + timedelta(minutes=4)
    for more in (f"finished {stamp(ended)}", f"{ended:%Y-%m-%dT%H:%M:%S}Z the container's log"):
        assert find_print_time([described(PRINTED, TAKEN_ON), more], PRINTED + timedelta(days=3)) == ended
    ahead = PRINTED + timedelta(days=30)
    at = find_print_time(
        [described(PRINTED, PRINTED - timedelta(seconds=9)), stamp(ahead)], PRINTED + timedelta(days=3)
    )
    assert at is not None and at - PRINTED <= timedelta(seconds=2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Start Time: never",
        f"Start Time:  {stamp(PRINTED)}\n",
        "  Normal  Scheduled  5m  default-scheduler  Successfully assigned f/web to lab-1\n",
        f"Start Time:  {stamp(PRINTED)}\n  Normal  Scheduled  <unknown>  default-scheduler  Successfully assigned f/web to lab-1\n",
        "Start Time:  Fri, 31 Dec 9999 23:59:59 +0000\n  Normal  Scheduled  99d  default-scheduler  Successfully assigned f/web to lab-1\n",
    ],
)
def test_what_does_not_tell(text: str) -> None:
    assert find_print_time([text], PRINTED) is None


@given(
    st.text(),
    st.lists(
        st.sampled_from(
            ["Start Time:", stamp(PRINTED), "-0000", "  Normal  Scheduled", "999999d", "\n", "Name: x"]
        )
    ),
)
def test_any_text(text: str, pieces: list[str]) -> None:
    at = find_print_time([text + " ".join(pieces)], PRINTED)
    assert at is None or at <= PRINTED


def test_no_offset_is_read_as_utc() -> None:
    text = described(PRINTED, PRINTED - timedelta(seconds=9)).replace("+0000", "-0000")
    at = find_print_time([text], PRINTED + timedelta(days=3))
    assert at is not None and abs(at - PRINTED) <= timedelta(seconds=2)
