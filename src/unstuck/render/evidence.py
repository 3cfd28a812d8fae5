"""Evidence as rows: where it was seen, what was seen, how often and how long ago."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from unstuck.diagnosis.verdict import Evidence
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact
from unstuck.render.cells import Line, Span, cells, cut, cut_front, line, padded, wrapped
from unstuck.render.page import COLUMN, Page, who
from unstuck.render.visible import visible

MOST = 4
_API = ("/api/", "/apis/")


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of evidence. source: the node, the file or `api`. at: the place in it. count, last: repetition of a message."""

    source: str
    at: str
    quote: str
    count: int = 1
    last: datetime | None = None


def place(fact: Fact) -> tuple[str, str]:
    """Where a fact was seen, as (source, place in it).

    A node's place is written `NODE place`; a file's `FILE:LINE`; what the API told is known by its path there.
    """
    where = fact.src.where
    if where.startswith(_API):
        return "api", where
    head, space, rest = where.partition(" ")
    if space and (fact.cost != "api" or isinstance(fact, Failure)) and "/" not in head:
        return head, rest
    file, colon, number = where.rpartition(":")
    if colon and number.replace("-", "").isdigit():
        return file, where
    return "api", where


def rows(evidence: Iterable[Evidence]) -> list[Row]:
    """One row for each place and quote, in the order of the judgement; a fact without words only where nothing else was said there."""
    found: dict[tuple[str, str, str], Row] = {}
    for fact in (e.fact for e in evidence):
        source, at = place(fact)
        at = who(fact.about) if at.startswith(_API) else at
        count = fact.count if isinstance(fact, Failure) else 1
        last = fact.src.at if isinstance(fact, Failure) else None
        key = (source, at, fact.src.quote)
        before = found.get(key)
        if before is None or before.count < count:
            found[key] = Row(source, at, fact.src.quote, count, last)
    spoken = {(r.source, r.at) for r in found.values() if r.quote}
    return [r for r in found.values() if r.quote or (r.source, r.at) not in spoken]


def evidence_lines(evidence: Sequence[Evidence], page: Page, most: int = MOST) -> list[Line]:
    """The first rows in three columns, and how many more there are."""
    every = rows(evidence)
    shown = every[:most]
    source = min(16, max((cells(visible(r.source)) for r in shown), default=0))
    at = min(max(24, (page.room - source) // 2), max((cells(visible(r.at)) for r in shown), default=0))
    lines = [one for r in shown for one in _row(r, source, at, page)]
    if len(every) > most:
        lines.append(line(Span(" " * COLUMN), Span(page.word("more_rows", n=len(every) - most), "dim")))
    return lines


def _row(row: Row, source: int, at: int, page: Page) -> list[Line]:
    where = f"{padded(cut(visible(row.source), source), source)}  {padded(cut_front(visible(row.at), at), at)}  "
    left = COLUMN + source + at + 4
    room = max(20, page.width - left)
    said = wrapped(visible(row.quote), room)
    if len(said) > 2:
        said = [said[0], cut(" ".join(said[1:]), room)]
    tail = _tail(row, page)
    lines = [line(Span(" " * COLUMN), Span(where, "dim"), Span(said[0])), *(line(Span(" " * left), Span(s)) for s in said[1:])]
    if tail:
        used = left + cells(said[-1])
        if used + cells(tail) + 2 <= page.width:
            lines[-1] = (*lines[-1], Span("  " + tail, "dim"))
        else:
            lines.append(line(Span(" " * left), Span(tail, "dim")))
    return lines


def _tail(row: Row, page: Page) -> str:
    parts = [f"×{row.count}"] if row.count > 1 else []
    if row.last:
        parts.append(page.word("last", span=page.ago(row.last)) if row.count > 1 else page.word("ago", span=page.ago(row.last)))
    return ("，" if page.lang == "zh" else ", ").join(parts)
