"""An answer as a person reads it: what is stuck, where it stands, why, what helps, what must not be done."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Report, messages_in
from unstuck.diagnosis.text import who
from unstuck.diagnosis.verdict import Evidence
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.host import DiskSpace
from unstuck.facts.aspects.kernel import HungTasks, KernelEvents
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.render.cells import Line, Span, Style, cells, line, paint, wrapped
from unstuck.render.changed import changed_lines
from unstuck.render.evidence import evidence_lines, shortened, words_of
from unstuck.render.page import COLUMN, INDENT, Page, reach_words
from unstuck.render.placing import placing_lines
from unstuck.render.steps import do_not_lines, help_lines
from unstuck.render.undecided import undecided_lines, unseen_lines
from unstuck.render.visible import visible
from unstuck.render.words import MARKS, STAGE_MARKS, Lang

ROOTS = 3
SEEN = 3
NOTES = 5
_STATES: dict[str, Style] = {"fine": "good", "progressing": "warn", "stuck": "bad", "unknown": "warn"}
_STAGES: dict[str, Style] = {"done": "good", "not-done": "bad", "unknown": "warn", "later": "dim"}


def text(report: Report, lang: Lang, width: int, colour: bool) -> str:
    """Return the report for a terminal `width` cells wide; only commands are longer, so that they can be copied.

    Nothing that came from outside reaches the terminal as anything but visible characters; colour adds SGR escapes alone.
    """
    page = Page(lang, max(60, width), report.at)
    nothing = page.word("nothing_else" if report.ignored else "nothing")
    lines: list[Line] = [] if report.diagnoses else [line(Span(MARKS["fine"] + " ", "good"), Span(nothing, "bold"))]
    for i, diagnosis in enumerate(report.diagnoses):
        lines += [line()] if i else []
        lines += diagnosis_lines(diagnosis, page)
    return paint([*lines, *left_out_lines(report, page)], colour)


def left_out_lines(report: Report, page: Page) -> list[Line]:
    """Return what was not asked for or is ignored, below all else."""
    lines: list[Line] = []
    for i, said in enumerate(report.left_out):
        lines += [*([] if i else [line()]), *page.block(Span("" if i else page.word("left_out"), "warn"), page.text(said))]
    return lines


def diagnosis_lines(d: Diagnosis, page: Page) -> list[Line]:
    """Return one subject's answer, at most about a screen."""
    lines = headline(d, page)
    if d.state.name == "fine" and not d.causes and not any(o.possible for o in d.undecided):
        return lines
    parts = (
        _stages(d, page),
        _causes(d.causes, page),
        placing_lines(d, page),
        changed_lines(d, page),
        _seen(d, page),
        undecided_lines(d, page),
        _no_cause(d, page),
    )
    for part in (*parts, unseen_lines(d.refused, page, d.unreached, quiet=not d.shortlist.asks_nodes)):
        if part:
            lines += [line(), *part]
    return lines


def headline(d: Diagnosis, page: Page) -> list[Line]:
    """Return the state's mark and its one sentence."""
    style = _STATES[d.state.name]
    first, *rest = wrapped(page.text(d.state.headline), page.width - 2)
    return [line(Span(MARKS[d.state.name] + " ", style), Span(first, "bold")), *(line("  ", Span(t, "bold")) for t in rest)]


def _stages(d: Diagnosis, page: Page) -> list[Line]:
    lines: list[Line] = []
    current: list[Span] = [Span(" " * INDENT)]
    used = INDENT
    for stage in d.stages:
        when = f" {page.word('ago', span=page.ago(stage.since))}" if stage.since and stage.state != "later" else ""
        name, sign = page.text(stage.says) + " ", STAGE_MARKS[stage.state]
        size = cells(name) + 1 + cells(when)
        if used > INDENT and used + size > page.width:
            lines.append(tuple(current))
            current, used = [Span(" " * INDENT)], INDENT
        current += [Span(name, "dim" if stage.state == "later" else ""), Span(sign, _STAGES[stage.state]), Span(when + "  ", "dim")]
        used += size + 2
    if len(current) > 1:
        lines.append(tuple(current))
    for stage in d.stages:
        if stage.note and stage.state == "not-done":
            lines += page.block(Span(""), page.text(stage.note))
    return lines


def _seen(d: Diagnosis, page: Page) -> list[Line]:
    """Without a cause, what was seen where it stands: words that no known cause explains are still the best lead.

    Of what is fine, what speaks for something beside it that is not.
    """
    if d.state.name == "fine" and not d.causes:
        return evidence_lines([e for o in d.undecided for e in o.evidence], page, SEEN, page.word("seen"))
    if d.causes or d.state.name not in ("stuck", "unknown"):
        return []
    # The kubelet's own reason why it ended the whole Pod stands in its phase.
    open_ = [f for f in d.state.evidence if isinstance(f, ContainerStatuses) or (isinstance(f, Phase) and f.reason)]
    said = [*messages_in(d)]
    # The scheduler's sentence by itself is no event, and the best that is known of the Pod.
    own = (HungTasks, KernelEvents, DiskSpace) if said else (HungTasks, KernelEvents, DiskSpace, Unschedulable)
    kernel = [e.fact for o in d.undecided for e in o.evidence if isinstance(e.fact, own)]
    lines = evidence_lines([Evidence("supporting", f) for f in (*said, *open_, *kernel) if f.src.quote], page, SEEN, page.word("seen"))
    for words in list(dict.fromkeys(_words(f, page) for f in said))[:SEEN]:
        lines += page.block(Span(""), words)
    return lines


def _words(fact: Failure | Events, page: Page) -> str:
    by, error = words_of(fact) or ("", "")
    return visible(page.word("said_by", by=by, error=error) if by else page.word("said", error=error))


def _causes(causes: Sequence[CauseMatch], page: Page) -> list[Line]:
    """Return each root with all that belongs to it; beyond the first few one line each."""
    roots = [i for i, t in enumerate(causes) if t.consequence_of is None]
    lines: list[Line] = []
    for i in roots[:ROOTS]:
        lines += [line()] if lines else []
        lines += _root(i, causes, page)
    for i in roots[ROOTS:]:
        label = Span(page.word("also") if i == roots[ROOTS] else "")
        lines += page.block(label, f"{page.word(causes[i].confidence)}  {shortened(page.text(causes[i].finding.says))}", tail=causes[i].id)
    return lines


def _root(i: int, causes: Sequence[CauseMatch], page: Page) -> list[Line]:
    told = causes[i]
    style: Style = "bad" if told.confidence == "proven" else "warn"
    lines = page.block(Span(page.word(told.confidence), style), shortened(page.text(told.finding.says)), "bold", tail=told.id)
    if told.via:
        lines += page.block(Span(""), page.word("seen_on", who=who(told.via)), "dim")
    lines += evidence_lines(told.evidence, page)
    for note in told.finding.notes[:NOTES]:
        lines += page.block(Span(""), shortened(page.text(note)))
    lines += _chain(i, causes, page)
    if sum(n for _, n in told.reach) > 1:
        lines += page.block(Span(page.word("reach")), reach_words(told.reach))
    lines += help_lines(told.finding.help, page)
    lines += do_not_lines(told.finding.do_not, page)
    return lines


def _chain(root: int, causes: Sequence[CauseMatch], page: Page) -> list[Line]:
    """Return what follows from the root, each consequence indented below what it follows from."""
    lines: list[Line] = []

    def below(parent: int, depth: int) -> None:
        for i, told in enumerate(causes):
            if told.consequence_of == parent and i != parent and depth < 8:
                lead = "  " * depth + "→ "
                label = Span("" if lines else page.word("chain"))
                says = shortened(page.text(told.finding.says))
                lines.extend(page.block(label, lead + says, tail=f"{page.word(told.confidence)} {told.id}"))
                below(i, depth + 1)

    below(root, 0)
    return lines


def _no_cause(d: Diagnosis, page: Page) -> list[Line]:
    if d.causes or d.undecided or d.state.name not in ("stuck", "unknown"):
        return []
    return [line(Span(" " * INDENT), Span(t)) for t in wrapped(page.word("no_cause", n=len(d.ruled_out)), max(COLUMN, page.width - INDENT))]
