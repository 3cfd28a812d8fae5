"""What is not decided, what would decide it, and what was not allowed to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.shortlist import Look
from unstuck.diagnosis.text import who
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Refused
from unstuck.render.cells import Line, Span, cut
from unstuck.render.details import detail_in
from unstuck.render.page import COLUMN, Page
from unstuck.render.steps import do_not_lines
from unstuck.render.unreached import told_by_ways, ways_line
from unstuck.render.visible import visible

ASKS = 4
# What of an object was not seen, where it is not the object itself.
PARTS = {"Events": "part_events", "Lease": "part_lease", "LastLines": "part_log", "Keys": "part_keys"}


def undecided_lines(d: Diagnosis, page: Page) -> list[Line]:
    """Return the shortlist: causes by stage, the commands that decide between them, and what must not be done meanwhile."""
    chosen = d.shortlist
    lines: list[Line] = []
    if chosen.places:
        lines += _between(d, page)
        if chosen.only_nodes:
            lines += page.block(Span(""), page.word("only_node"), "dim")
    return lines + _decide_lines(chosen.looks, page) + do_not_lines(chosen.do_not, page)


def _between(d: Diagnosis, page: Page) -> list[Line]:
    """Return one paragraph; where the subject may stand at several stages, one for each."""
    label = "possible" if d.causes or d.state.name == "fine" else "undecided"
    lines: list[Line] = []
    rows = open_rows(d, page)
    for stage, names in rows:
        where = f"{stage}{page.word('open_stage')}" if stage and len(rows) > 1 else ""
        lines += page.block(Span("" if lines else page.word(label), "warn"), where + " · ".join(names))
    return lines


def open_rows(d: Diagnosis, page: Page) -> list[tuple[str, list[str]]]:
    """Return each stage's name with the titles and ids of the causes that would stand there; the last row counts the others."""
    says: dict[str, str] = {s.id: page.text(s.says) for s in d.stages}
    titles = {o.id: o.title for o in d.undecided}
    rows: dict[str, list[str]] = {}
    for place in d.shortlist.places:
        rows.setdefault(says.get(place.stage, ""), []).extend(f"{page.text(titles[i])} ({i})" for i in place.causes)
    if rows and d.shortlist.more:
        rows[[*rows][-1]].append(page.word("more", n=d.shortlist.more))
    return [*rows.items()]


def _decide_lines(looks: Sequence[Look], page: Page) -> list[Line]:
    lines: list[Line] = []
    for look in looks:
        label = None if lines else Span(page.word("decide"), "bold")
        lines += page.command(page.on_node(look.node) if look.on == "node" else "", look.command, label)
        if look.instead is not None:
            lines += page.command(f"{page.word('or')} ", look.instead)
    return lines


def unseen_lines(refused: Sequence[Refused], page: Page, unreached: Sequence[Unreached] = (), *, quiet: bool = True) -> list[Line]:
    """Return what was asked and not answered: an answer that saw less must say so. Questions that failed for one reason are one row.

    unreached: the ways to nodes that failed, one row a node. quiet: ways that were not there at all are not worth saying.
    """
    nodes: dict[str, list[Unreached]] = {}
    for u in unreached:
        nodes.setdefault(u.about.name or "", []).append(u)
    lines: list[Line] = []
    said = list(unseen_texts([r for r in refused if not told_by_ways(r, nodes)], page))
    for text in said[:ASKS]:
        lines += page.block(Span("" if lines else page.word("unseen"), "warn"), cut(text, page.room))
    if len(said) > ASKS:
        lines.append((Span(" " * COLUMN), Span(page.word("more", n=len(said) - ASKS), "dim")))
    for node in sorted(nodes)[:ASKS]:
        if way := ways_line(nodes[node], page, quiet=quiet):
            lines += page.block(Span("" if lines else page.word("unseen"), "warn"), f"Node {node} — {way}")
    return lines


def unseen_texts(refused: Sequence[Refused], page: Page) -> Iterator[str]:
    """Yield a row for each reason and object; lists that failed in one way are one row. Harmless."""
    groups: dict[tuple[str, str, str], set[str]] = {}
    lists: dict[str, dict[str, str]] = {}
    for r in refused:
        if r.why in ("denied", "timeout", "unreachable", "too-large"):
            groups.setdefault((r.why, r.detail, who(r.about)), set()).add(r.want)
            if r.about.kind.endswith("List") and r.want == "Names":
                lists.setdefault(r.why, {})[who(r.about)] = r.detail
    together = {why: names for why, names in lists.items() if len(names) > 2}
    for why, names in sorted(together.items()):
        details = set(names.values())
        detail = f"{page.word('colon')}{detail_in(details.pop(), page.lang)}" if len(details) == 1 else ""
        yield visible(f"{', '.join(sorted(names))} — {page.word(why)}{detail}")
    for why, detail, about in sorted(groups):
        if about in together.get(why, ()) and groups[why, detail, about] == {"Names"}:
            continue
        parts = ", ".join(page.word(PARTS[w]) for w in sorted(groups[why, detail, about]) if w in PARTS)
        said = f"{about}{f' ({parts})' if parts else ''} — {page.word(why)}" + (
            f"{page.word('colon')}{detail_in(detail, page.lang)}" if detail else ""
        )
        yield visible(said)
