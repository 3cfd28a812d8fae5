"""Records of a log as bytes: finds mere repetitions of an earlier one.

Within one day and in the order of their timestamps, the first and the last of equal records hold everything
that those between them do, except their number: a failure is the later one's words, the earlier one's
beginning, and a count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# As `wording.klog` reads them, on bytes.
STAMP = (
    rb"(?:(?:[A-Z][a-z]{2}|\d{1,2}\xe6\x9c\x88) {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    rb"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,16})"
)
WHOSE = rb"[\w.-]{1,253} [\w.@/-]{1,64}"
PID = rb"(?:\[\d{1,10}\])?: "
CONTAINERS = (
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:(?:\.\d{1,9})?Z|\.\d{7,9}[+-]\d\d:\d\d) (?:std(?:out|err) [FP] )?"
)
# Divided into the changing part of a repeated record (time, the process' number) and the constant one.
HEADER = re.compile(
    rb"(?:(?P<journal>"
    + STAMP
    + rb") (?P<whose>"
    + WHOSE
    + rb")"
    + PID
    + rb"|(?P<taken>"
    + CONTAINERS
    + rb"))?"
    rb"(?:(?P<severity>[IWE])(?P<stamp>\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?)\s{1,12}\d{1,10} "
    rb"(?=[\w./-]{1,200}:\d{1,6}\])"
    rb"|time=\"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?P<zone>Z|[+-]\d\d:\d\d)\" level="
    rb"(?P<level>\w{3,8}) (?=msg=)"
    rb"|\{\"ts\":(?P<ts>\d{10,13}(?:\.\d{1,6})?),)"
)
# nestedpendingoperations.go writes when it may be tried again behind each failure; nothing is read from that.
_RETRY = re.compile(rb"No retries permitted until [^()\n]{10,120} \(durationBeforeRetry [\w.]{1,20}\)")
_LONGEST = 8192
# Limit in bytes for remembered records, with the overhead of each.
_ROOM, _EACH = 16 << 20, 600


@dataclass(slots=True)
class _Repetition:
    """A record that may be repeated. tells: whether it was kept. day, stamp, taken: of the last occurrence.

    number, lines: of the last dropped occurrence. times: the number of occurrences since one was kept.
    """

    tells: bool
    day: bytes
    stamp: bytes
    taken: bytes
    number: int = 0
    lines: bytes = b""
    times: int = 0


class Repeats:
    """The records so far, and how often each came. Of each run of the same record, its stamps in order,
    only the first is new.
    """

    def __init__(self) -> None:
        self._said: dict[tuple[bytes | None, ...], _Repetition] = {}
        self._done: list[tuple[int, bytes, int]] = []
        self._room = _ROOM

    def add(self, header: re.Match[bytes], lines: bytes, number: int, tells: Callable[[bytes], bool]) -> bool:
        """Add a record, and tell whether it must be kept now. number: its first line's. tells: whether such
        lines hold facts.
        """
        journal, whose, taken, severity, stamp, time, zone, level, ts = header.groups()
        words = lines[header.end() - header.start() :]
        if len(words) > _LONGEST or not words.isascii():
            return tells(lines)
        key = (
            whose,
            severity or level,
            zone,
            _RETRY.sub(b"", words) if b"durationBeforeRetry" in words else words,
        )
        if ts:
            # A number: with equal digits before the point, the order of the characters is theirs.
            day, stamp = b"%d" % len(ts.partition(b".")[0]), ts
        else:
            day, stamp = (stamp[:4], stamp) if stamp else (time[:10], time)
        taken = journal or taken or b""
        # Stamps of one offset from UTC are in the order of their signs.
        day += taken[19:].lstrip(b".0123456789") if taken.startswith(b"20") else b""
        said = self._said.get(key)
        if said is None:
            new = tells(lines)
            if self._room > 0:
                self._room -= len(words) + _EACH
                self._said[key] = _Repetition(new, day, stamp, taken)
            return new
        if not said.tells:
            return False
        in_order = day == said.day and stamp >= said.stamp and taken >= said.taken
        said.day, said.stamp, said.taken = day, stamp, taken
        if in_order:
            said.number, said.lines, said.times = number, lines, said.times + 1
            return False
        self._end_repetition(said)
        return True

    def flush(self) -> list[tuple[int, bytes, int]]:
        """Return (number of its first line, lines, how many since the first) of the last record of each
        run; all is new again.
        """
        for said in self._said.values():
            self._end_repetition(said)
        done, self._said, self._done, self._room = self._done, {}, [], _ROOM
        return done

    def _end_repetition(self, said: _Repetition) -> None:
        if said.times:
            self._done.append((said.number, said.lines, said.times))
        said.times, said.lines = 0, b""
