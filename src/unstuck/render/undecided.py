"""Open causes, the commands to decide them, and denied questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.diagnosis.answer import Diagnosis, OpenCause
from unstuck.diagnosis.next import Next
from unstuck.diagnosis.text import told_apart
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Refused
from unstuck.render.cells import Line, Span, count_cells, cut
from unstuck.render.details import translate_detail
from unstuck.render.page import Page
from unstuck.render.placeholders import find_placeholders
from unstuck.render.selection import BlockContent
from unstuck.render.steps import lay_out_replacement
from unstuck.render.unreached import describe_access, is_explained_by_access
from unstuck.render.visible import visible

ASKS = 4
AREAS = 5
# The number of leads above the next command.
FIRST = 2
# The number of printed evidence rows of a lead.
NOTES = 2
# The unseen part of an object, other than the object itself.
PARTS = {"Events": "part_events", "Lease": "part_lease", "LastLines": "part_log", "Keys": "part_keys"}


def lay_out_leads(t: BlockContent, page: Page) -> list[Line]:
    """Lay out the first leads in place of a cause; if none can be named, count the possible causes."""
    if t.whys or (
        not t.leads and (t.first.state.passed or t.first.state.name in ("fine", "progressing", "held"))
    ):
        return []
    if not t.leads:
        return _render_unnamed_lead(t, page)
    label = Span(page.word("why"), "warn")
    if len(t.leads) == 1:
        only = t.leads[0]
        return page.block(
            label, page.word("possible_only") + page.text(only.title), tail=only.id
        ) + _lay_out_notes(only, page)
    spoken = any(o.possible for o in t.leads)
    word = "one_of" if spoken else "fits" if t.less else "all_that_fit"
    lines = page.block(label, page.word(word, n=len(t.leads)), "bold")
    return lines + [row for o in t.leads[:FIRST] for row in _render_lead(o, Span(""), page)]


def lay_out_held(d: Diagnosis, page: Page) -> list[Line]:
    """Name each finalizer that holds the object, with the finalizer's owner."""
    lines: list[Line] = []
    for one in d.held_by if d.state.name in ("stuck", "unknown") else ():
        label = Span("" if lines else page.word("held_by"), "warn")
        lines += page.block(label, visible(one.finalizer), tail=one.owner or page.word("owner_unknown"))
    return lines


def lay_out_more_leads(t: BlockContent, page: Page) -> list[Line]:
    """Lay out the other leads, and the number of further possible causes, below the remedy."""
    rest = t.leads if t.whys else t.leads[FIRST:]
    lines: list[Line] = []
    for o in rest:
        lines += _render_lead(o, Span("" if lines else page.word("also"), "warn"), page)
    if t.less and (t.leads or t.whys):
        lines += page.block(Span(""), page.word("less_likely", n=t.less) + page.on_demand, "dim")
    return lines


def _render_lead(one: OpenCause, label: Span, page: Page) -> list[Line]:
    return page.block(label, f"· {page.text(one.title)}", tail=one.id) + _lay_out_notes(one, page)


def _lay_out_notes(one: OpenCause, page: Page) -> list[Line]:
    return [row for note in one.notes[:NOTES] for row in page.block(Span(""), page.text(note), "dim")]


def _render_unnamed_lead(t: BlockContent, page: Page) -> list[Line]:
    d = t.first
    if not d.undecided:
        return page.block(Span(page.word("why"), "warn"), page.word("no_cause", n=len(d.ruled_out)))
    if t.says:
        return page.block(
            Span(page.word("why"), "warn"), page.word("no_rule_here", n=len(d.undecided)) + page.on_demand
        )
    lines = page.block(Span(page.word("why"), "warn"), page.word("unknown_why", n=len(d.undecided)))
    if len(t.areas) > 1:
        more = sum(n for _, n in t.areas[AREAS:])
        named = [f"{area} {n}" for area, n in t.areas[:AREAS]] + ([page.word("more", n=more)] if more else [])
        lines += page.block(Span(""), page.word("areas") + " · ".join(named), "dim")
    return lines


def note_node(one: Next, d: Diagnosis, page: Page) -> str:
    """Return `on lab-1: ` for a command on a node; for an unnamed node, the hint that the input came from
    it.
    """
    if not one.at.startswith("node:"):
        return ""
    if d.subject.kind == "Node" and not d.subject.name:
        return page.word("on_that_node")
    return page.node_prefix(one.at.removeprefix("node:"))


def lay_out_next(t: BlockContent, page: Page) -> list[Line]:
    """Lay out the next command, its expected output, and the alternative."""
    lines: list[Line] = []
    for n, one in enumerate(t.next):
        where = note_node(one, t.first, page)
        # The result of another look at the same node is already known.
        says = (
            (page.text(one.says) if n else describe_next(one, t, page))
            if one.command and not (n and where)
            else ""
        )
        label = None if n else Span(page.word("next"), "bold")
        if page.is_narrow:
            parts = (
                page.word("or_else") if n else "",
                where,
                says + page.word("colon").rstrip() if says else "",
            )
            lines += page.command("".join(parts), one.command, label)
        else:
            lead = (page.word("or_else") if n else "") + where
            room = page.width - page.column - count_cells(lead) - count_cells(one.command.line) - 2
            fits = count_cells(says) <= room
            lines += page.command(lead, one.command, label, says if fits else "")
            lines += [] if fits or not one.command else page.block(Span(""), says, "dim")
        lines += [
            row
            for word, how in find_placeholders(one.command.argv)
            for row in lay_out_replacement(word, how, page)
        ]
    return lines


def describe_next(one: Next, t: BlockContent, page: Page) -> str:
    """Describe the command's expected output; beside a known cause, as its confirmation."""
    return (page.word("to_be_sure") if t.whys else "") + page.text(one.says)


def lay_out_unseen(
    refused: Sequence[Refused],
    page: Page,
    unreached: Sequence[Unreached] = (),
    *,
    quiet: bool = True,
    most: int = ASKS,
) -> list[Line]:
    """Return the lines on unanswered questions: an answer must admit missing evidence. Questions that failed
    for one reason share a row.

    unreached: the failed access methods, one row per node. quiet: whether to omit missing access methods.
    """
    nodes: dict[str, list[Unreached]] = {}
    for u in unreached:
        nodes.setdefault(u.about.name or "", []).append(u)
    lines: list[Line] = []
    label = "unseen" if page.gap > 1 else "not_seen"
    said = list(describe_unseen([r for r in refused if not is_explained_by_access(r, nodes)], page))
    for text in said[:most]:
        lines += page.block(
            Span("" if lines else page.word(label), "warn"),
            cut(text, page.room * (3 if page.is_narrow else 1)),
        )
    if len(said) > most:
        lines.append((Span(" " * page.column), Span(page.word("more", n=len(said) - most), "dim")))
    for node in sorted(nodes)[:most]:
        if way := describe_access(nodes[node], page, quiet=quiet):
            lines += page.block(Span("" if lines else page.word(label), "warn"), f"Node {node} — {way}")
    return lines


def describe_unseen(refused: Sequence[Refused], page: Page) -> Iterator[str]:
    """Yield a row for each reason and object; lists that failed in one way share a row. The text is
    harmless.
    """
    groups: dict[tuple[str, str, str], set[str]] = {}
    lists: dict[str, dict[str, str]] = {}
    for r in refused:
        if r.why in ("denied", "timeout", "unreachable", "too-large"):
            groups.setdefault((r.why, r.detail, told_apart(r.about)), set()).add(r.want)
            if r.about.kind.endswith("List") and r.want == "Names":
                lists.setdefault(r.why, {})[told_apart(r.about)] = r.detail
    together = {why: names for why, names in lists.items() if len(names) > 2}
    for why, names in sorted(together.items()):
        details = set(names.values())
        detail = (
            f"{page.word('colon')}{translate_detail(details.pop(), page.lang)}" if len(details) == 1 else ""
        )
        yield visible(f"{', '.join(sorted(names))} — {page.word(why)}{detail}")
    for why, detail, about in sorted(groups):
        if about in together.get(why, ()) and groups[why, detail, about] == {"Names"}:
            continue
        parts = ", ".join(page.word(PARTS[w]) for w in sorted(groups[why, detail, about]) if w in PARTS)
        said = f"{about}{f' ({parts})' if parts else ''} — {page.word(why)}" + (
            f"{page.word('colon')}{translate_detail(detail, page.lang)}" if detail else ""
        )
        yield visible(said)
