"""Evidence as rows: where it was seen, what was seen, how often and how long ago."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from unstuck.diagnosis.text import who
from unstuck.diagnosis.verdict import Evidence
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span, cells, cut, cut_front, line, padded, wrapped
from unstuck.render.page import COLUMN, INDENT, Page
from unstuck.render.visible import visible

MOST = 4
AT = 64
QUOTE_LINES = 2
# A path of more than 40 characters with at least four names.
_PATH = re.compile(r"(?=[^\s:\"',;]{41})(?:/[^\s/:\"',;]+){4,}")
_API = ("/api/", "/apis/")


@record()
class Row(Record):
    """One piece of evidence. source: the node, the file or `api`. at: the place in it. count, last: repetition of a message."""

    source: str
    at: str
    quote: str
    count: int = 1
    last: datetime | None = None


def place(fact: Fact) -> tuple[str, str]:
    """Tell where a fact was seen, as (source, place in it).

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


def words_of(fact: Fact) -> tuple[str, str] | None:
    """Return (who said it, "" where nobody told; the innermost error) of a failing call, or of the last of some events; None for other
    facts.
    """
    if isinstance(fact, Failure):
        said = (fact.reporter, fact.message)
    elif isinstance(fact, Events) and fact.items:
        said = (fact.items[-1].reporter, fact.items[-1].message)
    else:
        return None
    # A row of events without the column From.
    by = "" if said[0] == "event" else said[0]
    return by, said[1].rpartition(" desc = ")[2]


def rows(evidence: Iterable[Evidence]) -> list[Row]:
    """Return one row for each place and quote, in the order of the judgement; a fact without words only where nothing else was said
    there.
    """
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


def evidence_lines(evidence: Sequence[Evidence], page: Page, most: int = MOST, label: str = "") -> list[Line]:
    """Return the first rows, sources aligned, and how many more there are. label: in front of the first."""
    every = rows(evidence)
    shown = every[:most]
    source = min(16, max((cells(visible(r.source)) for r in shown), default=0))
    lines = [one for i, r in enumerate(shown) for one in _row(r, source, page, "" if i else label)]
    if len(every) > most:
        lines.append(line(Span(" " * COLUMN), Span(page.word("more_rows", n=len(every) - most), "dim")))
    return lines


def _row(row: Row, source: int, page: Page, label: str) -> list[Line]:
    """Return `SOURCE  PLACE   QUOTE   ×N, last S ago`; what does not fit goes on below the place."""
    margin = Span(padded(" " * INDENT + label, COLUMN))
    head = padded(cut(visible(row.source), source), source) + "  "
    left = COLUMN + cells(head)
    room = max(24, page.width - left)
    at = cut_front(visible(row.at), min(AT, room))
    quote = visible(shortened(row.quote))
    tail = _tail(row, page)
    used = cells(at) + (3 + cells(quote) if quote else 0) + (3 + cells(tail) if tail else 0)
    if used <= room:
        return [line(margin, Span(head + at, "dim"), Span(f"   {quote}" if quote else ""), Span(f"   {tail}" if tail else "", "dim"))]
    said = wrapped(quote, room - 2)
    if len(said) > QUOTE_LINES:
        said = [*said[: QUOTE_LINES - 1], cut(" ".join(said[QUOTE_LINES - 1 :]), room - 2)]
    below = [line(Span(" " * (left + 2)), Span(t)) for t in said]
    return [line(margin, Span(head + at, "dim"), Span(f"   {tail}" if tail else "", "dim")), *below]


def shortened(quote: str) -> str:
    """Long paths by their last two names: the whole path stands beside it, or in --explain."""
    return _PATH.sub(lambda m: "…/" + "/".join(m[0].rsplit("/", 2)[1:]), quote)


def _tail(row: Row, page: Page) -> str:
    parts = [f"×{row.count}"] if row.count > 1 and f"×{row.count}" not in row.quote else []
    if row.last:
        parts.append(page.word("last", span=page.ago(row.last)) if row.count > 1 else page.word("ago", span=page.ago(row.last)))
    return ("，" if page.lang == "zh" else ", ").join(parts)
