"""The records of a log: pieces of text, oldest first, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from io import BytesIO
from zoneinfo import ZoneInfo

from unstuck.collect.node import recorded_tree
from unstuck.collect.node.root import Root
from unstuck.facts.record import Record as Frozen
from unstuck.facts.record import record
from unstuck.wording.klog import KlogRecord, read_records

SPAN = timedelta(hours=1)
_BEFORE = timedelta(minutes=10)
_AFTER = timedelta(minutes=30)
_PROBE = 65536


@record()
class Window(Frozen):
    """A span of time to read. end: None for an open one, up to the end of the log. middle: the most
    important time of a closed one.
    """

    start: datetime
    end: datetime | None = None
    middle: datetime | None = None


def windows(now: datetime, since: datetime | None = None) -> tuple[Window, ...]:
    """Return the last hour; with `since` (a deletion's time) also the time around it, as one window if
    they overlap. Oldest first.
    """
    last = Window(now - SPAN)
    if since is None or since - _BEFORE >= last.start:
        return (last,)
    first = Window(since - _BEFORE, since + _AFTER, since)
    return (Window(first.start),) if since + _AFTER >= last.start else (first, last)


@record()
class LogPiece(Frozen):
    """Whole lines of one file or command. where: a file of the node or a command. begins: its first line's
    number, or a function for it.

    cut: more lines from the time in question could not be read, because the file is damaged or too long.
    """

    where: str
    data: bytes
    begins: int | Callable[[], int | None] | None = None
    cut: bool = False

    @property
    def first_line(self) -> int | None:
        """The number of its first line, None where lines are not counted."""
        return self.begins() if callable(self.begins) else self.begins


@record()
class Log(Frozen):
    """A component's log in the time in question. zone: that of klog's timestamps."""

    component: str
    pieces: tuple[LogPiece, ...]
    zone: tzinfo = UTC

    @property
    def where(self) -> str:
        """The newest piece's place."""
        return self.pieces[-1].where if self.pieces else ""

    @property
    def cut(self) -> tuple[str, ...]:
        """The places that are incomplete."""
        return tuple(dict.fromkeys(p.where for p in self.pieces if p.cut))


@record()
class LogEntry(Frozen):
    """An entry of a log. where: its file or command. line: its first line's number in the file, None if
    lines are not counted.
    """

    record: KlogRecord
    where: str = ""
    line: int | None = None


def zone_of(root: Root) -> tzinfo:
    """Return the node's time zone, in which klog writes; UTC if unknown."""
    if not root.live and (told := recorded_tree.zone(root)):
        return told
    data = root.data("/etc/localtime", 1 << 20)
    try:
        return ZoneInfo.from_file(BytesIO(data)) if data else UTC
    except (ValueError, EOFError, OSError):
        return UTC


def first_stamp(lines: Iterable[str], now: datetime, zone: tzinfo) -> datetime | None:
    """Return the time of the first line that has one. Klog's stamps are read in the zone of the moment
    they are compared with.
    """
    here = now.astimezone(zone)
    return next((r.at for line in lines for r in read_records([line], here) if r.at), None)


def stamp_in(data: bytes, now: datetime, zone: tzinfo, partial: bool = True) -> datetime | None:
    """Return the first timestamp at the beginning of `data`. partial: its first line may have lost its
    beginning.
    """
    lines = [line[:4096] for line in data[:_PROBE].split(b"\n")[1 if partial else 0 : 200]]
    return first_stamp((line.decode("utf-8", "replace") for line in lines), now, zone)


def last_stamp(data: bytes, now: datetime, zone: tzinfo) -> datetime | None:
    """Return the last time stated in the end of `data`."""
    lines = [line[:4096].decode("utf-8", "replace") for line in data[-_PROBE:].split(b"\n")[::-1][:200]]
    return first_stamp(lines, now, zone)


def span(log: Log, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return times of the first and the last line that has one."""
    first = (stamp_in(p.data, now, log.zone, partial=False) for p in log.pieces)
    last = (last_stamp(p.data, now, log.zone) for p in reversed(log.pieces))
    return next((t for t in first if t), None), next((t for t in last if t), None)
