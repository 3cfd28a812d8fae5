"""Joins records that span several lines: JSON printed with indentation, logfmt fields below their message, an
event's row above its message.

Each form shows its own continuation, so no line needs a known meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from unstuck.collect.text.cutting.ages import AGE
from unstuck.facts.regex import regex

_MOST, _MOST_OF_JSON = 24, 64
# zap, logrus, slog, winston, structlog: the keys of a record's severity, and of its message.
_LEVELS = ("level", "severity", "lvl", "levelname")
_WORDS = ("msg", "message")
# Frames of a stack say nothing about why, and are longer than all the rest.
_STACKS = frozenset(("stacktrace", "stack", "stack_trace"))
_LOGFMT = regex(r"^(?:\S{1,80} )?(?:(?:time|ts|t)=\S{1,60} )?(?:level|lvl)=[a-z]{4,7} .*\bmsg=\S")
_FIELD = regex(r"^\s+[A-Za-z_][\w.]{0,60}=\S")
_EVENT = regex(
    rf"^\s*(?:Normal|Warning)\s+[A-Z][A-Za-z0-9]{{1,127}}\s+{AGE}(?:\s+\(x\d{{1,7}} over {AGE}\))?\s+"
    r"[a-z][\w./-]{1,253}(?:, [\w.-]{1,253})?(?:\s+\S.{0,4000}:)?\s*$"
)
_ROW = regex(r"^\s*(?:Normal|Warning)\s+[A-Z]")


def join_records(lines: Sequence[str]) -> list[str]:
    """Return the lines with each such record on one."""
    out, i = list[str](), 0
    while i < len(lines):
        i, line = join_record(lines, i)
        out.append(line)
    return out


def join_record(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Return the end of the record that begins at a line, and the whole of it; of any other line itself."""
    if lines[i].lstrip().startswith("{"):
        return _join_json(lines, i)
    if "=" in lines[i] and _LOGFMT.match(lines[i]):
        return _join_fields(lines, i)
    return _join_event(lines, i) if _EVENT.match(lines[i]) else (i + 1, lines[i])


def _join_json(lines: Sequence[str], i: int) -> tuple[int, str]:
    for end in range(i + 1, min(len(lines), i + _MOST_OF_JSON) + 1):
        if not lines[end - 1].rstrip().endswith("}"):
            continue
        with suppress(ValueError, RecursionError):
            read = json.loads("\n".join(lines[i:end]))
            if end == i + 1 or not is_log_record(read):
                break
            kept = {key: value for key, value in read.items() if key not in _STACKS}
            return end, json.dumps(kept, ensure_ascii=False)
    return i + 1, lines[i]


def is_log_record(read: object) -> bool:
    """Tell whether a JSON document is a log record, and not an object."""
    return (
        isinstance(read, Mapping)
        and "apiVersion" not in read
        and any(isinstance(read.get(key), str) for key in _LEVELS)
        and any(isinstance(read.get(key), str) for key in _WORDS)
    )


def _join_fields(lines: Sequence[str], i: int) -> tuple[int, str]:
    """Join the fields that are indented below their record, and the rest of a value with an open quote."""
    end, joined = i + 1, lines[i].rstrip()
    while end < min(len(lines), i + _MOST) and lines[end].strip():
        is_open = joined.replace('\\"', "").count('"') % 2 == 1
        if not _is_deeper(lines[end], lines[i]) or not (is_open or _FIELD.match(lines[end])):
            break
        joined += f" {lines[end].strip()}"
        end += 1
    return end, joined


def _join_event(lines: Sequence[str], i: int) -> tuple[int, str]:
    end = i + 1
    while (
        end < min(len(lines), i + _MOST)
        and lines[end].strip()
        and _is_deeper(lines[end], lines[i])
        and not _ROW.match(lines[end])
    ):
        end += 1
    if end == i + 1:
        return end, lines[i]
    row, rest = lines[i].rstrip(), " ".join(line.strip() for line in lines[i + 1 : end])
    return end, f"{row} {rest}" if row.endswith(":") else f"{row}  {rest}"


def _is_deeper(line: str, first: str) -> bool:
    return len(line) - len(line.lstrip()) > len(first) - len(first.lstrip())
