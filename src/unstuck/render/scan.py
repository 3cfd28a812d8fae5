"""A scan: incidents by symptom, in two columns or two lines a row, each with its number for opening it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Literal

from unstuck.diagnosis.answer import (
    Answer,
    CauseMatch,
    Diagnosis,
    Incident,
    StateName,
    Trouble,
    find_messages,
)
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.text import told_apart
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span, Style, count_cells, join_parts, line, pad, paint, wrap
from unstuck.render.changes import change_lines
from unstuck.render.evidence import shorten_paths
from unstuck.render.incident_names import format_age, name_subjects
from unstuck.render.page import Page
from unstuck.render.scan_selection import (
    ScanSelection,
    find_root,
    list_examined,
    list_head_parts,
    name_hold,
    select_incidents,
)
from unstuck.render.undecided import describe_unseen
from unstuck.render.visible import visible
from unstuck.render.words import MARKS, Lang

# About a screen and a half; more rows only on request.
ROWS = 30
# At least this many of each kind of trouble.
OF_EACH = 4
CHANGED = 3
CLOSER = 2
NOTES = 4
# On narrower pages a row takes two lines.
TWO_COLUMNS = 100
# The number, the mark and the spaces around them.
_BEFORE = 6
_WHO_SHARE = 0.42
_NARROWEST = 20
_STYLES: Mapping[StateName, Style] = {
    "stuck": "bad",
    "unknown": "warn",
    "progressing": "warn",
    "held": "dim",
    "fine": "good",
}
SURE = MappingProxyType({"proven": "●", "likely": "◐", "open": "○"})
_SURE_STYLES: Mapping[str, Style] = MappingProxyType({"proven": "bad", "likely": "warn", "open": "dim"})

# The reader's way to open an incident.
Opened = Literal["by-number", "by-name"]


@record()
class Manner(Record):
    """Display options of a scan. members: whether each incident lists all members. ids: whether to show each
    cause's id. opened: the way to open an incident.

    new: the numbers of incidents marked as new.
    """

    members: bool = False
    ids: bool = False
    opened: Opened = "by-name"
    new: frozenset[int] = frozenset()


PLAIN = Manner()


@record()
class Row(Record):
    """A displayed incident. name: in full. others: the count of further affected objects."""

    number: int
    trouble: Trouble
    sure: str
    name: str
    others: str
    why: str
    cause: str
    since: str
    incident: Incident


def list_rows(report: Answer, page: Page) -> list[Row]:
    """Return a row for each incident of stuck and possibly stuck objects, in the order of their numbers."""
    return [_row(i, report, page) for i in select_incidents(report).urgent]


def scan(report: Answer, lang: Lang, width: int, colour: bool, manner: Manner = PLAIN) -> str:
    """Return the report of many subjects; healthy subjects are only left out, never reported as fully
    examined.
    """
    page = Page(lang, max(_NARROWEST, width), report.at)
    shown = select_incidents(report)
    rows = list_rows(report, page)
    lines = [*_render_head(shown, report, page), *lay_out_table(rows, page, manner)]
    lines += [
        row for r in rows[:CHANGED] for row in change_lines(report.diagnoses[r.incident.representative], page)
    ]
    lines += lay_out_notes(report, page)
    return paint([*lines, *_render_foot(rows, report, page, manner)], colour)


def _render_head(shown: ScanSelection, report: Answer, page: Page) -> Iterator[Line]:
    """Yield the parts of the head in as few lines as possible."""
    first, *rest = join_parts(list_head_parts(shown, report, page), page.word("dot"), page.width - 2)
    yield line(Span(MARKS[shown.mark] + " ", _STYLES[shown.mark]), Span(first, "bold"))
    yield from (line("  ", Span(more, "bold")) for more in rest)


def _row(incident: Incident, report: Answer, page: Page) -> Row:
    told = find_root(incident, report)
    first = report.diagnoses[incident.representative]
    name, others = name_subjects(incident, report, page)
    return Row(
        number=incident.id,
        trouble=incident.trouble,
        sure=told.confidence if told else "open",
        name=name,
        others=others,
        why=summarise(told, incident, first, page),
        cause=incident.cause,
        since=format_age(incident.since, page),
        incident=incident,
    )


def summarise(told: CauseMatch | None, incident: Incident, first: Diagnosis, page: Page) -> str:
    """Summarise the reason in one sentence: the cause, else the component's message, else the stage of the
    first member.
    """
    if told is not None:
        return shorten_paths(page.text(incident.says))
    possible = next((o for o in first.undecided if o.possible), None)
    if possible is not None:
        return page.word("perhaps", title=page.text(possible.title))
    # Events also report successes.
    said = next((f.message for f in find_messages(first) if isinstance(f, Failure) and f.message), None)
    if said is not None:
        return page.word("no_rule", quote=visible(said))
    return page.text(first.state.says or first.state.headline)


# --- rows ---------------------------------------------------------------------------------------------------


def lay_out_table(rows: Sequence[Row], page: Page, manner: Manner) -> Iterator[Line]:
    """Yield the rows below their headings."""
    shown = list(rows) if manner.members else choose_fitting_rows(rows)
    column = _compute_name_width(shown, page)
    since = max((count_cells(r.since) for r in shown), default=0)
    if shown:
        yield line()
    for trouble, those in groupby(shown, key=lambda r: r.trouble):
        yield line("  ", Span(page.word(trouble), "bold"))
        for row in those:
            yield from (
                _render_wide(row, (column, since), page, manner)
                if page.width >= TWO_COLUMNS
                else _narrow(row, page, manner)
            )
            if manner.members:
                yield from _render_members(row.incident, page)
    if len(rows) > len(shown):
        word = "more_incidents" if manner.opened == "by-number" else "more_elsewhere"
        yield line("  ", Span(page.word(word, n=len(rows) - len(shown)), "dim"))


def choose_fitting_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the first rows of all, and the first few of each kind of trouble."""
    seen: dict[Trouble, int] = {}
    out = []
    for at, row in enumerate(rows):
        seen[row.trouble] = seen.get(row.trouble, 0) + 1
        if at < ROWS or seen[row.trouble] <= OF_EACH:
            out.append(row)
    return out


def _compute_name_width(rows: Sequence[Row], page: Page) -> int:
    longest = max((count_cells(r.name + r.others) for r in rows), default=0)
    return min(longest, int((page.width - _BEFORE) * _WHO_SHARE))


def _render_wide(row: Row, columns: tuple[int, int], page: Page, manner: Manner) -> Iterator[Line]:
    """Yield rows of two columns; a name longer than its column gets its own line. columns: widths of the name
    and the age.
    """
    column, since = columns
    end = f"  {row.since}" if row.since else ""
    start = _BEFORE + column + 2
    who_lines = name_column(row, column)
    alone = count_cells(who_lines[0]) > column
    why_lines = _render_why(row, page.width - start - since - 2, manner)
    left = [*who_lines[:1], *([""] if alone else []), *who_lines[1:]]
    right = [*([[]] if alone else []), *why_lines]
    for at in range(max(len(left), len(right))):
        head = _lay_out_number(row, manner) if at == 0 else (Span(" " * _BEFORE),)
        name = left[at] if at < len(left) else ""
        parts = (*head, Span(pad(name, column + 2), "bold"), *(right[at] if at < len(right) else []))
        if end and sum(count_cells(s.text) for s in parts) + count_cells(end) <= page.width:
            parts, end = (*parts, *_align_right(end, parts, page)), ""
        yield parts


def _narrow(row: Row, page: Page, manner: Manner) -> Iterator[Line]:
    """Yield at least two lines per row: the object and its age, then the reason."""
    end = f"  {row.since}" if row.since else ""
    first, *rest = name_column(row, max(1, page.width - _BEFORE - count_cells(end)))
    head = (*_lay_out_number(row, manner), Span(first, "bold"))
    fits = sum(count_cells(s.text) for s in head) + count_cells(end) <= page.width
    yield (*head, *_align_right(end, head, page)) if fits else head
    indent = Span(" " * _BEFORE)
    yield from (line(indent, Span(more, "bold")) for more in rest)
    if end and not fits:
        ages = wrap(end.strip(), max(1, page.width - _BEFORE))
        yield from (line(indent, Span(age, "dim")) for age in ages)
    for why_ in _render_why(row, page.width - _BEFORE, manner):
        yield (indent, *why_)


def _lay_out_number(row: Row, manner: Manner) -> tuple[Span, ...]:
    number = f"+{row.number:>2} " if row.number in manner.new else f"{row.number:>3} "
    return (
        Span(number, "good" if row.number in manner.new else ""),
        Span(SURE[row.sure] + " ", _SURE_STYLES[row.sure]),
    )


def name_column(row: Row, width: int) -> list[str]:
    """Return the name on one line of any length, for copying; the other objects follow it or stand below."""
    if count_cells(row.name + row.others) <= width:
        return [row.name + row.others]
    rest = row.others.lstrip(" ,，")
    return [row.name, *(wrap(rest, width) if rest else [])]


def _render_why(row: Row, width: int, manner: Manner) -> list[list[Span]]:
    lines = [[Span(text)] for text in wrap(row.why, max(1, width))]
    if manner.ids and row.cause:
        if count_cells(lines[-1][0].text) + 2 + count_cells(row.cause) <= width:
            lines[-1].append(Span(f"  {row.cause}", "dim"))
        else:
            lines += [[Span(text, "dim")] for text in wrap(row.cause, max(1, width))]
    return lines


def _align_right(end: str, before: Sequence[Span], page: Page) -> tuple[Span, ...]:
    """Align a text at the right edge."""
    used = sum(count_cells(s.text) for s in before)
    return (Span(" " * max(0, page.width - used - count_cells(end)) + end, "dim"),) if end else ()


def _render_members(incident: Incident, page: Page) -> Iterator[Line]:
    indent = Span(" " * _BEFORE)
    yield from (line(indent, Span(told_apart(m), "dim")) for m in list_examined(incident))
    if incident.alike:
        yield line(indent, Span(page.word("alike") + page.word("colon").rstrip()))
        yield from (line(indent, Span(told_apart(m), "dim")) for m in incident.alike)


# --- below --------------------------------------------------------------------------------------------------


def lay_out_notes(report: Answer, page: Page) -> Iterator[Line]:
    """Yield the lines on unanswered and unasked questions."""
    if report.held:
        yield line()
        yield line("  ", Span(page.word("held"), "bold"))
        yield from (row for ref in report.held for row in _render_held_lines(ref, page))
    yield from _render_notes("unseen", list(describe_unseen(report.not_seen, page)), page)
    yield from _render_notes("left_out", [page.text(text) for text in report.left_out], page)


def _render_held_lines(ref: Ref, page: Page) -> Iterator[Line]:
    """Yield the mark, the object, and the hold, which gets a separate line after a long name."""
    name, how = visible(told_apart(ref)), name_hold(ref, page)
    mark = (Span(" " * (_BEFORE - 2)), Span(MARKS["held"] + " ", "dim"), Span(name))
    if _BEFORE + count_cells(name) + 2 + count_cells(how) <= page.width:
        yield (*mark, Span("  " + how, "dim"))
    else:
        yield mark
        yield line(" " * _BEFORE, Span(how, "dim"))


def _render_notes(label: str, texts: Sequence[str], page: Page) -> Iterator[Line]:
    """Yield notes on the omitted parts."""
    for at, text in enumerate(texts[:NOTES] if label == "unseen" else texts):
        if at == 0:
            yield line()
        head = f"  {page.word(label)}  " if at == 0 else "    "
        first, *rest = (
            wrap(text, max(1, page.width - count_cells(head)))
            if at == 0
            else wrap(text, max(1, page.width - 4))
        )
        if at == 0 and rest:
            rest = wrap(text[len(first) :].lstrip(), max(1, page.width - 4))
        yield line(Span(head, "warn" if at == 0 else ""), Span(first))
        yield from (line("    ", Span(more)) for more in rest)
    if label == "unseen" and len(texts) > NOTES:
        yield line("    ", Span(page.word("more", n=len(texts) - NOTES), "dim"))


def _render_foot(rows: Sequence[Row], report: Answer, page: Page, manner: Manner) -> Iterator[Line]:
    """Yield the legend, and the hint at a closer look."""
    if not rows:
        return
    yield line()
    marks = [f"{SURE[sure]} {page.word(sure)}" for sure in SURE if any(r.sure == sure for r in rows)]
    by_number = (
        [page.word("open_one", n=rows[min(2, len(rows) - 1)].number)] if manner.opened == "by-number" else []
    )
    more = [page.word("all_members")] if manner.opened == "by-number" and not manner.members else []
    ids = [] if manner.ids else [page.word("with_ids")]
    yield from (
        line("  ", Span(text, "dim"))
        for text in join_parts([*marks, *by_number, *more, *ids], "   ", page.width - 2)
    )
    if manner.opened == "by-name":
        subjects = dict.fromkeys(report.diagnoses[r.incident.representative].subject for r in rows)
        closer = [ask_why(s) for s in [s for s in subjects if s.name][:CLOSER]]
        for at, command in enumerate(closer):
            yield from page.command("", command, Span(page.word("closer")) if at == 0 else None)
