"""Reads log files and their rotated predecessors, of any size: only the part within the given time windows.

Names: logrotate(8) (`x.log.1`, `x.log.2.gz`, `x.log-20261120`, `x-20261120.log` with `extension`).
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from functools import cache, partial

from unstuck.collect.node.logs.log import Log, LogPiece, Window, last_stamp, stamp_in
from unstuck.collect.node.root import Root
from unstuck.facts.record import Record, record

CAP = 24 << 20
_AT_LEAST = 1 << 20
_COUNTED = 64 << 20
_CHUNK = 1 << 20
_PROBE = 65536
_PROBES = 4
_MAX_ROTATED = 60
# A gzip member may be a thousand times as large unpacked: both input and output are bounded.
_PACKED = 64 << 20
_UNPACKED = 128 << 20
_SECONDS = 0.8
_SUFFIX = r"(?:[.-](?P<number>\d{1,3})|[.-](?P<date>\d{8}(?:[-_T.]?\d{2,10})?))"


@record()
class LogClock(Record):
    """The context for parsing a timestamp. now: the moment; zone: the node's."""

    now: datetime
    zone: tzinfo


def read_tail(
    root: Root, path: str, component: str, when: Sequence[Window], clock: LogClock, cap: int = CAP
) -> Log | None:
    """Return the parts of a log and of its rotated files within the windows, at most `cap` bytes; None: not
    readable or empty.

    An open window always has at least the file's last MiB: a clock that jumped does not hide the newest
    lines.
    """
    stat = root.stat(path)
    if stat is None or not stat.st_size:
        return None
    pieces: list[LogPiece] = []
    for window in reversed(when):
        found, whole = _read_stretch(root, path, window, clock, cap // len(when))
        pieces += found
        left = cap // len(when) - sum(len(p.data) for p in found)
        if not whole and left > 0:
            pieces += _read_rotated(root, path, window, clock, left)
    pieces = [p for p in pieces if p.data or p.cut]
    return Log(component, tuple(reversed(pieces)), clock.zone) if any(p.data for p in pieces) else None


def list_rotated(root: Root, path: str) -> list[str]:
    """Return earlier files of this log, newest first."""
    directory, _, name = path.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    base = re.escape(name) + _SUFFIX
    form = re.compile(
        rf"(?:{base}|{re.escape(stem)}-(?P<dated>\d{{8}}(?:[-_T]?\d{{2,10}})?){re.escape(dot + ext)})"
        r"(?:\.gz)?"
    )
    found = [(m, n) for n in root.names(directory or "/") or () if n != name and (m := form.fullmatch(n))]
    by_number = sorted(((int(m["number"]), n) for m, n in found if m["number"]))
    by_date = sorted(((m["date"] or m["dated"], n) for m, n in found if not m["number"]), reverse=True)
    return [f"{directory}/{n}" for _, n in (*by_date, *by_number)][:_MAX_ROTATED]


def _read_rotated(root: Root, path: str, window: Window, clock: LogClock, cap: int) -> list[LogPiece]:
    """Return pieces of the rotated files, newest first, back to the file with the start of the window."""
    out: list[LogPiece] = []
    for name in list_rotated(root, path):
        begins = _find_first_stamp(root, name, clock)
        if begins is None or cap <= 0:
            break
        if window.end is not None and begins > window.end:
            continue
        if name.endswith(".gz"):
            found = _read_packed(root, name, window, clock, cap)
        else:
            found, _ = _read_stretch(root, name, window, clock, cap, at_least=0)
        out += found
        cap -= sum(len(p.data) for p in found)
        if begins <= window.start:
            break
    return out


def _find_first_stamp(root: Root, path: str, clock: LogClock) -> datetime | None:
    data = root.data(path, _PROBE)
    if data and path.endswith(".gz"):
        data = _inflate_head(data)
    return stamp_in(data, clock.now, clock.zone, partial=False) if data else None


def _inflate_head(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(data, _PROBE)
    except zlib.error:
        return b""


def _read_stretch(
    root: Root, path: str, window: Window, clock: LogClock, cap: int, at_least: int = _AT_LEAST
) -> tuple[list[LogPiece], bool]:
    """Return a plain file's lines of the window, and whether the file reaches back to its start."""
    stat = root.stat(path)
    if stat is None or not stat.st_size or cap <= 0:
        return [], False
    size = stat.st_size
    start = _find_offset(root, path, size, window.start, clock)
    first = _find_first_stamp(root, path, clock) if start == 0 else None
    if first and window.end and first > window.end:
        return [], False
    end = size
    if window.end is not None:
        end = min(size, _find_offset(root, path, size, window.end, clock) + _PROBE)
        if window.middle is not None and end - start > cap:
            start = max(start, _find_offset(root, path, size, window.middle, clock) - cap // 4)
        end = min(end, start + cap)
    else:
        start = max(min(start, max(0, size - at_least)), size - cap, 0)
    inside = start > 0
    if inside:
        start = _line_after(root, path, start, end)
    data = root.data(path, end - start, start) if end > start else b""
    if not data:
        return [], inside
    whole = inside or (first is not None and first <= window.start)
    if end < size and (cut := data.rfind(b"\n") + 1):
        data = data[:cut]
    if (
        window.end is None
        and not at_least
        and (last := last_stamp(data, clock.now, clock.zone))
        and last < window.start
    ):
        return [], whole
    return [LogPiece(path, data, cache(partial(_read_line_at, root, path, start)))], whole


def _line_after(root: Root, path: str, start: int, end: int) -> int:
    """Return the beginning of the first whole line at or after `start`; `start` itself if no line ends in
    between.
    """
    at = start
    while at < end and (part := root.data(path, min(_PROBE, end - at), at)):
        if cut := part.find(b"\n") + 1:
            return at + cut
        at += len(part)
    return start


def _find_offset(root: Root, path: str, size: int, moment: datetime, clock: LogClock) -> int:
    """Return a place before the first line of that moment and not far from it; stamps that are missing
    move it towards the beginning.
    """
    low, high = 0, size
    while high - low > _PROBE:
        middle = (low + high) // 2
        place, at = _stamp_after(root, path, middle, high, clock)
        if at is None or place >= high or at >= moment:
            high = middle
        else:
            low = place
    return low


def _stamp_after(
    root: Root, path: str, offset: int, high: int, clock: LogClock
) -> tuple[int, datetime | None]:
    for _ in range(_PROBES):
        data = root.data(path, _PROBE, offset)
        if not data or offset >= high:
            break
        if at := stamp_in(data, clock.now, clock.zone):
            return offset, at
        offset += _PROBE // 2
    return offset, None


def _read_line_at(root: Root, path: str, offset: int) -> int | None:
    """Return the number of the line that begins there, where counting is cheap."""
    if offset > _COUNTED:
        return None
    count = at = 0
    while at < offset:
        part = root.data(path, min(8 << 20, offset - at), at)
        if not part:
            return None
        count += part.count(b"\n")
        at += len(part)
    return count + 1


def _read_packed(root: Root, path: str, window: Window, clock: LogClock, cap: int) -> list[LogPiece]:
    """Return a gzipped file's lines in the window, within the bounds; damaged data ends it."""
    kept: list[bytes] = []
    number: int | None = None
    size = lines = 0
    unpacking = _GzipReader(root, path)
    passed = False
    for block in _blocks(unpacking.parts()):
        begins = stamp_in(block, clock.now, clock.zone, partial=False)
        if begins and window.end is not None and begins > window.end:
            passed = True
            break
        ends = last_stamp(block, clock.now, clock.zone)
        if ends is None or ends >= window.start:
            number = lines + 1 if number is None else number
            kept.append(block)
            size += len(block)
            while size > cap:
                gone = kept.pop(0)
                number, size = number + gone.count(b"\n"), size - len(gone)
        lines += block.count(b"\n")
    cut = not (passed or unpacking.ended)
    return [LogPiece(path, b"".join(kept), number, cut)] if kept or cut else []


def _blocks(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield whole lines, about a MiB at a time; a longer run without a line end is not a line, and left
    out.
    """
    rest = b""
    for part in parts:
        rest += part
        if cut := rest.rfind(b"\n") + 1:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _CHUNK:
            rest = b""
    if rest:
        yield rest


class _GzipReader:
    """Unpacks a gzipped file. ended: its end was reached; not so if it is damaged or too large."""

    def __init__(self, root: Root, path: str) -> None:
        self.root = root
        self.path = path
        self.ended = False

    def parts(self) -> Iterator[bytes]:
        """Yield its text, a MiB at a time at most."""
        unpack = zlib.decompressobj(31)
        packed = b""
        between = True
        out = read = 0
        # Processor time, not wall-clock time: a busy machine should read as much as an idle one.
        end = time.thread_time() + _SECONDS
        while out < _UNPACKED and time.thread_time() < end:
            if not packed and read < _PACKED:
                packed = self.root.data(self.path, 256 << 10, read) or b""
                read += len(packed)
            if not packed and between:
                self.ended = read < _PACKED
                return
            try:
                part = unpack.decompress(packed, _CHUNK)
            except zlib.error:
                return
            if not (packed or part or unpack.eof):
                return
            packed, between = unpack.unconsumed_tail, unpack.eof
            if between:
                # gzip files that were joined are one file.
                packed, unpack = unpack.unused_data, zlib.decompressobj(31)
            out += len(part)
            if part:
                yield part
