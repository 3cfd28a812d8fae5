"""Headers, columns and rows of `kubectl get`: aligned, re-wrapped by a terminal, or with their blanks lost.

A cell begins at its title's position, which tells empty cells apart; if the paste lost that, two blanks, a
tab or one blank separate cells. Custom columns are known by the command (`-o
custom-columns=WHO:.metadata.name`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from unstuck.collect.objects.kinds import ref_kind
from unstuck.collect.text.cutting.ages import AGE
from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.facts.regex import regex

# Titles of two words; every other title is one.
TITLE = regex(r"NOMINATED NODE|READINESS GATES|LAST SEEN|FIRST SEEN|ACCESS MODES|RECLAIM POLICY|\S+")
# An object in the column NAME, with its kind in a table of several kinds.
NAME = regex(r"^(?:(?P<kind>[a-z][a-z0-9.-]{1,100})/)?(?P<name>[a-z0-9][a-z0-9.:-]{0,252})$")
_HEADER = regex(r"^(?:NAMESPACE\s+)?NAME(?:\s+[A-Z][A-Z0-9 ()/_-]*)?\s*$")
_MORE = regex(r"^\s*[A-Z][A-Z0-9 ()/_-]{1,200}\s*$")
_TITLES = regex(r"^\s*[A-Z][A-Z0-9 ()/_-]{0,300}\s*$")
_FIRST = regex(r"[a-z0-9]")
_PATHS = {
    ".metadata.name": "NAME",
    ".metadata.namespace": "NAMESPACE",
    ".spec.nodeName": "NODE",
    ".status.phase": "STATUS",
    ".metadata.labels": "LABELS",
}
# kubectl's titles before 1.11, which may contain a blank.
_OLD_TITLES = {"ACCESSMODES": "ACCESS MODES", "RECLAIMPOLICY": "RECLAIM POLICY"}
_FOREIGN = regex(r"(?P<plural>[a-z][a-z0-9-]{1,62})(?:\.(?P<group>[a-z0-9.-]{3,253}))?")
_MOST_WRAPPED = 3


@dataclass(frozen=True, slots=True)
class Columns:
    """titles: in order. starts: where each begins. wrapped: the header itself was."""

    titles: tuple[str, ...]
    starts: tuple[int, ...]
    wrapped: bool = False


def is_header(line: str, command: TypedCommand | None) -> bool:
    """Tell whether a line is a header: titles, with the name's among the first; any titles below a command
    with custom columns.
    """
    return _HEADER.match(line.strip()) is not None or (
        bool(_parse_custom_columns(command)) and _TITLES.match(line) is not None
    )


def find_header(lines: Sequence[str], i: int) -> tuple[str, int]:
    """Return the header that begins at i, and the number of its lines."""
    header, taken = lines[i], 1
    if not _HEADER.match(header.strip()):
        return header, 1
    while (
        taken < _MOST_WRAPPED
        and i + taken < len(lines)
        and _MORE.match(lines[i + taken])
        and not _HEADER.match(lines[i + taken].strip())
    ):
        # A terminal breaks anywhere: `NOMINATED NO` and `DE`.
        header, taken = header + lines[i + taken], taken + 1
    return header, taken


def find_columns(header: str, command: TypedCommand | None) -> Columns:
    """Return the header's columns, under the names that the readers know."""
    found = list(TITLE.finditer(header))
    custom = _parse_custom_columns(command)
    return Columns(
        tuple(custom.get(m[0], _OLD_TITLES.get(m[0], m[0])) for m in found), tuple(m.start() for m in found)
    )


def list_titles(header: str) -> frozenset[str]:
    """Return the titles of a header, by the names of today."""
    return frozenset(_OLD_TITLES.get(title, title) for title in TITLE.findall(header))


def _parse_custom_columns(command: TypedCommand | None) -> dict[str, str]:
    """Map the titles of custom columns to the titles that the readers know; {} without custom columns."""
    given = (command.option("-o", "--output") or "") if command else ""
    if command and not given:
        given = next(
            (w[2:].lstrip("=") for w in command.words if w.startswith("-o") and "custom-columns" in w), ""
        )
    kind, _, rest = given.partition("=")
    if kind != "custom-columns":
        return {}
    return {
        title: _PATHS.get("." + path.strip("{}").lstrip("."), title)
        for title, _, path in (c.partition(":") for c in rest.split(","))
    }


def name_foreign_kind(command: TypedCommand | None) -> str | None:
    """Return the Ref's kind for a custom kind that `kubectl get` asked for, known only by its plural."""
    rest = (
        command.arguments[command.arguments.index("get") + 1 :]
        if command and "get" in command.arguments
        else ()
    )
    found = _FOREIGN.fullmatch(rest[0].partition("/")[0]) if rest else None
    if found is None or found["plural"] in ("all", "events", "event", "ev"):
        return None
    return ref_kind(found["group"], found["plural"]) if found["group"] else found["plural"]


def name_custom_kind(prefix: str) -> str | None:
    """Return the Ref's kind for a name's prefix with a group (`widget.example.com/`), None without one."""
    singular, _, group = prefix.partition(".")
    return ref_kind(group, singular) if group else None


def read_row(lines: Sequence[str], i: int, columns: Columns) -> tuple[dict[str, str], int] | None:
    """Return the row that begins at i, and the number of its lines; None if none begins."""
    cells = _parse_cells(lines[i], columns)
    if cells is None or len(cells) >= len(columns.titles) - 1:
        return (cells, 1) if cells else None
    line = lines[i]
    for taken in range(2, _MOST_WRAPPED + 1):
        if i + taken > len(lines) or not lines[i + taken - 1].strip():
            break
        # Broken at the terminal's edge: with the next line appended, it fits the columns.
        line += lines[i + taken - 1]
        joined = _cut_by_position(line, columns)
        if joined is not None and len(joined) >= len(columns.titles) - 1:
            return joined, taken
    return cells, 1


def _parse_cells(line: str, columns: Columns) -> dict[str, str] | None:
    """Return title → cell; None for a line that is no row of this table."""
    text, titles = line.strip(), columns.titles
    if not text or not _FIRST.match(text):
        return None
    # `3 (5m ago)`, `<none>` with blanks and `False (MissingEndpoints)` are one cell each.
    cells = re.split(r"\s{2,}|\t", text)
    if len(cells) != len(titles) and (placed := _cut_by_position(line, columns)) is not None:
        return placed
    if len(cells) < min(len(titles), 2) or (len(cells) < len(titles) - 2):
        cells = re.split(r"\s+(?![(]|ago\))", text)
    if len(cells) < min(2, len(titles)) or len(cells) > len(titles) + 2:
        return None
    return dict(zip(titles, cells, strict=False))


def _cut_by_position(line: str, columns: Columns) -> dict[str, str] | None:
    """Cut at the beginning of cells; None unless each begins where a title does, the first included."""
    out: dict[str, str] = {}
    starts = dict(zip(columns.starts, columns.titles, strict=True))
    for found in re.finditer(r"\S+(?: \S+)*", line):
        title = starts.get(found.start())
        if title is None:
            return None
        out[title] = found[0]
    last = out.get("AGE")
    complete = (
        len(out) >= min(2, len(columns.titles))
        and columns.titles[0] in out
        and (last is None or re.fullmatch(AGE, last) is not None)
    )
    return out if complete else None
