"""Log files, the rotated ones before them too: only the stretch that lies in the time in question is read, whatever their size.

Names: logrotate(8) (`x.log.1`, `x.log.2.gz`, `x.log-20261120`, `x-20261120.log` with `extension`).
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from unstuck.collect.node.logs.log import Log, Piece, Window, last_stamp, stamp_in
from unstuck.collect.node.root import Root

CAP = 24 << 20
_AT_LEAST = 1 << 20
_COUNTED = 64 << 20
_CHUNK = 1 << 20
_PROBE = 65536
_PROBES = 4
_MAX_ROTATED = 60
# A gzip member may be a thousand times as large when it is taken apart: what goes in and what comes out are both bounded.
_PACKED = 64 << 20
_UNPACKED = 128 << 20
_SECONDS = 0.8
_SUFFIX = r"(?:[.-](?P<number>\d{1,3})|[.-](?P<date>\d{8}(?:[-_T.]?\d{2,10})?))"


@dataclass(frozen=True, slots=True)
class Clock:
    """What a stamp is read with. now: the moment; zone: the node's."""

    now: datetime
    zone: tzinfo


def tail(root: Root, path: str, component: str, when: Sequence[Window], clock: Clock, cap: int = CAP) -> Log | None:
    """The stretches of a log and of its rotated files that lie in the windows, at most `cap` bytes; None: not readable or empty.

    An open window always has at least the file's last MiB: a clock that jumped does not hide what was written last.
    """
    stat = root.stat(path)
    if stat is None or not stat.st_size:
        return None
    pieces: list[Piece] = []
    for window in reversed(when):
        found, whole = _stretch(root, path, window, clock, cap // len(when))
        pieces += found
        left = cap // len(when) - sum(len(p.data) for p in found)
        if not whole and left > 0:
            pieces += _from_rotated(root, path, window, clock, left)
    pieces = [p for p in pieces if p.data]
    return Log(component, tuple(reversed(pieces)), clock.zone) if pieces else None


def rotated(root: Root, path: str) -> list[str]:
    """Earlier files of this log, newest first."""
    directory, _, name = path.rpartition("/")
    stem, dot, ext = name.rpartition(".")
    base = re.escape(name) + _SUFFIX
    form = re.compile(rf"(?:{base}|{re.escape(stem)}-(?P<dated>\d{{8}}(?:[-_T]?\d{{2,10}})?){re.escape(dot + ext)})(?:\.gz)?")
    found = [(m, n) for n in root.names(directory or "/") or () if n != name and (m := form.fullmatch(n))]
    by_number = sorted(((int(m["number"]), n) for m, n in found if m["number"]))
    by_date = sorted(((m["date"] or m["dated"], n) for m, n in found if not m["number"]), reverse=True)
    return [f"{directory}/{n}" for _, n in (*by_date, *by_number)][:_MAX_ROTATED]


def _from_rotated(root: Root, path: str, window: Window, clock: Clock, cap: int) -> list[Piece]:
    """Newest first, until one begins before the window."""
    out: list[Piece] = []
    for name in rotated(root, path):
        begins = _first(root, name, clock)
        if begins is None or cap <= 0:
            break
        if window.end is not None and begins > window.end:
            continue
        if name.endswith(".gz"):
            piece = _unpacked(root, name, window, clock, cap)
            found = [piece] if piece and piece.data else []
        else:
            found, _ = _stretch(root, name, window, clock, cap, at_least=0)
        out += found
        cap -= sum(len(p.data) for p in found)
        if begins <= window.start:
            break
    return out


def _first(root: Root, path: str, clock: Clock) -> datetime | None:
    data = root.data(path, _PROBE)
    if data and path.endswith(".gz"):
        data = _inflate_head(data)
    return stamp_in(data, clock.now, clock.zone, partial=False) if data else None


def _inflate_head(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(data, _PROBE)
    except zlib.error:
        return b""


def _stretch(root: Root, path: str, window: Window, clock: Clock, cap: int, at_least: int = _AT_LEAST) -> tuple[list[Piece], bool]:
    """A plain file's lines of the window, and whether the file reaches back to its start."""
    stat = root.stat(path)
    if stat is None or not stat.st_size or cap <= 0:
        return [], False
    size = stat.st_size
    start = _offset(root, path, size, window.start, clock)
    first = _first(root, path, clock) if start == 0 else None
    if first and window.end and first > window.end:
        return [], False
    end = size
    if window.end is not None:
        end = min(size, _offset(root, path, size, window.end, clock) + _PROBE)
        if window.middle is not None and end - start > cap:
            start = max(start, _offset(root, path, size, window.middle, clock) - cap // 4)
        end = min(end, start + cap)
    else:
        start = max(min(start, max(0, size - at_least)), size - cap, 0)
    data = root.data(path, end - start, start) if end > start else b""
    if not data:
        return [], start > 0
    whole = start > 0 or (first is not None and first <= window.start)
    if start > 0:
        cut = data.find(b"\n") + 1
        start, data = start + cut, data[cut:]
    if end < size and (cut := data.rfind(b"\n") + 1):
        data = data[:cut]
    if window.end is None and not at_least and (last := last_stamp(data, clock.now, clock.zone)) and last < window.start:
        return [], whole
    return [Piece(path, data, _line_at(root, path, start))], whole


def _offset(root: Root, path: str, size: int, moment: datetime, clock: Clock) -> int:
    """A place before the first line of that moment and not far from it; stamps that are missing move it towards the beginning."""
    low, high = 0, size
    while high - low > _PROBE:
        middle = (low + high) // 2
        place, at = _stamp_after(root, path, middle, high, clock)
        if at is None or place >= high or at >= moment:
            high = middle
        else:
            low = place
    return low


def _stamp_after(root: Root, path: str, offset: int, high: int, clock: Clock) -> tuple[int, datetime | None]:
    for _ in range(_PROBES):
        data = root.data(path, _PROBE, offset)
        if not data or offset >= high:
            break
        if at := stamp_in(data, clock.now, clock.zone):
            return offset, at
        offset += _PROBE // 2
    return offset, None


def _line_at(root: Root, path: str, offset: int) -> int | None:
    """The number of the line that begins there, where counting is cheap."""
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


def _unpacked(root: Root, path: str, window: Window, clock: Clock, cap: int) -> Piece | None:
    """A gzipped file's lines of the window, as far as its bounds reach; what is damaged ends it."""
    kept: list[bytes] = []
    number: int | None = None
    size = lines = 0
    for block in _blocks(root, path):
        begins = stamp_in(block, clock.now, clock.zone, partial=False)
        if begins and window.end is not None and begins > window.end:
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
    return Piece(path, b"".join(kept), number) if kept else None


def _blocks(root: Root, path: str) -> Iterator[bytes]:
    """Whole lines of a gzipped file, about a MiB at a time; what has no end within that is no line, and left out."""
    rest = b""
    for part in _parts(root, path):
        rest += part
        if cut := rest.rfind(b"\n") + 1:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _CHUNK:
            rest = b""
    if rest:
        yield rest


def _parts(root: Root, path: str) -> Iterator[bytes]:
    unpack = zlib.decompressobj(31)
    packed = b""
    out = read = 0
    end = time.monotonic() + _SECONDS
    while out < _UNPACKED and time.monotonic() < end:
        if not packed and read < _PACKED:
            packed = root.data(path, 256 << 10, read) or b""
            read += len(packed)
        if not packed:
            return
        try:
            part = unpack.decompress(packed, _CHUNK)
        except zlib.error:
            return
        packed = unpack.unconsumed_tail
        if unpack.eof:
            # gzip files that were joined are one file.
            packed, unpack = unpack.unused_data, zlib.decompressobj(31)
        out += len(part)
        if part:
            yield part
