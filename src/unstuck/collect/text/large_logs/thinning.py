"""Thins a large log as a stream: lines without facts are dropped and repeated ones held once, before anything
else reads it.

Records of level info that report no failure are skipped, a block at a time: `logs` would skip them, too. Of
equal records only the first and the last are kept (`records`), and of each program always its first and its
last record: these give the log's period. Line numbers stay those of the file.
"""

from __future__ import annotations

import re
from array import array
from typing import Protocol

from unstuck.collect.text.cutting.piece import Origin
from unstuck.collect.text.cutting.split import parse_command
from unstuck.collect.text.large_logs.record_filter import OF_A_PROGRAM, RecordFilter
from unstuck.collect.text.large_logs.repeats import HEADER, Repeats
from unstuck.collect.text.logs.node_log import CONTINUES
from unstuck.wording.klog import is_header

FROM = 2 << 20
_CHUNK = 1 << 20
_LONGEST = 64 << 10
_LOOKED_AT = 20
_MOST_LINES = 64
# Bytes to inspect at once in a log with many short runs of records.
_MANY_RUNS, _SHORT = 20, 64 << 10
# This many lines of a run may belong to the part before it (a table's last row), and stay.
_NEXT = 8
_BEGINS = re.compile(
    rb"[IWEF]\d{4} \d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT\d\d:|time=\"|\{\"ts\":"
    rb"|\d{1,2}\xe6\x9c\x88 "
)
# A goroutine may be a waiting one: it does not belong to the record above it.
_CONTINUES = (*(c.encode() for c in CONTINUES if not c.startswith("goroutine")), b"\n")


class Stream(Protocol):
    """A source of bytes with `read(n)`: at most n bytes, none at the end."""

    def read(self, size: int, /) -> bytes:
        """Return at most this many bytes."""


def is_log(head: bytes) -> bool:
    """Tell whether nearly all first lines of a file are log records."""
    lines = [line for line in head.decode("utf-8", "replace").split("\n")[:_LOOKED_AT] if line.strip()]
    return len(lines) > 3 and 10 * sum(map(is_header, lines)) >= 8 * len(lines)


def thin(head: bytes, stream: Stream, most: int, *, hosted: bool = False) -> tuple[str, Origin, bool]:
    """Return (the lines that may hold facts, their origin, whether they exceeded `most` bytes, so the rest is
    left out).

    head: the bytes already read of the stream. hosted: the log's node is known.
    """
    sieve = _Sieve(most, hosted)
    rest, data = b"\n" + head, stream.read(_CHUNK)
    while data and not sieve.full:
        held = rest + data
        cut, whole = _find_boundary(held)
        # A line without an end is not held: it would be cut to the same length later.
        rest = held[cut : held.rfind(b"\n") + _LONGEST]
        if cut:
            sieve.add(held[: cut + 1], whole=whole)
        data = stream.read(_CHUNK)
    if not sieve.full:
        sieve.add(rest + b"\n", final=True)
    return sieve.result()


def _find_boundary(held: bytes) -> tuple[int, bool]:
    """Return the newline to cut at, and whether it ends a record: the one before the last record, else the
    last one.
    """
    cut = at = held.rfind(b"\n")
    for _ in range(_MOST_LINES):
        if at < 0 or cut - at > _LONGEST:
            break
        if _BEGINS.match(held, at + 1):
            return at, True
        at = held.rfind(b"\n", 0, at)
    return cut, False


class _Sieve:
    """Collects the lines that stay. full: more of them came than may be held."""

    def __init__(self, most: int, hosted: bool) -> None:
        self.full = False
        self._kept: list[tuple[int, bytes, int]] = []
        self._repeats = Repeats()
        self._filter = RecordFilter(hosted)
        self._left = most
        self._number = 1
        self._runs = 0
        self._whole = self._final = False
        self._next = 1

    def add(self, buf: bytes, *, whole: bool = True, final: bool = False) -> None:
        """Take whole lines, with the end of the line before them. whole: nothing continues after them.
        final: they are the last ones.
        """
        self._whole, self._final = whole, final
        at = 1
        while at < len(buf) and not self.full:
            at = self._read_stretch(buf, at)

    def result(self) -> tuple[str, Origin, bool]:
        """Return the result of `thin`."""
        self._end_run()
        self._kept.sort(key=lambda k: (k[0], -len(k[1])))
        numbers, times, texts = array("Q"), dict[int, int](), list[bytes]()
        for number, text, often in self._kept:
            if numbers and number <= numbers[-1]:
                continue  # the last line of a program, which stayed for another reason, too
            if often > 1:
                times[len(numbers) + 1] = often
            numbers.extend(range(number, number + text.count(b"\n") + 1))
            texts.append(text)
        return b"\n".join(texts).decode("utf-8", "replace"), Origin(numbers, times), self.full

    def _read_stretch(self, buf: bytes, begin: int) -> int:
        """Read lines from `begin` on, not beyond the end of a run of records; return the beginning of the
        next ones.
        """
        size = len(buf)
        if self._next:
            return self._keep_first(buf, begin)
        stop = (buf.find(b"\n", begin + _SHORT) + 1 if self._runs > _MANY_RUNS else 0) or size
        done = counted = begin
        number = self._number
        tells = self._filter.find_telling(buf, begin, stop)
        # The end of the last run.
        tells |= {buf.rfind(b"\n", 0, size - 1) + 1} if self._final else set()
        for start in sorted(tells):
            if start < done or start >= stop:
                continue
            at, header = start, HEADER.match(buf, start)
            other = None if header else OF_A_PROGRAM.match(buf, start)
            goes_on = not (header or other or _BEGINS.match(buf, start))
            if goes_on:
                # The beginning of a continued record may have been skipped: a message of several lines stays
                # whole.
                at = max(done, buf.rfind(b"\n", 0, start - 1) + 1)
                header = HEADER.match(buf, at)
            number += buf.count(b"\n", counted, at)
            counted = at
            done = buf.find(b"\n", at) + 1
            if not (header or other):
                done = 0
            elif done >= size or not _BEGINS.match(buf, done):
                done = _end_of_record(buf, done, self._whole)
            if done and not (self._final and done == size):
                self._read_record(header, other, buf[at : done - 1], number)
                continue
            ended = not done
            done = buf.find(b"\n", start) + 1
            line = buf[start : min(done - 1, start + _LONGEST)].decode("utf-8", "replace")
            ended = ended and (goes_on or not (header or other or is_header(line)))
            # Nothing is left out near lines that are no record of this log: the beginning and end of a run of
            # records do not move.
            while goes_on and done < size:
                goes_on = not _BEGINS.match(buf, done)
                done = buf.find(b"\n", done) + 1
            if ended:
                done, self._next = _skip_lines(buf, done, _NEXT)
            self._keep(number, buf[at : done - 1])
            if ended and self._end_run_at(buf, begin, at, number, done):
                stop = done
                break
        else:
            stop = max(stop, done)
            self._filter.remember_last(buf, begin, stop, number + buf.count(b"\n", counted, stop))
        self._number = number + buf.count(b"\n", counted, stop)
        return stop

    def _keep_first(self, buf: bytes, begin: int) -> int:
        """Keep the first lines of a run of records: some may belong to the part before it."""
        end, self._next = _skip_lines(buf, begin, self._next)
        self._filter.hosted = self._filter.hosted or _names_host(buf[begin:end])
        self._keep(self._number, buf[begin : end - 1])
        self._number += buf.count(b"\n", begin, end)
        return end

    def _read_record(
        self, header: re.Match[bytes] | None, other: re.Match[bytes] | None, lines: bytes, number: int
    ) -> None:
        if header:
            stays = self._filter.keeps_record(header, lines, number, self._repeats)
        else:
            stays = other is None or self._filter.keeps_other(other, lines, number)
        if stays:
            self._keep(number, lines)

    def _end_run_at(self, buf: bytes, begin: int, at: int, number: int, end: int) -> bool:
        """End the run of records at this line if necessary, and tell whether its lines must be checked
        again.
        """
        self._filter.remember_last(buf, begin, at, number)
        tracks = self._filter.is_tracking
        self._end_run()
        self._filter.hosted = self._filter.hosted or _names_host(buf[at:end])
        return tracks or self._filter.hosted

    def _end_run(self) -> None:
        self._kept += [*self._repeats.flush(), *self._filter.finish()]
        self._runs += 1

    def _keep(self, number: int, lines: bytes) -> None:
        self._left -= len(lines) + 1
        if self._left < 0:
            self.full = True
        else:
            cut = (
                lines
                if len(lines) <= _LONGEST
                else b"\n".join(line[:_LONGEST] for line in lines.split(b"\n"))
            )
            self._kept.append((number, cut, 1))


def _names_host(lines: bytes) -> bool:
    """Tell whether a prompt in these lines names the node."""
    shown = (parse_command(line[:_LONGEST].decode("utf-8", "replace")) for line in lines.split(b"\n"))
    return any(command is not None and command.host for command in shown)


def _skip_lines(buf: bytes, at: int, lines: int) -> tuple[int, int]:
    """Skip this many lines; return (the beginning of the next one, how many lines were missing)."""
    while lines and at < len(buf):
        at, lines = buf.find(b"\n", at) + 1, lines - 1
    return at, lines


def _end_of_record(buf: bytes, end: int, whole: bool) -> int:
    """Return the end of a record whose first line ends here; 0 if something else follows, or may follow.
    whole: nothing follows.
    """
    for _ in range(_MOST_LINES):
        if end >= len(buf):
            return end if whole else 0
        if _BEGINS.match(buf, end):
            return end
        if not buf.startswith(_CONTINUES, end):
            return 0
        end = buf.find(b"\n", end) + 1
    return 0
