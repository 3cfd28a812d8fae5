"""Where a pending Pod might be scheduled: the reasons against each Node, changes that would open a Node, and
the Pods that occupy the room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.placing import ClosedNodes, Holds, Opening, Placing
from unstuck.diagnosis.text import Text
from unstuck.render.cells import Line, Span
from unstuck.render.evidence import shorten_paths
from unstuck.render.page import Page

NAMES = 3


def lay_out_placing(d: Diagnosis, page: Page, most: int) -> list[Line]:
    """Lay out at most `most` rows of each part; nothing if the answer has no placing."""
    if d.whereto is None or d.state.name in ("fine", "held") or not most:
        return []
    p = d.whereto.placing
    lines = _render_closed_node_lines(p, page, most)
    for i, (field, says) in enumerate(p.flaws[:most]):
        lines += page.block(Span("" if i else page.word("flaw")), shorten_paths(f"{field} {page.text(says)}"))
    for i, one in enumerate(p.openings[:most]):
        lines += page.block(Span("" if i else page.word("opens")), shorten_paths(_opening_text(one, page)))
    for i, held in enumerate(p.holders[:most]):
        lines += page.block(Span("" if i else page.word("held_by")), _holders_text(held, page))
    if p.preemption:
        lines += page.block(Span(page.word("preemption")), page.text(p.preemption))
    for i, text in enumerate(p.open[:most]):
        lines += page.block(Span("" if i else page.word("open_here"), "warn"), shorten_paths(text))
    if p.agrees is False:
        lines += page.block(Span(page.word("differs"), "warn"), page.word("scheduler_differs"))
    return lines


def _render_closed_node_lines(p: Placing, page: Page, most: int) -> list[Line]:
    lines: list[Line] = []
    if p.fits:
        lines += page.block(
            Span(page.word("at_nodes"), "good"), page.word("fits_now", names=_names(p.fits, page))
        )
    for group in p.closed[:most]:
        label = Span(page.word("at_nodes") if not lines else "")
        lines += page.block(
            label, shorten_paths(_group(group, p.nodes, page)), tail=_names(group.nodes, page)
        )
    rest = p.closed[most:]
    if rest:
        lines += page.block(
            Span(""), page.word("more_groups", n=sum(len(g.nodes) for g in rest), groups=len(rest)), "dim"
        )
    if not p.nodes:
        lines += page.block(Span(page.word("at_nodes")), page.word("no_nodes"))
    return lines


def _group(group: ClosedNodes, nodes: int, page: Page) -> str:
    against = page.word("semicolon").join(page.text(b.says) for b in group.barriers)
    return page.word("n_of", n=len(group.nodes), nodes=nodes) + against


def _opening_text(one: Opening, page: Page) -> str:
    if one.kind == "node":
        return page.word("like", change=page.text(one.says), names=_names(one.opens, page))
    return page.word("opening", change=page.text(one.says), n=len(one.opens), names=_names(one.opens, page))


def _holders_text(held: Holds, page: Page) -> str:
    what = (
        page.word("holds_some", amount=held.shown, pods=held.pods)
        if held.shown
        else page.word("holds_pods", pods=held.pods)
    )
    if held.owner.name is None:
        return page.word("of_nobody", namespace=held.owner.within) + what
    return f"{held.owner.kind} {held.owner.within}/{held.owner.name}{page.word('colon')}{what}"


def _names(names: Sequence[str], page: Page) -> str:
    shown = ", ".join(names[:NAMES])
    return f"{shown} {page.word('more', n=len(names) - NAMES)}" if len(names) > NAMES else shown


def make_placing(p: Placing) -> dict[str, Any]:
    """Return the whole placing as plain values."""
    return {
        "nodes": p.nodes,
        "closed": [
            {
                "barriers": [{"kind": b.kind, "says": _text(b.says), "quote": b.quote} for b in c.barriers],
                "count": len(c.nodes),
                "nodes": list(c.nodes),
            }
            for c in p.closed
        ],
        "fits": list(p.fits),
        "changes": [
            {"kind": o.kind, "says": _text(o.says), "count": len(o.opens), "opens": list(o.opens)}
            for o in p.openings
        ],
        "holders": [
            {
                "resource": h.resource,
                "kind": h.owner.kind,
                "namespace": h.owner.within,
                "name": h.owner.name,
                "amount": h.amount,
                "pods": h.pods,
            }
            for h in p.holders
        ],
        "preemption": _text(p.preemption) if p.preemption else None,
        "flaws": [{"field": field, "says": _text(says)} for field, says in p.flaws],
        "open": list(p.open),
        "agrees": p.agrees,
    }


def _text(t: Text) -> dict[str, str]:
    return {"en": t.en, "zh": t.zh}
