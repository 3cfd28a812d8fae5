"""What the kubelet's, the runtime's log says about given identifiers: bounded, newest first, repetitions folded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from io import BytesIO
from zoneinfo import ZoneInfo

from unstuck.collect.node.children import lines_of
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.wording.klog import VERBOSITY_OF, Record, is_header, records
from unstuck.wording.match import failures

TAIL = 64 << 20
SPAN = timedelta(hours=1)
_CHUNK = 1 << 20
_COUNTED = 512 << 20
# A stamp, a host's name of at most 253, and the program.
_PREFIX = 320
_MAX_ENTRIES = 20_000
_MAX_DISTINCT = 500
_BACK = 8
# Numbers that change from one repetition to the next and mean nothing: times, durations, process ids, addresses.
_VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z| ?[+-]\d\d:?\d\d)?(?: [A-Z]{3,4})?|m=[+-][\d.]+"
    r"|\b(?:\d+(?:\.\d+)?(?:ns|µs|ms|s|m|h))+\b|0x[0-9a-f]+|(?<=[Pp]id[ =:])\d+|(?<=PID[ =:])\d+"
)


@dataclass(frozen=True, slots=True)
class Log:
    """The end of a log. where: a file of the node or a command. first_line: number of its first line, None where not counted."""

    component: str
    where: str
    data: bytes
    first_line: int | None = None
    zone: tzinfo = UTC

    @property
    def is_file(self) -> bool:
        """Whether `where` is a path."""
        return self.where.startswith("/")


@dataclass(frozen=True, slots=True)
class Found:
    """An entry of a log. line: where it begins in the file, None where lines are not counted."""

    record: Record
    line: int | None = None


def zone_of(root: Root) -> tzinfo:
    """The node's time zone, in which klog writes; UTC where it is not told."""
    data = root.data("/etc/localtime", 1 << 20)
    try:
        return ZoneInfo.from_file(BytesIO(data)) if data else UTC
    except (ValueError, EOFError, OSError):
        return UTC


def tail(root: Root, path: str, component: str, now: datetime, zone: tzinfo) -> Log | None:
    """The last hour of a log file, at most its last 64 MiB, read backwards; always at least its last MiB. None: not readable."""
    stat = root.stat(path)
    if stat is None or not stat.st_size:
        return None
    start = stat.st_size
    parts: list[bytes] = []
    while start > max(0, stat.st_size - TAIL):
        at = max(0, start - _CHUNK)
        part = root.data(path, start - at, at)
        if part is None:
            return None
        parts.append(part)
        start = at
        if (first := _first_time(part, now, zone)) and first < now - SPAN:
            break
    data = b"".join(reversed(parts))
    if start > 0:
        cut = data.find(b"\n") + 1
        start, data = start + cut, data[cut:]
    return Log(component, path, data, _line_at(root, path, start), zone)


def _first_time(part: bytes, now: datetime, zone: tzinfo) -> datetime | None:
    return _first_stamp(part[:65536].decode("utf-8", "replace").split("\n")[1:50], now, zone)


def _first_stamp(lines: Iterable[str], now: datetime, zone: tzinfo) -> datetime | None:
    """Klog's stamps are read in the zone of the moment they are compared with."""
    return next((r.at for line in lines for r in records([line], now.astimezone(zone)) if r.at), None)


def _line_at(root: Root, path: str, offset: int) -> int | None:
    if offset > _COUNTED:
        return None
    count = 0
    at = 0
    while at < offset:
        part = root.data(path, min(8 << 20, offset - at), at)
        if not part:
            return None
        count += part.count(b"\n")
        at += len(part)
    return count + 1


def syslog(root: Root, component: str, now: datetime, zone: tzinfo, usable: Callable[[str], bool]) -> Log | None:
    """A component's lines in the log that rsyslog writes of everything (CentOS and older Debian). usable: whether a path may be touched."""
    mark = f" {component}[".encode()
    for path in filter(usable, ("/var/log/messages", "/var/log/syslog")):
        log = tail(root, path, component, now, zone)
        lines = [line for line in log.data.split(b"\n") if mark in line[:_PREFIX]] if log else []
        if lines:
            return Log(component, path, b"\n".join(lines), None, zone)
    return None


def journal(root: Root, unit: str, now: datetime, zone: tzinfo, seconds: float = 1.5) -> Log | None:
    """The last hour of a unit from systemd's journal, by journalctl in a child; None where there is no journal or no entry."""
    directory = next((d for d in ("/var/log/journal", "/run/log/journal") if root.names(d)), None)
    if directory is None:
        return None
    argv = ["journalctl", f"--directory={root.real(directory)}", "--quiet", "--no-pager", "--output=json", "--lines=50000"]
    argv += [f"--since=@{int((now - SPAN).timestamp())}", "--output-fields=MESSAGE", f"_SYSTEMD_UNIT={unit}.service", "+", f"_COMM={unit}"]
    messages: list[bytes] = []
    # What came in time is used; `span` says how far it reaches.
    with suppress(TimeoutError, OSError):
        messages.extend(_message(line) for line in lines_of(argv, seconds=seconds, cap=TAIL))
    return Log(unit, f"journalctl -u {unit}", b"\n".join(messages), None, zone) if messages else None


def _message(line: bytes) -> bytes:
    """MESSAGE of one JSON line; journalctl gives what is no UTF-8 as a list of numbers."""
    try:
        message = json.loads(line).get("MESSAGE")
        return bytes(message) if isinstance(message, list) else str(message or "").encode()
    except (ValueError, AttributeError, TypeError, RecursionError):
        return b""


def naming(log: Log, needles: Sequence[bytes], now: datetime) -> list[Found]:
    """Entries in which any of the needles stands, whole, in order."""
    number, at = log.first_line, 0
    out = []
    for start, end in list(_lines(log.data, needles))[-_MAX_ENTRIES:]:
        if number is not None:
            number += log.data.count(b"\n", at, start)
            at = start
        block = log.data[start:end].decode("utf-8", "replace").split("\n")
        found = list(records(block, now.astimezone(log.zone))) or [Record(0, len(block), "\n".join(block), None, "")]
        out += [Found(r, None if number is None else number + r.index) for r in found]
    return out


def _lines(data: bytes, needles: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """(start, end) of every entry that holds a needle: from its first line to before the next entry's first line."""
    done = 0
    for at in sorted(at for n in needles if n for at in _places(data, n)):
        if at < done:
            continue
        start = data.rfind(b"\n", 0, at) + 1
        for _ in range(_BACK):
            if start <= done or is_header(_line(data, start)):
                break
            start = data.rfind(b"\n", 0, start - 1) + 1
        end = _end(data, at)
        yield max(start, done), end
        done = end + 1


def _places(data: bytes, needle: bytes) -> Iterator[int]:
    """Where it stands; `find` for each is many times faster than one pattern of all."""
    at = data.find(needle)
    while at >= 0:
        yield at
        at = data.find(needle, at + len(needle))


def _end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    for _ in range(_BACK):
        if end < 0 or end + 1 >= len(data) or is_header(_line(data, end + 1)):
            break
        end = data.find(b"\n", end + 1)
    return len(data) if end < 0 else end


def _line(data: bytes, start: int) -> str:
    end = data.find(b"\n", start, start + 4096)
    return data[start : end if end >= 0 else start + 4096].decode("utf-8", "replace")


def failures_in(found: Iterable[Found], log: Log, *, about: Ref, node: str) -> list[Failure]:
    """What these entries say failed, each kind once, with how often, its first and its last time."""
    folded: dict[str, tuple[Found, int, datetime | None]] = {}
    for one in found:
        message = one.record.message
        if one.record.severity == "I" and " err=" not in message and "failed" not in message.lower():
            continue
        key = _VARIES.sub("#", message)
        _, count, first = folded.get(key, (one, 0, one.record.at))
        folded[key] = (one, count + 1, first)
    out: dict[tuple[object, ...], Failure] = {}
    for one, count, first in list(folded.values())[-_MAX_DISTINCT:]:
        where = f"{node} {log.where}" + (f":{one.line}" if one.line is not None else "")
        src = Source(where, one.record.message.split("\n")[0][:300], one.record.at)
        for told in failures(one.record.message, about=about, src=src, reporter=log.component, count=count, first=first):
            f = replace(told, src=replace(src, quote=told.message)) if told.message else told
            key_ = (f.operation, f.error, f.path, f.object, f.key, f.host, f.container)
            out[key_] = _both(out[key_], f) if key_ in out else f
    return list(out.values())


def _both(a: Failure, b: Failure) -> Failure:
    """Two lines that say one thing: the later one, with both counts."""
    early, late = sorted((a, b), key=lambda f: (f.src.at is not None, f.src.at or datetime.min.replace(tzinfo=UTC)))
    first = min((f.first for f in (a, b) if f.first), default=None)
    return replace(late, count=early.count + late.count, first=first)


def verbosity_shown(log: Log) -> int | None:
    """The highest level that a line of the log proves; None where none does."""
    return max((level for words, level in VERBOSITY_OF if words.encode() in log.data), default=None)


def span(log: Log, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Times of the first and the last line that has one."""
    head = log.data[:65536].decode("utf-8", "replace").split("\n")
    end = log.data[-65536:].decode("utf-8", "replace").split("\n")[::-1]
    return _first_stamp(head[:200], now, log.zone), _first_stamp(end[:200], now, log.zone)
