"""The time when a description was printed: its ages count back from then, its times are absolute, and
together they determine it.

Sources: staging/src/k8s.io/kubectl/pkg/describe/describe.go (times as RFC 1123 with a zone, events by their
age); k8s.io/apimachinery/pkg/util/duration (an age is cut to its smallest unit).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from unstuck.collect.text.cutting.ages import AGE, UNITS, parse_age, parse_rfc1123
from unstuck.facts.regex import regex
from unstuck.wording.klog import parse_rfc3339

# Times are cut to seconds, and a container's event follows its start.
_APART = timedelta(seconds=1)
_TIME = r"(?P<at>[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4})"
_NAME = regex(r"^Name:\s+\S")
_PLACED = regex(rf"^\s*Start Time:\s+{_TIME}\s*$")
_STARTED = regex(rf"^\s+Started:\s+{_TIME}\s*$")
_EVENT = regex(rf"^\s*Normal\s+(?P<reason>Scheduled|Started)\s+(?P<age>{AGE})\s")
_ANY = regex(rf"{_TIME}|(?P<iso>\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{1,9}})?(?:Z|[+-]\d\d:\d\d))")


def find_print_time(texts: Iterable[str], latest: datetime) -> datetime | None:
    """Return the printing time of the last described Pod in these texts, not later than latest; None if none
    shows it.

    latest: the time of reading, aware. No time in the texts, with a zone, is later than the result except
    those after latest, which are in the future.
    """
    told: list[datetime] = []
    stamps: list[datetime] = []
    for text in texts:
        told += (at for lines in _split_descriptions(text) if (at := _estimate_print_time(lines)) is not None)
        stamps += find_stamps(text)
    if not told:
        return None
    last = max([*told, *(s for s in stamps if s <= latest)])
    return min(latest, last.replace(microsecond=0) + timedelta(seconds=last.microsecond > 0))


def _split_descriptions(text: str) -> Iterator[list[str]]:
    """Yield the lines of each description of a Pod with its events."""
    if "Start Time:" not in text:
        return
    lines: list[str] = []
    for line in text.splitlines():
        if _NAME.match(line):
            yield lines
            lines = []
        lines.append(line)
    yield lines


def _estimate_print_time(lines: list[str]) -> datetime | None:
    """Return the earliest possible time of printing: an age is at most one of its smallest units too
    short.
    """
    events = [found for line in lines if (found := _EVENT.match(line))]
    placed = _limit_print_time(
        _parse_times(_PLACED, lines), [e["age"] for e in events if e["reason"] == "Scheduled"]
    )
    started = _limit_print_time(
        _parse_times(_STARTED, lines), [e["age"] for e in events if e["reason"] == "Started"]
    )
    return min((at for at in (placed, started) if at), default=None)


def _limit_print_time(times: list[datetime], ages: list[str]) -> datetime | None:
    """Return the latest possible time of printing, by the last of these times and the least of these ages."""
    lasted = [a for a in map(_upper_bound, ages) if a is not None]
    try:
        return max(times) + min(lasted) + _APART if times and lasted else None
    except OverflowError:
        return None


def _upper_bound(age: str) -> timedelta | None:
    seconds = parse_age(age)
    return None if seconds is None or age[-1] == "y" else timedelta(seconds=seconds + UNITS[age[-1]])


def _parse_times(form: re.Pattern[str], lines: Iterable[str]) -> list[datetime]:
    return [at for line in lines if (found := form.match(line)) and (at := parse_rfc1123(found["at"]))]


def find_stamps(text: str) -> Iterator[datetime]:
    """Yield the times with a zone in a text, in its order."""
    for found in _ANY.finditer(text):
        if at := parse_rfc1123(found["at"]) if found["at"] else parse_rfc3339(found["iso"]):
            yield at
