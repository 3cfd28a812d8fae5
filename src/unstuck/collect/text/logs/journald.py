"""`journalctl -o json` and `-o export`: the same log, each entry put as the line that `-o short-iso` prints
of it.

Sources: systemd journal-fields(7), systemd.io/JOURNAL_EXPORT_FORMATS (a field with line breaks is binary
there and passed over).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.logs import node_log
from unstuck.facts.regex import regex

_FIELD = regex(r"^(?P<key>_{0,2}[A-Z][A-Z0-9_]{0,63})=(?P<value>.*)$")
_WORD = regex(r"[^\w.@/-]")


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of consecutive entries of one form."""
    line = lines[i]
    if _is_json(line):
        end = find_end_of_run(lines, i + 1, lambda line: _is_json(line) or not line.strip())
    elif line.startswith(("__CURSOR=", "__REALTIME_TIMESTAMP=")):
        end = find_end_of_run(lines, i + 1, lambda line: _FIELD.match(line) or not line.strip())
    else:
        return None
    while end > i + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _is_json(line: str) -> bool:
    return line.startswith("{") and '"__REALTIME_TIMESTAMP"' in line and line.rstrip().endswith("}")


def read(piece: Piece) -> Reading:
    """Read as `node_log` does; every entry keeps its line's number."""
    lines = [""] * len(piece.lines)
    for index, entry in _parse_entries(piece.lines):
        lines[index] = _format_line(entry)
    return node_log.read(replace(piece, lines=tuple(lines)))


def _parse_entries(lines: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield (index of the message, fields)."""
    open_: dict[str, Any] = {}
    at = 0
    for n, line in enumerate(lines):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield n, found
            continue
        field = _FIELD.match(line)
        if (field is None or field["key"] in open_) and open_:
            yield at, open_
            open_ = {}
        if field:
            open_[field["key"]] = field["value"]
            at = n if field["key"] == "MESSAGE" or len(open_) == 1 else at
    if open_:
        yield at, open_


def _format_line(entry: Mapping[str, Any]) -> str:
    """Format an entry as `2026-11-21T00:07:16.100000+00:00 HOST PROGRAM[PID]: MESSAGE`; "" if it has no
    time.
    """
    stamp = str(entry.get("_SOURCE_REALTIME_TIMESTAMP") or entry.get("__REALTIME_TIMESTAMP") or "")
    try:
        at = datetime.fromtimestamp(int(stamp[:18]) / 1e6, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    program = (
        _WORD.sub("-", str(entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "unknown"))[:64]
        or "unknown"
    )
    host = (
        _WORD.sub("-", str(entry.get("_HOSTNAME") or "")).replace("/", "-").replace("@", "-")[:253]
        or "localhost"
    )
    pid = str(entry.get("_PID") or entry.get("SYSLOG_PID") or "")
    shown = f"{program}[{pid}]" if pid.isdecimal() and len(pid) <= 10 else program
    return (
        f"{at.strftime('%Y-%m-%dT%H:%M:%S.%f')}+00:00 {host} {shown}: {_decode_message(entry.get('MESSAGE'))}"
    )


def _decode_message(given: object) -> str:
    """Return the message as text: a message that is not UTF-8 is given as a list of its bytes."""
    if isinstance(given, list):
        return bytes(
            b for b in given if isinstance(b, int) and not isinstance(b, bool) and 0 <= b < 256
        ).decode("utf-8", "replace")
    return given if isinstance(given, str) else ""
