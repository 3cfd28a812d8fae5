"""What a page in markdown or HTML shows of a scan: its parts in order, as plain words in one language. Escaping is the formats' own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.diagnosis.answer import Diagnosis, Incident, Report
from unstuck.diagnosis.asking import why
from unstuck.diagnosis.shortlist import Look
from unstuck.diagnosis.text import who
from unstuck.diagnosis.verdict import Evidence, Step
from unstuck.facts.record import Record, record
from unstuck.render.evidence import rows
from unstuck.render.page import Page
from unstuck.render.picked import headline, picked, reach_of, read_of, root_of
from unstuck.render.undecided import open_rows, unseen_texts
from unstuck.render.visible import visible
from unstuck.render.words import Lang

EVIDENCE = 4


@record()
class Leads(Record):
    """What may be behind one subject without a known cause. causes: a row for each stage. looks: where each is run, and the command."""

    causes: tuple[str, ...] = ()
    looks: tuple[tuple[str, str], ...] = ()


@record()
class Unexplained(Record):
    """One subject for which no cause is known."""

    headline: str
    leads: Leads


@record()
class Shown(Record):
    """One incident. label: how sure. members: those that were read. alike: those that only look so.

    closer: the command that looks closer, "" where a name cannot be right; no_closer: that, in words.
    """

    label: str
    says: str
    cause: str
    reach: str
    since: str
    members: tuple[str, ...]
    alike: tuple[str, ...]
    evidence: tuple[str, ...]
    help: tuple[tuple[str, str], ...]
    do_not: tuple[str, ...]
    closer: str
    no_closer: str = ""
    leads: Leads = Leads()


@record()
class Document(Record):
    """The whole. words: the labels of its parts."""

    title: str
    head: str
    at: str
    sources: str
    incidents: tuple[Shown, ...]
    without: tuple[Unexplained, ...]
    not_seen: tuple[str, ...]
    left_out: tuple[str, ...]
    words: tuple[tuple[str, str], ...]

    def word(self, key: str) -> str:
        """Return a label."""
        return dict(self.words)[key]

    def who(self, one: Shown) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Of an incident: the members that were read, and those that only look alike, where there are any."""
        return tuple((self.word(key), rows) for key, rows in (("members", one.members), ("alike", one.alike)) if rows)

    @property
    def rest(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Below all answers: each heading with its rows, where there are any."""
        parts = (("unseen", self.not_seen), ("left_out", self.left_out))
        return tuple((self.word(key), rows) for key, rows in parts if rows)


_WORDS = ("undecided", "decide", "help", "do_not", "seen", "closer", "members", "alike", "no_cause_for", "unseen", "left_out")


def document_of(report: Report, lang: Lang, title: str) -> Document:
    """Return the report's parts. Every text is harmless: nothing hidden is left in it."""
    page = Page(lang, 120, report.at)
    shown = picked(report)
    return Document(
        title=title,
        head=headline(shown, report, page),
        at=report.at.strftime("%Y-%m-%d %H:%M:%SZ"),
        sources=visible(", ".join(report.sources)),
        incidents=tuple(_shown(i, report, page) for i in shown.urgent),
        without=tuple(Unexplained(page.text(d.state.headline), _leads(d, page)) for d in shown.without),
        not_seen=tuple(unseen_texts(report.not_seen, page)),
        left_out=tuple(page.text(text) for text in report.left_out),
        words=tuple((key, page.word(key)) for key in _WORDS),
    )


def _shown(incident: Incident, report: Report, page: Page) -> Shown:
    first = report.diagnoses[incident.representative]
    told = root_of(incident, report)
    finding = told.finding if told else None
    closer = why(first.subject)
    return Shown(
        label=page.word(told.confidence if told else "open"),
        says=page.text(incident.says),
        cause=incident.cause,
        reach=visible(reach_of(incident, page)),
        since=incident.since.strftime("%Y-%m-%d %H:%MZ") if incident.since else "",
        members=tuple(visible(who(m)) for m in read_of(incident)),
        alike=tuple(visible(who(m)) for m in incident.alike),
        evidence=tuple(_evidence(told.evidence)) if told else (),
        help=tuple(_help(s, page) for s in finding.help) if finding else (),
        do_not=tuple(page.text(a.says) + page.word("colon") + page.text(a.because) for a in finding.do_not) if finding else (),
        closer=visible(closer.line),
        no_closer=" ".join(page.text(text) for text in closer.why_none),
        leads=_leads(first, page) if told is None else Leads(),
    )


def _leads(d: Diagnosis, page: Page) -> Leads:
    return Leads(
        tuple(
            f"{stage}{page.word('open_stage')}{' · '.join(names)}" if stage else " · ".join(names) for stage, names in open_rows(d, page)
        ),
        tuple(one for look in d.shortlist.looks for one in _looks(look, page)),
    )


def _looks(look: Look, page: Page) -> Iterator[tuple[str, str]]:
    """Tell where a command is run, and the command; where a name cannot be right, that instead."""
    where = page.on_node(look.node).strip() if look.on == "node" else ""
    yield " ".join((where, *(page.text(text) for text in look.command.why_none))).strip(), visible(look.command.line)
    if look.instead is not None and look.instead.argv:
        yield page.word("or"), visible(look.instead.line)


def _help(step: Step, page: Page) -> tuple[str, str]:
    """Return what to do and the command for it; where a name cannot be right, that instead."""
    return " ".join(page.text(text) for text in (step.says, *step.command.why_none)), visible(step.command.line)


def _evidence(evidence: Sequence[Evidence]) -> Iterator[str]:
    for row in rows(evidence)[:EVIDENCE]:
        yield visible(f"{row.source}  {row.at}  {row.quote}".strip())
