"""A scan: incidents first, the widest on top, one line each, then what has no cause yet, then how to look closer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unstuck.diagnosis.answer import Diagnosis, Incident, Report, StateName
from unstuck.diagnosis.asking import why
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.text import who
from unstuck.render.cells import Line, Span, Style, cells, cut, line, padded, paint
from unstuck.render.changed import changed_lines
from unstuck.render.evidence import shortened
from unstuck.render.page import COLUMN, INDENT, Page
from unstuck.render.picked import headline, picked, reach_of, read_of, root_of
from unstuck.render.undecided import unseen_lines
from unstuck.render.visible import visible
from unstuck.render.words import MARKS, Lang

INCIDENTS = 20
WITHOUT = 10
REACH = 36
CHANGED = 3
_STYLES: Mapping[StateName, Style] = {"stuck": "bad", "unknown": "warn", "progressing": "warn", "fine": "good"}


def scan(report: Report, lang: Lang, width: int, colour: bool, *, members: bool = False) -> str:
    """The report of many subjects; those that are fine are only left out, never counted as looked at in full.

    members: each incident names all of its own.
    """
    page = Page(lang, max(60, width), report.at)
    shown = picked(report)
    urgent, without = shown.urgent, shown.without
    lines: list[Line] = [line(Span(MARKS[shown.mark] + " ", _STYLES[shown.mark]), Span(headline(shown, page), "bold"))]
    if waiting := sum(d.state.name == "progressing" for d in report.diagnoses):
        lines.append(line(Span("  "), Span(page.word("scan_progressing", n=waiting), "dim")))
    if urgent:
        lines += [line(), *_incidents(urgent, report, page, members)]
        lines += [row for i in urgent[:CHANGED] for row in changed_lines(report.diagnoses[i.representative], page)]
    if without:
        lines += [line(), *_without(without, page)]
    if unseen := unseen_lines(report.not_seen, page):
        lines += [line(), *unseen]
    for i, text in enumerate(report.left_out):
        lines += [*([] if i else [line()]), *page.block(Span("" if i else page.word("left_out"), "warn"), page.text(text))]
    if closer := _closer(urgent, without, report):
        lines += [
            line(),
            *(row for i, c in enumerate(closer) for row in page.command("", c, Span(page.word("closer")) if i == 0 else None)),
        ]
    return paint(lines, colour)


def _incidents(shown: Sequence[Incident], report: Report, page: Page, members: bool) -> list[Line]:
    reaches = [_whom(i, page) for i in shown]
    column = min(REACH, max(cells(visible(r)) for r in reaches))
    lines = []
    for incident, reach in list(zip(shown, reaches, strict=True))[: None if members else INCIDENTS]:
        told = root_of(incident, report)
        label = told.confidence if told else "open"
        style: Style = "bad" if label == "proven" else "warn"
        head = Span(padded("  " + page.word(label), COLUMN), style)
        since = f"  {page.word('since', time=_clock(incident, report))}" if incident.since else ""
        says = cut(shortened(page.text(incident.says)), max(24, page.width - COLUMN - column - 2 - cells(since)))
        lines.append(line(head, Span(padded(cut(visible(reach), column), column + 2), "bold"), Span(says), Span(since, "dim")))
        if members:
            lines += [line(Span(" " * COLUMN), Span(who(m), "dim")) for m in read_of(incident)]
            if incident.alike:
                lines.append(line(Span(" " * COLUMN), Span(page.word("alike") + page.word("colon").rstrip())))
                lines += [line(Span(" " * COLUMN), Span(who(m), "dim")) for m in incident.alike]
    if len(shown) > INCIDENTS and not members:
        lines.append(line(Span(" " * INDENT), Span(page.word("more", n=len(shown) - INCIDENTS), "dim")))
    return lines


def _whom(incident: Incident, page: Page) -> str:
    """What it reaches, counted; of a single member its name."""
    if len(incident.members) == 1 and sum(n for _, n in incident.reach) <= 1:
        return who(incident.members[0])
    return reach_of(incident, page)


def _clock(incident: Incident, report: Report) -> str:
    """The time of day, with the date where it was another day."""
    if incident.since is None:
        return ""
    return incident.since.strftime("%H:%MZ" if incident.since.date() == report.at.date() else "%m-%d %H:%MZ")


def _without(diagnoses: Sequence[Diagnosis], page: Page) -> list[Line]:
    lines = [line(Span("  " + page.word("no_cause_for"), "bold"))]
    for d in diagnoses[:WITHOUT]:
        said = cut(page.text(d.state.headline), max(40, page.width - 4))
        lines.append(line(Span(f"  {MARKS[d.state.name]} ", "bad" if d.state.name == "stuck" else "warn"), Span(said)))
    if len(diagnoses) > WITHOUT:
        lines.append(line(Span(" " * INDENT), Span(page.word("more", n=len(diagnoses) - WITHOUT), "dim")))
    return lines


def _closer(urgent: Sequence[Incident], without: Sequence[Diagnosis], report: Report) -> list[Command]:
    """One command for each of the first incidents, then for what has no cause."""
    subjects = [report.diagnoses[i.representative].subject for i in urgent[:3]] + [d.subject for d in without[:2]]
    return [why(s) for s in dict.fromkeys(subjects) if s.name]
