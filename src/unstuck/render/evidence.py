"""Evidence as rows: source, quote, how often and how long ago."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from unstuck.diagnosis.text import told_apart
from unstuck.diagnosis.verdict import Evidence
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.render.cells import Line, Span, count_cells, cut, cut_front, cut_middle, line, pad, wrap
from unstuck.render.page import HANGING, LEAST, Page
from unstuck.render.visible import visible

AT = 64
# The maximum cells of a place with its quote on the same line.
PLACE = 24
QUOTE_ROWS = 3
# A path of more than 40 characters with at least four names; of a URL, only the part after the host.
_PATH = regex(r"(?<!:/)(?=[^\s:\"',;]{41})(?:/[^\s/:\"',;]+){4,}")
# Longer paths contain uids; a shorter path is printed whole, since two names do not locate a file.
_WHOLE_PATH = 80
_API = ("/api/", "/apis/")
# The number of repetitions after a reason: `FailedScheduling ×11: `.
_TIMES = regex(r" ×\d+(?=: )")


@record()
class EvidenceRow(Record):
    """One piece of evidence. source: the node, the file or `api`. at: the place in the source. count, last:
    repetition of a message.
    """

    source: str
    at: str
    quote: str
    count: int = 1
    last: datetime | None = None


def place(fact: Fact) -> tuple[str, str]:
    """Return the source of a fact, as (source, place in it).

    A node's place has the form `NODE place`, a file's `FILE:LINE`; facts from the API have the API path.
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


def find_words(fact: Fact) -> tuple[str, str] | None:
    """Return (the component, "" if unknown; the innermost error) of a failed call or of the last event; None
    for other facts.
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


def make_rows(evidence: Iterable[Evidence]) -> list[EvidenceRow]:
    """Return one row for each place and quote, in the order of the judgement, keeping the most frequent
    repetition; a fact without a quote gets a row only if its place has no other.
    """
    found: dict[tuple[str, str, str], EvidenceRow] = {}
    for fact in (e.fact for e in evidence):
        source, at = place(fact)
        at = told_apart(fact.about) if at.startswith(_API) else at
        count = fact.count if isinstance(fact, Failure) else 1
        last = fact.src.at if isinstance(fact, Failure) else None
        key = (source, at, _TIMES.sub("", quote := fact.src.quote.strip(), count=1))
        before = found.get(key)
        if before is None or before.count < count:
            found[key] = EvidenceRow(source, at, quote, count, last)
    spoken = {(r.source, r.at) for r in found.values() if r.quote}
    return [r for r in found.values() if r.quote or (r.source, r.at) not in spoken]


def lay_out_evidence(shown: Sequence[EvidenceRow], page: Page, label: Span, subject: str = "") -> list[Line]:
    """Lay out the rows with aligned sources. label: the label of the first row. subject: the object whose
    name is not repeated.
    """
    shown = [drop_repeated_file(replace(r, at="") if r.at == subject and r.quote else r) for r in shown]
    source = min(16, max((count_cells(visible(r.source)) for r in shown), default=0))
    return [
        one for i, r in enumerate(shown) for one in _render_row(r, source, page, Span("") if i else label)
    ]


def drop_repeated_file(row: EvidenceRow) -> EvidenceRow:
    """Drop the file from a row with the same file in its place."""
    return replace(row, source="") if row.at.startswith(f"{row.source}:") else row


def _render_row(row: EvidenceRow, source: int, page: Page, label: Span) -> list[Line]:
    """Lay out `SOURCE PLACE QUOTE ×N, S ago`; an overlong part continues on the next lines."""
    if page.indent + count_cells(label.text) + page.gap > page.column:
        return [line(label), *_render_row(row, source, page, Span(""))]
    margin = Span(pad(" " * page.indent + label.text, page.column), label.style)
    head = pad(cut(visible(row.source), source), source) + "  " if source else ""
    left = page.column + count_cells(head)
    room = max(LEAST, page.width - left)
    quote, tail = visible(shorten_paths(row.quote)), _tail(row, page)
    rest = (3 + count_cells(quote) if quote else 0) + (3 + count_cells(tail) if tail else 0)
    at = visible(row.at)
    # Objects' names are for copying, so they stay whole; --explain shows paths in full.
    at = cut_front(at, max(min(AT, room - rest), min(PLACE, room))) if "/" in at.partition(" ")[0] else at
    end = Span(f"   {tail}" if tail else "", "dim")
    if count_cells(at) + rest <= room:
        gap = "   " if at else ""
        return [line(margin, Span(head + at, "dim"), Span(f"{gap}{quote}" if quote else ""), end)]
    narrow = max(LEAST, page.room - HANGING)
    below = Span(" " * (page.column + HANGING))
    if at:
        beside = count_cells(at) + 3 + count_cells(tail) <= room
        said = [t for t in _fold_quote(quote, narrow, lambda text: wrap(text, narrow)) if t]
        lines = [
            line(margin, Span(head + cut_front(at, room), "dim"), end if beside else ""),
            *(line(below, Span(t)) for t in said),
        ]
        tail = "" if beside else tail
    else:
        first, *more = _fold_quote(quote, narrow, lambda text: page.flow(text, left))
        lines = [line(margin, Span(head, "dim"), Span(first)), *(line(below, Span(t)) for t in more)]
    if tail and sum(count_cells(s.text) for s in lines[-1]) + count_cells(end.text) <= page.width:
        return [*lines[:-1], (*lines[-1], end)]
    return [*lines, *(line(below, Span(t, "dim")) for t in (wrap(tail, narrow) if tail else ()))]


def _fold_quote(quote: str, width: int, flow: Callable[[str], list[str]]) -> list[str]:
    """Wrap the quote into a few rows; an overlong quote loses its middle, never its end."""
    rows_, size = flow(quote), QUOTE_ROWS * width - width // 4
    while len(rows_) > QUOTE_ROWS and size > width:
        rows_ = flow(cut_middle(quote, size))
        size -= width // 8 + 1
    return rows_


def shorten_paths(quote: str) -> str:
    """Shorten long paths to their last two names: the whole path stands beside the quote, or in --explain."""
    return _PATH.sub(_last_names, quote)


def shorten_longest_paths(says: str) -> str:
    """Shorten only very long paths in a sentence: a file cannot be found without its directory."""
    return _PATH.sub(lambda m: m[0] if len(m[0]) <= _WHOLE_PATH else _last_names(m), says)


def _last_names(path: re.Match[str]) -> str:
    return "…/" + "/".join(path[0].rsplit("/", 2)[1:])


def _tail(row: EvidenceRow, page: Page) -> str:
    parts = [f"×{row.count}"] if row.count > 1 and f"×{row.count}" not in row.quote else []
    if row.last:
        parts.append(
            page.word("last", span=page.ago(row.last))
            if row.count > 1
            else page.word("ago", span=page.ago(row.last))
        )
    return ("，" if page.lang == "zh" else ", ").join(parts)
