"""Kubeconfigs as programs write them, without the YAML library: importing that takes a tenth of an answer's time.

Read is only what cannot mean anything else: nested mappings, lists of mappings, one `key: word` a line, where a word begins with a
letter or `/` and is no word that YAML takes for more than text. Whatever is off by one character is left to the library.
"""

from __future__ import annotations

import re
from typing import Any

from unstuck.facts.record import Record, record

_LINE = re.compile(r"( *)(- )?([A-Za-z][A-Za-z0-9-]*):(?: (\S+))?")
_WORD = re.compile(r"[A-Za-z/](?:[A-Za-z0-9/+=._:@-]*[A-Za-z0-9/+=._@-])?")
# YAML 1.1 has more words for truth than these two; they are left to the library, as keys too.
_MORE_THAN_TEXT = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_VALUES: dict[str, Any] = {"true": True, "false": False, '""': "", "{}": {}}


@record()
class _Row(Record):
    """One line. dash: the column of its `-`, -1 without one. column: that of its key. value: None where nothing stands behind the key."""

    dash: int
    column: int
    key: str
    value: str | None


class _NotPlain(Exception):  # noqa: N818 - no error: the library reads it
    pass


def plain_mapping(text: str) -> dict[str, Any] | None:
    """The document, the same as the YAML library gives; None where only that can tell."""
    try:
        rows = [_row(line) for line in text.split("\n") if line]
        out, end = _mapping(rows, 0, 0)
    except (_NotPlain, RecursionError):
        return None
    return out if rows and end == len(rows) else None


def _row(line: str) -> _Row:
    found = _LINE.fullmatch(line)
    if not found or found[3].lower() in _MORE_THAN_TEXT:
        raise _NotPlain
    indent = len(found[1])
    return _Row(indent, indent + 2, found[3], found[4]) if found[2] else _Row(-1, indent, found[3], found[4])


def _mapping(rows: list[_Row], at: int, column: int) -> tuple[dict[str, Any], int]:
    """The mapping that begins in this row with keys in this column, and the row behind it."""
    out: dict[str, Any] = {}
    begun = at
    while at < len(rows) and rows[at].column == column and (rows[at].dash < 0 or at == begun):
        row = rows[at]
        if row.key in out:
            raise _NotPlain
        out[row.key], at = (_below(rows, at + 1, column)) if row.value is None else (_scalar(row.value), at + 1)
    return out, at


def _below(rows: list[_Row], at: int, column: int) -> tuple[Any, int]:
    """What stands below a key in this column: a list, whose dashes may stand in the same column, or a mapping further in."""
    if at == len(rows):
        raise _NotPlain
    first = rows[at]
    if first.dash >= column:
        items = []
        while at < len(rows) and rows[at].dash == first.dash:
            item, at = _mapping(rows, at, first.column)
            items.append(item)
        return items, at
    if first.dash >= 0 or first.column <= column:
        raise _NotPlain
    return _mapping(rows, at, first.column)


def _scalar(value: str) -> Any:
    if value in _VALUES:
        return _VALUES[value] if value != "{}" else {}
    if not _WORD.fullmatch(value) or value.lower() in _MORE_THAN_TEXT:
        raise _NotPlain
    return value
