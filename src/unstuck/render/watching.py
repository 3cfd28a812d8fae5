"""The screen of `scan --watch`: a status line, the incidents, new ones (+) and resolved ones (-)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from unstuck.diagnosis.answer import Answer, Incident
from unstuck.diagnosis.text import format_duration
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span, Style, count_cells, cut, line
from unstuck.render.page import Page
from unstuck.render.scan import Manner, Row, lay_out_notes, lay_out_table, list_rows
from unstuck.render.scan_selection import select_incidents
from unstuck.render.words import Lang

# The duration of a change mark.
MARKED = timedelta(minutes=1)
Key = tuple[str, Ref]
_NONE: Mapping[Key, datetime | None] = MappingProxyType({})


@record()
class DepartedIncident(Record):
    """A vanished incident of the previous round. seen: whether this round covered as much; otherwise the
    incident may still exist.
    """

    row: Row
    at: datetime
    seen: bool


@record()
class Round(Record):
    """One scan, compared with the previous one. arrivals: the time of each incident's first appearance; None
    for those of the first scan.
    """

    report: Answer
    seconds: float
    rows: tuple[Row, ...]
    arrivals: Mapping[Key, datetime | None] = _NONE
    departures: tuple[DepartedIncident, ...] = ()

    def new(self, at: datetime) -> frozenset[int]:
        """Return the numbers of rows that appeared within the last minute."""
        return frozenset(
            r.number
            for r in self.rows
            if (came := self.arrivals.get(_key(r.incident))) and at - came < MARKED
        )


@record()
class View(Record):
    """The state of the screen. every: seconds between two scans. filter: the words to filter rows by; None
    for all rows.

    input: incomplete typed text: a number, or a filter after `/`. top: the number of lines scrolled away.
    error: the error of the last scan. overlay: an answer shown over the list.
    """

    lang: Lang
    source: str
    every: float
    round: Round | None = None
    filter: str = ""
    input: str = ""
    members: bool = False
    ids: bool = False
    top: int = 0
    error: str = ""
    progress: str = ""
    overlay: tuple[Line, ...] | None = None


def _key(incident: Incident) -> Key:
    return (incident.cause, incident.culprit)


def make_next_round(last: Round | None, report: Answer, seconds: float, lang: Lang) -> Round:
    """Return the next round."""
    page = Page(lang, 120, report.at)
    rows = tuple(list_rows(report, page))
    keys = {_key(i) for i in select_incidents(report).urgent}
    if last is None:
        return Round(report, seconds, rows, dict.fromkeys(keys))
    arrived = {key: last.arrivals.get(key, report.at) for key in keys}
    seen = not set(report.not_seen) - set(last.report.not_seen)
    before = [w for w in last.departures if report.at - w.at < MARKED and _key(w.row.incident) not in keys]
    left = [DepartedIncident(r, report.at, seen) for r in last.rows if _key(r.incident) not in keys]
    return Round(report, seconds, rows, arrived, (*before, *left))


def select_rows(view: View) -> list[Row]:
    """Return the rows that pass the filter."""
    rows = view.round.rows if view.round else ()
    needle = view.filter.casefold()
    return [r for r in rows if needle in f"{r.name}{r.others} {r.why} {r.cause} {r.sure}".casefold()]


def lay_out_frame(view: View, at: datetime, width: int, height: int) -> list[Line]:
    """Return the screen's lines, no more and no wider than the screen. at: the current time."""
    page = Page(view.lang, width, at)
    body = [*view.overlay] if view.overlay is not None else [*_render_body(view, page, at)]
    pieces = [piece for one in body for piece in fold(one, width)]
    foot = [_foot(view, page)] if view.input or view.error else []
    room = max(0, height - 1 - len(foot))
    top = min(view.top, max(0, len(pieces) - room))
    return [
        _cut_line(_head(view, page, at), width),
        *pieces[top : top + room],
        *(_cut_line(one, width) for one in foot),
    ][:height]


def count_scrollable(view: View, at: datetime, width: int, height: int) -> int:
    """Count the scrollable lines."""
    body = (
        [*view.overlay] if view.overlay is not None else [*_render_body(view, Page(view.lang, width, at), at)]
    )
    return max(0, sum(len(fold(one, width)) for one in body) - (height - 1))


def _head(view: View, page: Page, at: datetime) -> Line:
    """Return the status line; if there is no room, the keys are shortened, then left out."""
    told = view.round
    parts = [
        view.source.removeprefix("live:"),
        page.word("every", span=page.text(format_duration(timedelta(seconds=view.every)))),
    ]
    changes = ""
    if told is not None:
        parts.append(f"{told.report.at:%H:%M:%S}Z ({told.seconds:.1f} s)")
        parts.append(
            page.word("scan_incident" if len(told.rows) == 1 else "scan_incidents", n=len(told.rows))
        )
        new = len(told.new(at))
        changes = (f"  +{new}" if new else "") + (f"  -{len(told.departures)}" if told.departures else "")
    else:
        parts.append(view.progress or page.word("looking"))
    if view.filter:
        parts.append(f"/{view.filter}")
    left = page.word("dot").join(parts) + changes
    keys = page.word("keys_opened" if view.overlay is not None else "keys")
    for text in (keys, page.word("keys_short")):
        if count_cells(left) + 2 + count_cells(text) <= page.width:
            return line(
                Span(left, "bold"),
                Span(" " * (page.width - count_cells(left) - count_cells(text)) + text, "dim"),
            )
    return line(Span(left, "bold"))


def _foot(view: View, page: Page) -> Line:
    if view.input:
        return line(Span(view.input, "bold"))
    return line(Span(page.word("round_failed", why=view.error), "warn"))


def _render_body(view: View, page: Page, at: datetime) -> Iterator[Line]:
    if view.round is None:
        return
    rows = select_rows(view)
    manner = Manner(members=view.members, ids=view.ids, opened="by-number", new=view.round.new(at))
    if rows:
        yield from lay_out_table(rows, page, manner)
    else:
        yield line()
        yield line(
            "  ",
            Span(
                page.word("filtered_out" if view.round.rows else "scan_fine"),
                "dim" if view.round.rows else "good",
            ),
        )
    for at_, gone in enumerate(view.round.departures):
        if at_ == 0:
            yield line()
        yield from _render_departure_lines(gone, page)
    yield from lay_out_notes(view.round.report, page)


def _render_departure_lines(gone: DepartedIncident, page: Page) -> Iterator[Line]:
    style: Style = "good" if gone.seen else "warn"
    word = page.word(
        "went" if gone.seen else "not_seen_now", span=page.text(format_duration(page.at - gone.at))
    )
    yield line(Span("  - ", style), Span(gone.row.name, "dim"), Span(f"  {word}", style))
    yield line(Span(" " * 4), Span(cut(gone.row.why, max(1, page.width - 4)), "dim"))


def fold(one: Line, width: int) -> list[Line]:
    """Break a line into pieces of at most `width` cells, so that no text beyond the screen's edge is lost."""
    out: list[list[Span]] = [[]]
    used = 0
    for span in one:
        text = span.text
        while count_cells(text) > width - used:
            head = _head_of(text, width - used)
            if not head and used == 0:
                head = text[:1]
            out[-1].append(Span(head, span.style))
            text, used = text[len(head) :], 0
            out.append([])
        if text:
            out[-1].append(Span(text, span.style))
            used += count_cells(text)
    return [tuple(piece) for piece in out if piece] or [()]


def _head_of(text: str, width: int) -> str:
    used = 0
    for i, char in enumerate(text):
        used += count_cells(char)
        if used > width:
            return text[:i]
    return text


def _cut_line(one: Line, width: int) -> Line:
    return fold(one, width)[0]


def lay_over(view: View, lines: tuple[Line, ...] | None) -> View:
    """Lay an answer over the list; None removes it."""
    return replace(view, overlay=lines, top=0, input="")
