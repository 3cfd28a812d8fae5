"""A scan: incidents first, the widest on top, one line each, then what has no cause yet, then how to look closer."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Diagnosis, Incident, Report, Told
from unstuck.render.cells import Line, Span, Style, cells, cut, line, padded, paint
from unstuck.render.evidence import shortened
from unstuck.render.page import COLUMN, INDENT, Page, asked_as, reach_words, who
from unstuck.render.undecided import unseen_lines
from unstuck.render.visible import visible
from unstuck.render.words import MARKS, Lang

INCIDENTS = 20
WITHOUT = 10
REACH = 28


def scan(report: Report, lang: Lang, width: int, colour: bool) -> str:
    """The report of many subjects; those that are fine are only left out, never counted as looked at in full."""
    page = Page(lang, max(60, width), report.at)
    stuck = [d for d in report.diagnoses if d.state.name == "stuck"]
    unknown = [d for d in report.diagnoses if d.state.name == "unknown"]
    urgent = [i for i in report.incidents if report.diagnoses[i.representative].state.name in ("stuck", "unknown")]
    lines: list[Line] = [_head(len(urgent), len(stuck), len(unknown), page)]
    if waiting := sum(d.state.name == "progressing" for d in report.diagnoses):
        lines.append(line(Span("  "), Span(page.word("scan_progressing", n=waiting), "dim")))
    if urgent:
        lines += [line(), *_incidents(urgent, report, page)]
    without = [d for d in (*stuck, *unknown) if not d.causes]
    if without:
        lines += [line(), *_without(without, page)]
    refused = [r for d in report.diagnoses[:1] for r in d.refused]
    if unseen := unseen_lines(refused, page):
        lines += [line(), *unseen]
    if closer := _closer(urgent, without, report):
        lines += [line(), *(page.command("", c, Span(page.word("closer")) if i == 0 else None) for i, c in enumerate(closer))]
    return paint(lines, colour)


def _head(urgent: int, stuck: int, unknown: int, page: Page) -> Line:
    if not stuck and not unknown:
        return line(Span(MARKS["fine"] + " ", "good"), Span(page.word("scan_fine"), "bold"))
    sign: tuple[str, Style] = (MARKS["stuck"], "bad") if stuck else (MARKS["unknown"], "warn")
    said = page.word("scan_stuck", stuck=stuck, unknown=unknown, incidents=urgent)
    return line(Span(sign[0] + " ", sign[1]), Span(said, "bold"))


def _incidents(shown: Sequence[Incident], report: Report, page: Page) -> list[Line]:
    reaches = [_whom(i) for i in shown]
    column = min(REACH, max(cells(visible(r)) for r in reaches))
    lines = []
    for incident, reach in list(zip(shown, reaches, strict=True))[:INCIDENTS]:
        told = _root(incident, report)
        confidence = told.confidence if told else "likely"
        style: Style = "bad" if confidence == "proven" else "warn"
        head = Span(padded("  " + page.word(confidence), COLUMN), style)
        since = f"  {page.word('since', time=_clock(incident, report))}" if incident.since else ""
        says = cut(shortened(page.text(incident.says)), max(24, page.width - COLUMN - column - 2 - cells(since)))
        lines.append(line(head, Span(padded(cut(visible(reach), column), column + 2), "bold"), Span(says), Span(since, "dim")))
    if len(shown) > INCIDENTS:
        lines.append(line(Span(" " * INDENT), Span(page.word("more", n=len(shown) - INCIDENTS), "dim")))
    return lines


def _whom(incident: Incident) -> str:
    """What it reaches, counted; of a single member its name."""
    if len(incident.members) == 1 and sum(n for _, n in incident.reach) <= 1:
        return who(incident.members[0])
    return reach_words(incident.reach)


def _clock(incident: Incident, report: Report) -> str:
    """The time of day, with the date where it was another day."""
    if incident.since is None:
        return ""
    return incident.since.strftime("%H:%MZ" if incident.since.date() == report.at.date() else "%m-%d %H:%MZ")


def _root(incident: Incident, report: Report) -> Told | None:
    causes = report.diagnoses[incident.representative].causes
    return next((t for t in causes if t.id == incident.cause and t.consequence_of is None), None)


def _without(diagnoses: Sequence[Diagnosis], page: Page) -> list[Line]:
    lines = [line(Span("  " + page.word("no_cause_for"), "bold"))]
    for d in diagnoses[:WITHOUT]:
        said = cut(page.text(d.state.headline), max(40, page.width - 4))
        lines.append(line(Span(f"  {MARKS[d.state.name]} ", "bad" if d.state.name == "stuck" else "warn"), Span(said)))
    if len(diagnoses) > WITHOUT:
        lines.append(line(Span(" " * INDENT), Span(page.word("more", n=len(diagnoses) - WITHOUT), "dim")))
    return lines


def _closer(urgent: Sequence[Incident], without: Sequence[Diagnosis], report: Report) -> list[str]:
    """One command for each of the first incidents, then for what has no cause."""
    subjects = [report.diagnoses[i.representative].subject for i in urgent[:3]] + [d.subject for d in without[:2]]
    return [f"unstuck why {asked_as(s)}" for s in dict.fromkeys(subjects) if s.name]
