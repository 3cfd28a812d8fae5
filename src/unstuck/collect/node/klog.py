"""Log lines as components write them: klog, logfmt and JSON, plain or behind a syslog prefix; joined where an entry spans several.

Source: k8s.io/klog/v2 internal/buffer (`Lmmdd hh:mm:ss.uuuuuu threadid file:line] msg`),
sirupsen/logrus text format (containerd, dockerd, CRI-O).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

MAX_LINES = 12
_SYSLOG = re.compile(
    r"^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]{8,15}\S{1,6}) \S{1,255} [\w.@/-]{1,64}(?:\[\d{1,10}\])?: "
)
_KLOG = re.compile(r"^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{1,9})\s+\d{1,10} [^\s:\]]{1,255}:\d{1,7}\] ")
_LOGFMT = re.compile(r"^time=\"?(\S{19,40}?)\"? level=(\w{1,10}) ")
_JSON = re.compile(r"^\{\"")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. at: in UTC, None where the line tells no time. level: `I`, `W`, `E`, `F` or "". text: without header and prefix."""

    text: str
    at: datetime | None = None
    level: str = ""
    line: int | None = None


def begins(line: str) -> bool:
    """Whether an entry begins with this line; one that begins none belongs to the entry before it."""
    line = _SYSLOG.sub("", line, count=1)
    return _KLOG.match(line) is not None or _LOGFMT.match(line) is not None or _JSON.match(line) is not None


def parse(line: str, now: datetime, zone: tzinfo) -> Entry:
    """A first line. now: the reader's moment, which the year is taken from. zone: the zone of klog's stamps."""
    line = _SYSLOG.sub("", line, count=1)
    found = _KLOG.match(line)
    if found:
        level, *numbers = found.groups()
        return Entry(line[found.end() :], _moment([int(n) for n in numbers[:5]], numbers[5], now, zone), level)
    found = _LOGFMT.match(line)
    if found:
        return Entry(line, _rfc3339(found.group(1)), found.group(2)[:1].upper())
    return Entry(line)


def entries(lines: Iterable[tuple[int | None, str]], now: datetime, zone: tzinfo = UTC) -> Iterator[Entry]:
    """Lines with their numbers → entries; lines before the first header stand for themselves."""
    open_: tuple[Entry, list[str]] | None = None
    for number, line in lines:
        if open_ is not None and not begins(line) and len(open_[1]) < MAX_LINES:
            open_[1].append(_SYSLOG.sub("", line, count=1))
            continue
        if open_ is not None:
            yield _joined(*open_)
        head = parse(line, now, zone)
        open_ = (Entry(head.text, head.at, head.level, number), [])
    if open_ is not None:
        yield _joined(*open_)


def _joined(head: Entry, more: list[str]) -> Entry:
    return Entry("\n".join([head.text, *more]), head.at, head.level, head.line) if more else head


def _moment(numbers: list[int], fraction: str, now: datetime, zone: tzinfo) -> datetime | None:
    month, day, hour, minute, second = numbers
    try:
        at = datetime(now.year, month, day, hour, minute, second, int(fraction[:6].ljust(6, "0")), tzinfo=zone).astimezone(UTC)
        # The year is not written: what would lie ahead is of the year before.
        return at if at <= now + timedelta(days=1) else at.replace(year=at.year - 1)
    except (ValueError, OverflowError):
        return None


def _rfc3339(text: str) -> datetime | None:
    # Nanoseconds, which datetime does not read, are cut to microseconds.
    text = re.sub(r"(\.\d{6})\d+", r"\1", text)
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
