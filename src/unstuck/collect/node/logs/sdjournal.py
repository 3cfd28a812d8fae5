"""Reads systemd's journal through systemd's own library, for a process that may not run journalctl
(`seccomp.py`) or has none.

Read in a copy of this process with a deadline, since a journal may be damaged, large, or on a disk that does
not answer. Source: sd_journal_open(3), sd_journal_add_match(3), sd_journal_seek_head(3), sd_journal_next(3),
sd_journal_get_data(3).
"""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TextIO

from unstuck.collect.node.look import settle
from unstuck.collect.node.look_starter import run_forked
from unstuck.facts.record import Record, record

_LIBRARY = "libsystemd.so.0"
_LARGEST = 1 << 20


@record()
class JournalQuery(Record):
    """One question. directory: of one machine's journals. since, until: seconds since 1970. matches: as
    journalctl takes them, "+" between.

    fields: the ones to keep. lines: at most this many, the newest. cap: bytes in all.
    """

    directory: str
    since: int
    until: int | None
    matches: Sequence[str]
    fields: Sequence[str]
    lines: int
    cap: int


@lru_cache(1)
def load_library() -> ctypes.CDLL | None:
    """Return the library, loaded; None if it is not installed."""
    try:
        lib = ctypes.CDLL(_LIBRARY)
    except OSError:
        return None
    journal, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    lib.sd_journal_open_directory.argtypes = (ctypes.POINTER(journal), text, ctypes.c_int)
    lib.sd_journal_add_match.argtypes = (journal, text, size)
    lib.sd_journal_set_data_threshold.argtypes = (journal, size)
    lib.sd_journal_seek_realtime_usec.argtypes = (journal, ctypes.c_uint64)
    lib.sd_journal_get_realtime_usec.argtypes = (journal, ctypes.POINTER(ctypes.c_uint64))
    lib.sd_journal_get_data.argtypes = (journal, text, ctypes.POINTER(journal), ctypes.POINTER(size))
    for name in ("add_disjunction", "seek_tail", "previous"):
        getattr(lib, f"sd_journal_{name}").argtypes = (journal,)
    return lib


def read_lines(query: JournalQuery, seconds: float) -> Iterator[bytes]:
    """Yield the output of `journalctl --output=json --reverse`. Raises TimeoutError when it was cut off,
    OSError if it cannot be read.
    """
    lib = load_library()
    if lib is None:
        raise FileNotFoundError(_LIBRARY)
    end = time.monotonic() + seconds
    yield from run_forked(lambda out: _write_entries(lib, query, end, out), seconds)


def _write_entries(lib: ctypes.CDLL, query: JournalQuery, end: float, out: TextIO) -> None:
    """Run as the copy."""
    settle()
    journal = ctypes.c_void_p()
    if lib.sd_journal_open_directory(ctypes.byref(journal), query.directory.encode(), 0) < 0:
        return
    lib.sd_journal_set_data_threshold(journal, _LARGEST)
    for match in query.matches:
        if match == "+":
            lib.sd_journal_add_disjunction(journal)
        else:
            lib.sd_journal_add_match(journal, match.encode(), len(match.encode()))
    if query.until is None:
        lib.sd_journal_seek_tail(journal)
    else:
        lib.sd_journal_seek_realtime_usec(journal, query.until * 1_000_000)
    left, cap = query.lines, query.cap
    at = ctypes.c_uint64()
    # An entry that cannot be read is left out: its file is damaged, or its compression unknown to this
    # library.
    while left > 0 and cap > 0 and time.monotonic() < end and lib.sd_journal_previous(journal) > 0:
        if lib.sd_journal_get_realtime_usec(journal, ctypes.byref(at)) < 0:
            continue
        if at.value < query.since * 1_000_000:
            return
        line = json.dumps(
            {
                "__REALTIME_TIMESTAMP": str(at.value),
                **{f: v for f in query.fields if (v := _read_field(lib, journal, f))},
            }
        )
        out.write(line + "\n")
        left, cap = left - 1, cap - len(line)


def _read_field(lib: ctypes.CDLL, journal: ctypes.c_void_p, name: str) -> str | list[int] | None:
    """Return a field in the form of journalctl's JSON: a text, or the numbers of its bytes."""
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    if lib.sd_journal_get_data(journal, name.encode(), ctypes.byref(data), ctypes.byref(size)) < 0:
        return None
    value = ctypes.string_at(data, size.value)[len(name) + 1 :]
    try:
        return value.decode()
    except UnicodeDecodeError:
        return list(value)
