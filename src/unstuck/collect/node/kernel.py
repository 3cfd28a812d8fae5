"""The kernel's log: its ring buffer (klogctl), the journal, or the files that a syslog daemon writes of it.

Sources: syslog(2), printk-formats, dmesg(1); /dev/kmsg needs a device that containers are refused.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

from unstuck.collect.node.logs import LogClock, Window, journal, read_tail
from unstuck.collect.node.root import Root
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.wording.klog import parse_rfc3339, read_records

_FILES = ("/var/log/kern.log", "/var/log/messages", "/var/log/syslog")
# Written once at boot by a service of the distribution, or by the author of the recorded tree.
_DMESG = ("/proc/kmsg", "/var/log/dmesg")
_CAP = 8 << 20
_MAX_LINES = 60_000
_SPAN = timedelta(days=1)
_LONGEST = 1024
_PRINTK = regex(r"^(?:<\d{1,4}>)?\[ *(\d{1,10}\.\d{3,9})\](?:\[ *[TC]\d{1,8}\])? ?")
_DATED = regex(r"^\[([A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})\] ?")
_ISO = regex(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:?\d\d) ")


@record()
class KernelLine(Record):
    """One line. at: its time, computed from the boot's if it only gives seconds since then. seconds: since
    the boot.
    """

    text: str
    at: datetime | None = None
    seconds: float | None = None


@record()
class KernelLog(Record):
    """where: command or file. complete: it reaches from the boot to now."""

    lines: tuple[KernelLine, ...]
    where: str
    complete: bool = False

    @property
    def since(self) -> datetime | None:
        """The first time in it."""
        return next((line.at for line in self.lines if line.at), None)


def read_log(
    root: Root, boot: datetime | None, clock: LogClock, usable: Callable[[str], bool]
) -> KernelLog | None:
    """Return the running kernel's ring buffer, else the log files written from it since the boot; None if
    neither can be read.
    """
    text = read_ring() if root.live else None
    if text is not None:
        return _make_log(parse_lines(text, boot, clock), "dmesg", text[:4096])
    recorded = next(((t, p) for p in _DMESG if (root.live is False) and (t := root.text(p, _CAP))), None)
    first = list(parse_lines(recorded[0], boot, clock)) if recorded else []
    more, where = _read_files(root, boot, clock, usable)
    if not first and not more:
        return None
    seen = {(line.seconds, line.text) for line in first if line.seconds is not None}
    lines = [*first, *(line for line in more if (line.seconds, line.text) not in seen)]
    # A dmesg that the distribution wrote at boot ends there: only a recorded one covers everything.
    head = recorded[0][:4096] if recorded and recorded[1] == _DMESG[0] else ""
    return _make_log(lines, where if more else recorded[1] if recorded else where, head)


def _make_log(lines: Iterable[KernelLine], where: str, head: str) -> KernelLog:
    return KernelLog(tuple(lines)[-_MAX_LINES:], where, "[    0.000000]" in head)


def _read_files(
    root: Root, boot: datetime | None, clock: LogClock, usable: Callable[[str], bool]
) -> tuple[list[KernelLine], str]:
    """Return lines since the boot from the journal or a syslog daemon's file, whichever has some."""
    since = max(clock.now - _SPAN, boot - timedelta(minutes=1)) if boot else clock.now - _SPAN
    if all(map(usable, journal.PLACES)) and (entries := journal.read_kernel(root, since)):
        lines = [
            KernelLine(line[:_LONGEST], e.at, e.seconds)
            for e in entries
            for line in _text(e.message).split("\n")
        ]
        return lines, "journalctl _TRANSPORT=kernel"
    for path in filter(usable, _FILES):
        log = read_tail(root, path, "kernel", [Window(since)], clock, _CAP)
        text = "\n".join(_text(p.data) for p in log.pieces) if log else ""
        lines = [
            k
            for k in parse_lines(text, boot, clock, only_named=path != _FILES[0])
            if k.at is None or k.at >= since
        ]
        if lines:
            return lines, path
    return [], ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def parse_lines(
    text: str, boot: datetime | None, clock: LogClock, *, only_named: bool = False
) -> Iterator[KernelLine]:
    """Yield the lines of a kernel log in any of its forms. only_named: leave out lines that do not name
    the kernel as their writer.
    """
    here = clock.now.astimezone(clock.zone)
    before: KernelLine | None = None
    for line in text.split("\n")[-_MAX_LINES:]:
        one = _parse_line(line[:_LONGEST], boot, here, only_named)
        if one is None and before is not None and not only_named and line.strip():
            one = KernelLine(line[:_LONGEST], before.at, before.seconds)
        if one is not None:
            before = one
            yield one


def _parse_line(line: str, boot: datetime | None, here: datetime, only_named: bool) -> KernelLine | None:
    if not only_named:
        if found := _PRINTK.match(line):
            seconds = float(found[1])
            return KernelLine(line[found.end() :], _add_to_boot(boot, seconds), seconds)
        if found := _DATED.match(line):
            return KernelLine(line[found.end() :], _parse_dated(found[1], here))
        if found := _ISO.match(line):
            return KernelLine(line[found.end() :], parse_rfc3339(found[1].replace(",", ".")))
    record = next(iter(read_records([line], here)), None)
    if record is None or record.program != "kernel":
        return None
    inner = _PRINTK.match(record.message)
    return KernelLine(
        record.message[inner.end() :] if inner else record.message,
        record.at,
        float(inner[1]) if inner else None,
    )


def _add_to_boot(boot: datetime | None, seconds: float) -> datetime | None:
    try:
        return boot + timedelta(seconds=seconds) if boot else None
    except OverflowError:
        return None


def _parse_dated(text: str, here: datetime) -> datetime | None:
    """Return `dmesg -T`: in the node's zone."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").replace(tzinfo=here.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_ring() -> str | None:
    """Read the ring buffer by klogctl(3), SYSLOG_ACTION_SIZE_BUFFER and _READ_ALL; None if that is not
    permitted.
    """
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        size = libc.klogctl(10, None, 0)
        if not 0 < size <= 64 << 20:
            return None
        buffer = ctypes.create_string_buffer(size)
        got = libc.klogctl(3, buffer, size)
    except (OSError, AttributeError):
        return None
    return buffer.raw[:got].decode("utf-8", "replace") if got >= 0 else None
