"""Reads systemd's journal by journalctl in a child with a deadline: newest entries first, so that a cut loses
the oldest.

Source: journalctl(1), systemd.journal-fields(7), https://systemd.io/JOURNAL_EXPORT_FORMATS/ (JSON: binary
data is a list of numbers, a repeated field is a list, an oversized field is null unless `--all`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from unstuck.collect.node.children import read_lines
from unstuck.collect.node.logs import sdjournal
from unstuck.collect.node.logs.log import Window
from unstuck.collect.node.root import Root
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_header

PLACES = ("/var/log/journal", "/run/log/journal")
_LINES = 40_000
_CAP = 48 << 20
_LEAST = 0.05
_MACHINE = regex(r"^[0-9a-f]{32}$")
_FIELDS = (
    "MESSAGE",
    "_SYSTEMD_UNIT",
    "_COMM",
    "SYSLOG_IDENTIFIER",
    "_HOSTNAME",
    "_PID",
    "_TRANSPORT",
    "_SOURCE_MONOTONIC_TIMESTAMP",
)
_ENV = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC"}
# The writer, by the process' name, else by the unit (a shim's or a plugin's messages are filed under the
# daemon that started them).
_BY_COMM: Mapping[str, str] = {
    "kubelet": "kubelet",
    "hyperkube": "kubelet",
    "kubelite": "kubelet",
    "k3s-server": "kubelet",
    "k3s-agent": "kubelet",
    "containerd": "containerd",
    "docker-containe": "containerd",
    "dockerd": "dockerd",
    "dockerd-current": "dockerd",
    "crio": "crio",
}
_BY_UNIT: Mapping[str, str] = {
    "kubelet.service": "kubelet",
    "k3s.service": "kubelet",
    "k3s-agent.service": "kubelet",
    "rke2-server.service": "kubelet",
    "rke2-agent.service": "kubelet",
    "snap.microk8s.daemon-kubelite.service": "kubelet",
    "snap.microk8s.daemon-containerd.service": "containerd",
    "containerd.service": "containerd",
    "docker.service": "dockerd",
    "crio.service": "crio",
    "cri-o.service": "crio",
}


@record()
class JournalEntry(Record):
    """One message of the journal. at: when the journal received it. seconds: since the boot, for the
    kernel's own.
    """

    at: datetime | None
    component: str
    host: str
    program: str
    pid: str
    message: bytes
    seconds: float | None = None


def directories(root: Root) -> tuple[str, ...]:
    """Return the directories of this machine's journals, persistent ones first; other machines' journals
    may be beside them.
    """
    machine = (root.text("/etc/machine-id", 128) or "").strip()
    out = []
    for place in PLACES:
        names = [n for n in root.names(place) or () if _MACHINE.match(n)]
        own = [machine] if machine in names else names if len(names) == 1 else []
        out += [
            f"{place}/{n}"
            for n in own
            if any(f.endswith((".journal", ".journal~")) for f in root.names(f"{place}/{n}") or ())
        ]
    return tuple(out)


def is_readable() -> bool:
    """Tell whether this machine has a journalctl, or systemd's library."""
    import shutil  # loads every archive's library, and is needed only if nothing else was found

    return shutil.which("journalctl", path=_ENV["PATH"]) is not None or sdjournal.load_library() is not None


def read_components(root: Root, when: Iterable[Window], *, seconds: float = 2.0) -> list[JournalEntry]:
    """Return the messages of the kubelet and the runtimes in the windows, oldest first."""
    either: list[str] = []
    for key, names in (("_COMM", _BY_COMM), ("_SYSTEMD_UNIT", _BY_UNIT)):
        for name in names:
            either += ["+", f"{key}={name}"] if either else [f"{key}={name}"]
    return _read(root, list(when), either, seconds)


def read_kernel(root: Root, since: datetime, *, seconds: float = 1.0) -> list[JournalEntry]:
    """Return the kernel's messages."""
    return _read(root, [Window(since)], ["_TRANSPORT=kernel"], seconds)


def _read(root: Root, when: list[Window], matches: list[str], seconds: float) -> list[JournalEntry]:
    found: list[JournalEntry] = []
    end = time.monotonic() + seconds
    for directory in directories(root):
        for window in reversed(when):
            until = int(window.end.timestamp()) if window.end else None
            asked = sdjournal.JournalQuery(
                root.real(directory), int(window.start.timestamp()), until, matches, _FIELDS, _LINES, _CAP
            )
            found += _run_query(asked, end)
    # Both places may hold one entry; equal entries of one time, process and text are one.
    return sorted(dict.fromkeys(reversed(found)), key=lambda e: e.at or datetime.min.replace(tzinfo=UTC))


def _run_query(query: sdjournal.JournalQuery, end: float) -> list[JournalEntry]:
    argv = [
        "journalctl",
        f"--directory={query.directory}",
        "--quiet",
        "--no-pager",
        "--output=json",
        "--all",
        "--reverse",
    ]
    argv += [
        f"--lines={query.lines}",
        f"--since=@{query.since}",
        *([f"--until=@{query.until}"] if query.until is not None else []),
    ]
    # Before systemd 236 there was no such option; its entries are larger then.
    out: list[JournalEntry] = []
    for fields in ([f"--output-fields={','.join(query.fields)}"], []):
        if out or _seconds_left(end) < _LEAST:
            break
        try:
            out = _list_entries(
                read_lines(
                    [*argv, *fields, *query.matches], seconds=_seconds_left(end), cap=query.cap, env=_ENV
                )
            )
        except OSError:
            # journalctl may not be run (seccomp.py), or is missing.
            with suppress(OSError):
                return _list_entries(sdjournal.read_lines(query, _seconds_left(end)))
    return out


def _seconds_left(end: float) -> float:
    return max(0.0, end - time.monotonic())


def _list_entries(lines: Iterator[bytes]) -> list[JournalEntry]:
    """Return the entries that came in time; the log's span says how far they reach. Raises OSError if
    journalctl cannot run.
    """
    out: list[JournalEntry] = []
    with suppress(TimeoutError):
        out.extend(entry for line in lines if (entry := parse_entry(line)))
    return out


def parse_entry(line: bytes) -> JournalEntry | None:
    """Return one line of `journalctl -o json`; None for an invalid one, or one without a message."""
    try:
        doc = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(doc, dict):
        return None
    message = _as_bytes(doc.get("MESSAGE"))
    if not message:
        return None
    comm, unit, program = (_as_word(doc.get(k)) for k in ("_COMM", "_SYSTEMD_UNIT", "SYSLOG_IDENTIFIER"))
    kernel_said = _as_word(doc.get("_TRANSPORT")) == "kernel"
    component = "kernel" if kernel_said else _BY_COMM.get(comm) or _BY_UNIT.get(unit, "")
    micro, monotonic = (
        _parse_number(doc.get("__REALTIME_TIMESTAMP")),
        _parse_number(doc.get("_SOURCE_MONOTONIC_TIMESTAMP")),
    )
    return JournalEntry(
        _parse_moment(micro),
        component,
        _as_word(doc.get("_HOSTNAME")) or "localhost",
        program or comm or "unknown",
        _as_word(doc.get("_PID")),
        message,
        None if monotonic is None else monotonic / 1e6,
    )


def _as_bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").replace(b"\0", b"")
    if isinstance(value, list):
        if value and isinstance(value[0], int):
            with suppress(ValueError, TypeError):
                return bytes(value).replace(b"\0", b"")
            return b""
        return b"\n".join(filter(None, (_as_bytes(v) for v in value[:16] if isinstance(v, str))))
    return b""


def _as_word(value: object) -> str:
    """Return a field that is a single word; "" for anything else."""
    text = value[0] if isinstance(value, list) and value else value
    return text if isinstance(text, str) and _is_word(text) else ""


@lru_cache(4096)
def _is_word(text: str) -> bool:
    """Tell whether the text is short and plain enough to be cached: the same few names recur in every
    entry.
    """
    return re.fullmatch(r"[\w.@:\\/-]{1,255}", text) is not None


def _parse_number(value: object) -> int | None:
    text = value[0] if isinstance(value, list) and value else value
    return (
        int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 19 else None
    )


def _parse_moment(micro: int | None) -> datetime | None:
    if micro is None:
        return None
    with suppress(OverflowError):
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micro)
    return None


def format_entries(entries: Iterable[JournalEntry]) -> bytes:
    """Return the entries as journalctl's `short-iso` prints them; the lines of one message that was cut into
    several stay together.

    A program that writes several lines to its output at once has one entry for each of them.
    """
    return b"\n".join(_format_texts(entries))


def _format_texts(entries: Iterable[JournalEntry]) -> Iterator[bytes]:
    before: JournalEntry | None = None
    for e in entries:
        headed = is_header(e.message[:4096].split(b"\n")[0].decode("utf-8", "replace"))
        near = before is not None and e.pid and (e.pid, e.program) == (before.pid, before.program)
        near = (
            near
            and before is not None
            and e.at is not None
            and before.at is not None
            and e.at - before.at < timedelta(seconds=1)
        )
        if near and not headed:
            yield e.message
        else:
            at = (e.at or datetime.fromtimestamp(0, UTC)).isoformat(timespec="microseconds")
            yield f"{at} {e.host} {e.program}{f'[{e.pid}]' if e.pid else ''}: ".encode() + e.message
        before = e
