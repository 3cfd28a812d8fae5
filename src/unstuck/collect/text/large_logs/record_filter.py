"""Filters the lines of a log by their bytes, a block at a time: some lines may be skipped unread, some of
each program must stay.

A line may be skipped if `logs` reads nothing from it: its level is info (klog's I, JSON klog with a `v`,
logrus' info and debug) and it contains neither "failed" nor "err"; or it contains none of the words of which
every failure's message has one. The input of `LogSeen` stays for each program: its first record, its last
one, and the first at each verbosity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unstuck.collect.text.large_logs.repeats import CONTAINERS, PID, STAMP, WHOSE, Repeats
from unstuck.collect.text.logs.words import CALM_WORDS, has_failure, make_finders, may_have_failure
from unstuck.wording.klog import VERBOSITY_OF

# Words in a record that its writer calls information and that reports a failure all the same (`logs` looks
# for these, too).
_SIGNS = tuple(word.encode() for word in CALM_WORDS)
# As `wording.klog` reads them, on bytes: a record that its own writer calls information.
_KLOG = rb"I\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9}+)?+\s{1,12}+\d{1,10}+ [\w./-]{1,200}+:\d{1,6}+\] ?+"
_LOGFMT = rb"time=\"[^\"\n]{10,40}\" level=(?:info|debug) msg="
_JSON = (
    rb"\{\"ts\":[\d.]{1,20},\"caller\":\"[^\"\\\n]*\",\"msg\":\"[^\"\\\n]*\",\"v\":[0-%d](?=[,}])[^\\\n]*\}(?=\n"
    rb"|\Z)"
)
_CALM = frozenset((b"info", b"debug"))
# Records in these forms always belong to the known program.
_FORMS = rb"[IWEF]\d{4} \d\d:|time=\"|\{\"ts\":|(?:TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\["
OF_A_PROGRAM = re.compile(STAMP + rb" (?P<whose>" + WHOSE + rb")" + PID + rb"(?P<form>" + _FORMS + rb")?")
# Removed from a line before it is read: a word may surround it.
_HIDDEN = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]|\xe2[\x80\x81]|\xef\xbb\xbf"
)
_HINTS = (b"\0", b"\x08", b"\x1b", b"\x7f")
_PLAIN = {b"klog": (b"\nI", b"\nW", b"\nE"), b"logfmt": (b'\ntime="',), b"json": (b'\n{"ts":',)}
_CALM_JSON = re.compile(_JSON % 9)
_V = re.compile(rb"\"v\":(\d)[,}]")
_LEVELS = [(words.encode(), level) for words, level in VERBOSITY_OF]
_ABOVE = {n: tuple(words for words, level in _LEVELS if level > n) for n in range(-1, 10)}
# Records of these files are read for more than failures.
_MORE = b"_controller.go:"
_HIGHEST = 9
_KERNEL = b" kernel"
_MOST, _OFTEN = 64, 50
_LONGEST = 64 << 10


@dataclass(slots=True)
class _Program:
    """A program of the log. level: the highest verbosity shown. last: (number, line) of the last skipped
    record.

    calm_lines, other_lines: the inspected lines of level info, and the lines in no form of klog's; once there
    are many, such records are skipped without inspection.
    """

    level: int = -1
    last: tuple[int, bytes] | None = None
    calm_lines: int = 0
    other_lines: int = 0


class RecordFilter:
    """Filters one run of records. hosted: a record without a journal's prefix is a node's, too."""

    def __init__(self, hosted: bool) -> None:
        self.hosted = hosted
        self._programs: dict[bytes, _Program] = {}
        self._calm: tuple[bytes, ...] = ()
        self._others: tuple[bytes, ...] = ()
        self._stale = True
        self._shape = self._foreign = re.compile(b"")

    @property
    def is_tracking(self) -> bool:
        """Whether facts about a program, or a node, depend on the end of this run."""
        return self.hosted or bool(self._programs)

    def find_telling(self, buf: bytes, start: int, stop: int) -> set[int]:
        """Return the beginnings of lines from `start` to `stop` that may hold facts. buf: whole lines, the
        end of one before.
        """
        if self._stale:
            self._compile_patterns()
        out = {found.start() + 1 for found in self._shape.finditer(buf, start - 1, stop - 1)}
        for sign in _SIGNS:
            at = buf.find(sign, start, stop)
            while at >= 0:
                out.add(buf.rfind(b"\n", 0, at) + 1)
                at = buf.find(sign, buf.find(b"\n", at), stop)
        if not buf.isascii() or any(hint in buf for hint in _HINTS):
            out |= {buf.rfind(b"\n", 0, found.start()) + 1 for found in _HIDDEN.finditer(buf, start, stop)}
        if self._others:
            out.update(self._find_with_words(buf, start, stop))
        return out

    def _find_with_words(self, buf: bytes, start: int, stop: int) -> Iterator[int]:
        """Yield the beginnings of other programs' records whose message has a word of a failure's."""
        find, done = make_finders(), start
        for _, at, _ in find.in_bytes(buf[start:stop].lower()) if find else ():
            if start + at < done:
                continue
            begin = buf.rfind(b"\n", 0, start + at) + 1
            found = self._foreign.match(buf, begin)
            if found and start + at < found.end():
                done = found.end()
                continue
            done = buf.find(b"\n", start + at)
            if found:
                yield begin

    def keeps_record(self, header: re.Match[bytes], lines: bytes, number: int, said: Repeats) -> bool:
        """Tell whether a record in one of klog's forms stays. said: the records before it."""
        _, whose, taken, severity, _, _, _, level, ts = header.groups()
        program = None
        if whose or self.hosted:
            key = whose or (b"" if taken else b"klog" if severity else b"json" if ts else b"logfmt")
            program = self._programs.get(key)
            if program is None:
                return self._register(key)
            if (
                level is None
                and (shown := _find_verbosity(lines, header.end() - header.start(), program.level))
                > program.level
            ):
                program.level, self._stale = shown, True
                return True
        calm = (
            severity == b"I"
            or level in _CALM
            or (ts is not None and bool(_CALM_JSON.match(lines, header.end() - header.start() - len(ts) - 7)))
        )
        if whose and whose.endswith(_KERNEL):
            return True
        if not calm or any(sign in lines for sign in _SIGNS):
            what = _keep_any if ts or _MORE in lines else has_failure if calm else may_have_failure
            stays = said.add(header, lines, number, what)
        else:
            stays = bool(_HIDDEN.search(lines))
        if not stays and program:
            program.last = (number, lines)
            if calm:
                program.calm_lines += 1
                self._stale = self._stale or program.calm_lines == _OFTEN
        return stays

    def keeps_other(self, found: re.Match[bytes], line: bytes, number: int) -> bool:
        """Tell whether a record of another form stays. found: the match of its program."""
        if found["form"] or make_finders() is None:
            return True
        whose = found["whose"]
        program = self._programs.get(whose)
        if program is None:
            return self._register(whose)
        said = line[found.end() - found.start() :]
        if whose.endswith(_KERNEL) or may_have_failure(said) or said.removeprefix(b'"').startswith(_ABOVE[0]):
            return True
        program.last = (number, line)
        program.other_lines += 1
        self._stale = self._stale or program.other_lines == _OFTEN
        return False

    def remember_last(self, buf: bytes, start: int, stop: int, number: int) -> None:
        """Remember the last line, from `start` to `stop`, of each program that is passed over. number: of
        the line at `stop`.
        """
        for whose in {*self._calm, *self._others}:
            program = self._programs[whose]
            at = _find_last(buf, whose, start, stop)
            if at < 0:
                program.calm_lines, program.other_lines, self._stale = 0, 0, True
            else:
                end = buf.find(b"\n", at)
                program.last = (number - buf.count(b"\n", at, stop), buf[at : min(end, at + _LONGEST)])

    def finish(self) -> list[tuple[int, bytes, int]]:
        """Return (number, line, 1) of the last record of each program; then another run begins."""
        out = [(*program.last, 1) for program in self._programs.values() if program.last]
        self._programs, self._calm, self._others, self._stale = {}, (), (), True
        return out

    def _register(self, key: bytes) -> bool:
        """Register a program. Its first record stays, as do all records of programs beyond the tracked
        number.
        """
        if key and len(self._programs) < _MOST:
            self._programs[key] = _Program()
        return True

    def _compile_patterns(self) -> None:
        """Compile the patterns for the next lines."""
        self._stale = False
        self._calm = tuple(k for k, p in self._programs.items() if p.calm_lines >= _OFTEN)
        self._others = tuple(k for k, p in self._programs.items() if p.other_lines >= _OFTEN)
        forms = [
            _journal_pattern(k, _calm_pattern(self._programs[k].level)) for k in self._calm if k not in _PLAIN
        ]
        foreign = [
            _journal_pattern(k, rb"(?!" + _FORMS + rb"|\"?(?:" + _any_of(_ABOVE[0]) + rb"))")
            for k in self._others
        ]
        if not self.hosted:
            forms.append(rb"(?:" + CONTAINERS + rb")?" + _calm_pattern(_HIGHEST))
        else:
            forms += [_calm_pattern(self._programs[k].level, k) for k in self._calm if k in _PLAIN]
        if foreign:
            self._foreign = re.compile(b"|".join(foreign))
        all_forms = [*forms, *foreign]
        self._shape = re.compile(rb"\n(?!" + b"|".join(all_forms) + rb")" if all_forms else rb"\n")


def _keep_any(_lines: bytes) -> bool:
    return True


def _journal_pattern(whose: bytes, form: bytes) -> bytes:
    return STAMP + b" " + re.escape(whose) + PID + form


def _calm_pattern(level: int, form: bytes = b"") -> bytes:
    """Return the pattern of records that their writer calls information and that show no verbosity above
    `level`.
    """
    above = _ABOVE[level]
    klog = _KLOG + (rb"(?!\"?(?:" + _any_of(above) + rb"))" if above else b"")
    forms = {b"klog": klog, b"logfmt": _LOGFMT, b"json": _JSON % max(level, 0) if level >= 0 else rb"(?!)"}
    return rb"(?:" + (forms[form] if form else b"|".join(forms.values())) + rb")"


def _any_of(words: Iterable[bytes]) -> bytes:
    return b"|".join(re.escape(word) for word in words)


def _find_verbosity(lines: bytes, at: int, known: int) -> int:
    """Return the verbosity that a record shows, but at least the known one. at: the end of klog's header."""
    if lines.startswith(b'"caller"', at):
        found = _V.search(lines, at)
        return int(found[1]) if found and int(found[1]) > known and _is_json(b"{" + lines[at:]) else known
    begin = lines.find(b"] ", at) + 2
    said = lines[begin + (lines[begin : begin + 1] == b'"') :]
    return (
        next(level for words, level in _LEVELS if said.startswith(words))
        if said.startswith(_ABOVE[known])
        else known
    )


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _find_last(buf: bytes, whose: bytes, start: int, stop: int) -> int:
    """Return the start of a program's last line; -1 for none."""
    if whose in _PLAIN:
        return max(buf.rfind(needle, start - 1, stop) + 1 or -1 for needle in _PLAIN[whose])
    best = -1
    for needle in (b" " + whose + b"[", b" " + whose + b": "):
        at = buf.rfind(needle, start, stop)
        while at >= 0 and at > best:
            begin = buf.rfind(b"\n", 0, at) + 1
            found = OF_A_PROGRAM.match(buf, begin)
            if found and found["whose"] == whose:
                best = max(best, begin)
                break
            at = buf.rfind(needle, start, at)
    return best
