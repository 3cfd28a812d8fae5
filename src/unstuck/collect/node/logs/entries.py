"""Finds the entries of a log that hold given identifiers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from unstuck.collect.node.logs.log import Log, LogEntry, LogPiece
from unstuck.wording.klog import ECHO, KlogRecord, is_header, read_records

_MAX_ENTRIES = 20_000
_BACK = 8
# A message is read up to 16 KiB; the rest of a longer entry adds nothing.
_LONGEST = 64 << 10
_ECHO = ECHO.encode()


def find_entries(
    log: Log, needles: Sequence[bytes], now: datetime, most: int = _MAX_ENTRIES
) -> list[LogEntry]:
    """Return the entries that hold any of the needles, in order; at most the last `most`."""
    here = now.astimezone(log.zone)
    out: list[list[LogEntry]] = []
    left = most
    for piece in reversed(log.pieces):
        found = _find_in_piece(piece, needles, here, left)
        out.append(found)
        left -= len(found)
        if left <= 0:
            break
    return [f for found in reversed(out) for f in found]


def _find_in_piece(piece: LogPiece, needles: Sequence[bytes], here: datetime, most: int) -> list[LogEntry]:
    out: list[LogEntry] = []
    entries = list(_find_spans(piece.data, needles, most))
    # Counting the lines before a stretch of a long file costs as much as reading it.
    number, at = piece.first_line if entries else None, 0
    for start, end in entries:
        if number is not None:
            number += piece.data.count(b"\n", at, start)
            at = start
        raw = _blank_echo(piece.data[start : min(end, start + _LONGEST)])
        if not any(n in raw for n in needles):
            continue
        block = raw.decode("utf-8", "replace").split("\n")
        found = list(read_records(block, here)) or [KlogRecord(0, len(block), "\n".join(block), None, "")]
        out += [LogEntry(r, piece.where, None if number is None else number + r.index) for r in found]
    return out[-most:]


def _blank_echo(raw: bytes) -> bytes:
    """Blank lines that quote a piece of a log, so that the others keep their numbers."""
    if _ECHO not in raw:
        return raw
    return b"\n".join(b"" if line.startswith(_ECHO) else line for line in raw.split(b"\n"))


def _find_spans(data: bytes, needles: Sequence[bytes], most: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of every entry that holds a needle: from its first line to before the next
    entry's first line.
    """
    done = 0
    for at in sorted(at for n in needles if n for at in _find_places(data, n, most))[-most:]:
        if at < done:
            continue
        start = data.rfind(b"\n", 0, at) + 1
        for _ in range(_BACK):
            if start <= done or is_header(_line(data, start)):
                break
            start = data.rfind(b"\n", 0, start - 1) + 1
        end = _end_of_entry(data, at)
        yield max(start, done), end
        done = end + 1


def _find_places(data: bytes, needle: bytes, most: int) -> Iterator[int]:
    """Yield the places of the needle, the last first; `rfind` for each is many times faster than one
    pattern of all.
    """
    at = data.rfind(needle)
    while at >= 0 and most > 0:
        yield at
        most -= 1
        at = data.rfind(needle, 0, at)


def _end_of_entry(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    for _ in range(_BACK):
        if end < 0 or end + 1 >= len(data) or is_header(_line(data, end + 1)):
            break
        end = data.find(b"\n", end + 1)
    return len(data) if end < 0 else end


def _line(data: bytes, start: int) -> str:
    end = data.find(b"\n", start, start + 4096)
    return data[start : end if end >= 0 else start + 4096].decode("utf-8", "replace")
