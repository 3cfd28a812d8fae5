"""The content of a page in Markdown or HTML: the same parts as the text, in its order, as plain words in one
language.

`select_content` has chosen the parts; each format has its own escaping and layout. Every text is harmless:
its hidden characters are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unstuck.diagnosis.answer import Answer, Incident
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.text import told_apart
from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.render.cells import Line, Span
from unstuck.render.changes import change_lines
from unstuck.render.evidence import EvidenceRow as Evidence
from unstuck.render.evidence import drop_repeated_file, shorten_longest_paths, shorten_paths
from unstuck.render.incident_names import describe_sighting, format_reach
from unstuck.render.next_question import OneNext, keep_one_next
from unstuck.render.page import Page, lay_out
from unstuck.render.placeholders import find_placeholders
from unstuck.render.placing import lay_out_placing
from unstuck.render.progress import lay_out_progress
from unstuck.render.scan import list_rows
from unstuck.render.scan_selection import find_root, list_examined, name_hold, select_incidents
from unstuck.render.scan_selection import write_headline as scan_headline
from unstuck.render.selection import PAGE, BlockContent, QuotedWords, RootCause, select_content
from unstuck.render.similar_diagnoses import group_similar
from unstuck.render.steps import name_source
from unstuck.render.text import lay_out_headline, point_to_first_question
from unstuck.render.undecided import (
    describe_next,
    describe_unseen,
    lay_out_held,
    lay_out_leads,
    lay_out_more_leads,
    lay_out_unseen,
    note_node,
)
from unstuck.render.visible import visible
from unstuck.render.words import Lang

# Wide enough that no line is broken.
_ENDLESS = 1_000_000


@record()
class Item(Record):
    """One item of a part. where: the host. risk: in words, risky: its key, "" for none. then: its effect.

    quoted: the words of a person or a program. aside: a minor remark, such as a cause's id or the meaning of
    a placeholder. sure, sure_says: a cause's confidence, "proven" or "likely", and its wording.
    """

    says: str = ""
    sure: str = ""
    sure_says: str = ""
    where: str = ""
    command: str = ""
    risk: str = ""
    risky: str = ""
    undo: str = ""
    then: str = ""
    aside: tuple[str, ...] = ()
    quoted: bool = False


@record()
class Part(Record):
    """A label with its content. key: the label's key in the interface's words, "" for a computed label."""

    key: str
    label: str
    items: tuple[Item, ...]


@record()
class Block(Record):
    """One incident, or one answer. number: "" outside of a scan. sure: "proven", "likely", "open" or "", also
    shown by a cause in the block.

    members: the other affected objects, below headings.
    """

    number: str
    heading: str
    sure: str
    sure_says: str
    parts: tuple[Part, ...]
    members: tuple[tuple[str, tuple[str, ...]], ...] = ()


@record()
class IncidentRow(Record):
    """One row of a scan's table. trouble: the blocked activity, common to several rows."""

    number: str
    trouble: str
    sure: str
    sure_says: str
    whom: str
    why: str
    since: str


@record()
class Document(Record):
    """The whole page. about: time, version, sources. columns: heads of the table. rest: unseen objects and
    unasked questions.
    """

    title: str
    head: str
    about: tuple[str, ...]
    entries: tuple[IncidentRow, ...]
    columns: tuple[str, str, str]
    blocks: tuple[Block, ...]
    rest: tuple[Part, ...]
    undo: str
    then: str


def build_document(report: Answer, lang: Lang, title: str, *, survey: bool) -> Document:
    """Build the document of a report. survey: whether it is a table with incidents, or one block for each
    answer.
    """
    page = replace(lay_out(lang, _ENDLESS, report.at), printed=True)
    one = keep_one_next(report)
    at = report.at.strftime("%Y-%m-%d %H:%M:%SZ")
    unseen, left_out = (
        tuple(describe_unseen(report.not_seen, page)),
        tuple(page.text(t) for t in report.left_out),
    )
    held = tuple(f"{visible(told_apart(r))}{page.word('dash')}{name_hold(r, page)}" for r in report.held)
    rest = (("held", held), ("unseen", unseen), ("left_out", left_out))
    return Document(
        title=title,
        head=_head(report, page, survey=survey),
        about=tuple(
            filter(
                None,
                (at, f"unstuck {report.tool}" if report.tool else "", visible(", ".join(report.sources))),
            )
        ),
        entries=tuple(_render_entries(report, page)) if survey else (),
        columns=(page.word("column_who"), page.word("column_why"), page.word("column_since")),
        blocks=tuple(_render_incidents(report, page) if survey else _answers(one, page)),
        rest=tuple(
            Part(key, page.word(key), tuple(Item(text) for text in texts)) for key, texts in rest if texts
        ),
        undo=page.word("undo"),
        then=page.word("verify"),
    )


def _head(report: Answer, page: Page, *, survey: bool) -> str:
    if survey:
        return scan_headline(select_incidents(report), report, page)
    if not report.diagnoses:
        return page.word("nothing_else" if report.ignored else "nothing")
    return _join_spans(lay_out_headline(group_similar(report.diagnoses)[0], page))[0]


def _render_entries(report: Answer, page: Page) -> Iterator[IncidentRow]:
    for row in list_rows(report, page):
        sure = page.word(row.sure)
        yield IncidentRow(
            str(row.number),
            page.word(row.trouble),
            row.sure,
            sure,
            row.name + row.others,
            shorten_paths(row.why),
            row.since,
        )


def _render_incidents(report: Answer, page: Page) -> Iterator[Block]:
    rows = {row.number: row for row in list_rows(report, page)}
    for incident in select_incidents(report).urgent:
        row, first = rows[incident.id], report.diagnoses[incident.representative]
        yield Block(
            number=str(incident.id),
            heading=row.name
            + row.others
            + page.word("dash")
            + page.text(first.state.says or first.state.headline),
            sure=row.sure,
            sure_says=page.word(row.sure),
            parts=(*_render_incident_parts(incident, report, page), _closer(first.subject, page)),
            members=_render_members(incident, page),
        )
    for d in select_incidents(report).without:
        yield Block(
            "",
            _join_spans(lay_out_headline([d], page))[0],
            "open",
            page.word("open"),
            tuple(_render_parts(select_content([d]), page)),
        )


def _render_incident_parts(incident: Incident, report: Answer, page: Page) -> Iterator[Part]:
    """Yield the parts of an incident, from its representative's answer without that answer's other root
    causes, which have their own incidents.
    """
    t = select_content([report.diagnoses[incident.representative]])
    root = find_root(incident, report)
    yield from _render_parts(
        replace(t, whys=tuple(w for w in t.whys if w.cause == root), others=()) if root else t, page
    )


def _render_members(incident: Incident, page: Page) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = (("members", list_examined(incident)), ("alike", incident.alike))
    return tuple((page.word(key), tuple(visible(told_apart(m)) for m in refs)) for key, refs in found if refs)


def _answers(one: OneNext, page: Page) -> Iterator[Block]:
    for alike in group_similar(one.report.diagnoses):
        t = select_content(alike)
        sure = (
            t.whys[0].cause.confidence
            if t.whys
            else "open"
            if t.first.state.name in ("stuck", "unknown")
            else ""
        )
        members = (
            ((page.word("members"), tuple(visible(told_apart(d.subject)) for d in alike)),)
            if len(alike) > 1
            else ()
        )
        yield Block(
            "",
            _join_spans(lay_out_headline(alike, page))[0],
            sure,
            page.word(sure) if sure else "",
            (
                *_render_parts(t, page),
                *_render_line_parts(
                    point_to_first_question(one.pointed_from(t.first), page), page.word("next")
                ),
            ),
            members,
        )


# --- the parts of one answer --------------------------------------------------------------------------------


def _render_parts(t: BlockContent, page: Page) -> Iterator[Part]:
    """Yield the parts in the order of the text."""
    d = t.first
    yield from _render_part("says", [_quote_item(one, page) for one in t.says], page)
    for at, one in enumerate(t.whys):
        yield from _render_part("why", [_cause(one, page)], page)
        yield from _render_acts(one.steps, one.do_not, page)
        if at:
            yield from _render_part("proof", list(_render_proof(one, page)), page)
    yield from _render_line_parts([] if t.whys else lay_out_held(d, page))
    yield from _render_line_parts(_leads(t, page))
    yield from _render_next(t, page)
    yield from _render_acts((), t.do_not, page)
    shown = [item for one in t.whys[:1] for item in _render_proof(one, page)] + [
        _evidence(row, page) for row in t.seen
    ]
    yield from _render_part("proof", shown, page)
    yield from _render_line_parts(
        [*lay_out_placing(d, page, PAGE.placing), *change_lines(d, page, PAGE.placing)]
    )
    yield from _render_line_parts(lay_out_progress(d, page, PAGE.stages), page.word("stages"))
    yield from _render_line_parts(
        lay_out_unseen(d.refused, page, d.unreached, quiet=not d.shortlist.asks_nodes)
    )


def _render_part(key: str, items: Sequence[Item], page: Page) -> Iterator[Part]:
    if items:
        yield Part(key, page.word(key), tuple(items))


def _cause(one: RootCause, page: Page) -> Item:
    seen = filter(None, (visible(describe_sighting(one.cause, page)),))
    sure = one.cause.confidence
    return Item(
        shorten_longest_paths(page.text(one.cause.finding.says)),
        sure,
        page.word(sure),
        aside=(one.cause.id, *seen),
    )


def _render_acts(steps: Sequence[Step], acts: Sequence[DoNot], page: Page) -> Iterator[Part]:
    yield from _render_part(
        "fix", [_step(step, page, name_source(steps, i, page)) for i, step in enumerate(steps)], page
    )
    yield from _render_part(
        "dont", [Item(page.text(a.says) + page.word("colon") + page.text(a.because)) for a in acts], page
    )


def _step(step: Step, page: Page, source: str) -> Item:
    kind, _, node = step.where.partition(":")
    risk = page.word(step.risk) if step.risk != "none" or step.command else ""
    return Item(
        says=" ".join((source + page.text(step.says), *map(page.text, step.command.why_none))).strip(),
        where=page.node_prefix(node).rstrip() if kind == "node" and step.command else "",
        command=visible(step.command.line),
        risk=risk,
        risky=step.risk,
        undo=visible(step.undo.line) if step.command else "",
        then=page.text(step.verify) if step.verify else "",
        aside=_render_placeholder_items((*step.command.argv, *step.undo.argv), page),
    )


def _render_placeholder_items(argv: Sequence[str], page: Page) -> tuple[str, ...]:
    return tuple(page.word("put_for", word=word, how=page.text(how)) for word, how in find_placeholders(argv))


def _leads(t: BlockContent, page: Page) -> list[Line]:
    """Return the possible causes in one list; the text format puts the next command between them."""
    rest = lay_out_more_leads(t, page)
    return rest if t.whys else [*lay_out_leads(t, page), *((Span(""), *one[1:]) for one in rest)]


def _render_next(t: BlockContent, page: Page) -> Iterator[Part]:
    items = []
    for n, one in enumerate(t.next):
        where = (page.word("or_else") if n else "") + note_node(one, t.first, page)
        says = page.text(one.says) if n else describe_next(one, t, page)
        items.append(_run(one.command, says, where.strip(), page))
    yield from _render_part("next", items, page)


def _closer(subject: Ref, page: Page) -> Part:
    return Part("closer", page.word("closer"), (_run(ask_why(subject), "", "", page),))


def _run(command: Command, says: str, where: str, page: Page) -> Item:
    says = page.word("semicolon").join(filter(None, (says, *map(page.text, command.why_none))))
    return Item(
        says, where=where, command=visible(command.line), aside=_render_placeholder_items(command.argv, page)
    )


def _quote_item(one: QuotedWords, page: Page) -> Item:
    aside = [f"×{one.count}"] if one.count > 1 else []
    aside += [page.word("ago", span=page.ago(one.last))] if one.last else []
    return Item(visible(f"{page.speaker_prefix(one.by)}{one.words}"), quoted=True, aside=tuple(aside))


def _render_proof(one: RootCause, page: Page) -> Iterator[Item]:
    yield from (_evidence(row, page) for row in one.proof)
    yield from (Item(shorten_paths(page.text(note))) for note in one.notes)
    for depth, other in one.follows:
        aside = f"{page.word(other.confidence)} {other.id}"
        yield Item(f"{'→ ' * (depth + 1)}{shorten_paths(page.text(other.finding.says))}", aside=(aside,))
    if sum(n for _, n in one.cause.reach) > 1:
        yield Item(page.word("affects") + visible(format_reach(one.cause.reach, page)))


def _evidence(row: Evidence, page: Page) -> Item:
    row = drop_repeated_file(row)
    aside = [f"×{row.count}"] if row.count > 1 else []
    aside += [page.word("last" if row.count > 1 else "ago", span=page.ago(row.last))] if row.last else []
    said = "  ".join(filter(None, (row.source, row.at, row.quote)))
    return Item(visible(shorten_paths(said)), quoted=True, aside=tuple(aside))


# --- parts that are lines in the text -----------------------------------------------------------------------


def _render_line_parts(lines: Iterable[Line], label: str = "") -> Iterator[Part]:
    """Yield each label with its rows. label: for rows before the first label."""
    items: list[Item] = []
    for one in lines:
        head, *rest = one
        if named := head.text.strip():
            if items:
                yield Part("", label, tuple(items))
            label, items = named, []
        first, *aside = [span.text.strip() for span in rest] or [""]
        items.append(Item(first.removeprefix("· "), aside=tuple(filter(None, aside))))
    if items:
        yield Part("", label, tuple(items))


def _join_spans(lines: Iterable[Line]) -> list[str]:
    return ["".join(span.text for span in one) for one in lines]
