"""An answer for people: the first lines give the problem, its cause and the fix; then come actions to avoid,
the next command and the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, TypeVar

from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.text import format_span, told_apart
from unstuck.facts.core import Ref
from unstuck.render.cells import Line, Span, Style, count_cells, line, paint, wrap
from unstuck.render.changes import change_lines
from unstuck.render.evidence import lay_out_evidence, shorten_longest_paths, shorten_paths
from unstuck.render.incident_names import describe_sighting, format_reach
from unstuck.render.next_question import keep_one_next
from unstuck.render.page import Page, lay_out
from unstuck.render.placing import lay_out_placing
from unstuck.render.progress import lay_out_progress, stage_lines
from unstuck.render.selection import (
    ALL,
    EXTENTS,
    PAGE,
    BlockContent,
    Extent,
    QuotedWords,
    RootCause,
    select_content,
)
from unstuck.render.similar_diagnoses import group_similar
from unstuck.render.steps import lay_out_prohibitions, lay_out_steps
from unstuck.render.undecided import (
    lay_out_held,
    lay_out_leads,
    lay_out_more_leads,
    lay_out_next,
    lay_out_unseen,
)
from unstuck.render.visible import visible
from unstuck.render.words import BUT, LANGS, MARKS, Lang

# An answer about one object fits a terminal's 24 lines of 80 cells, including the prompt; narrower pages get
# proportionally more lines.
SCREEN = 23
USUAL = 80
NAMED = 2
_STATES: dict[str, Style] = {
    "fine": "good",
    "progressing": "warn",
    "held": "dim",
    "stuck": "bad",
    "unknown": "warn",
}
# short: a screen. wide: a screen with every stage. page: all but unlikely causes. all: everything.
Detail = Literal["short", "wide", "page", "all"]
T = TypeVar("T")


def write_text(report: Answer, lang: Lang, width: int, colour: bool, detail: Detail = "short") -> str:
    """Lay out the report for a terminal `width` cells wide; only commands may be longer, for copying.

    Foreign text reaches the terminal only as visible characters; colour adds only SGR escapes.
    """
    page = lay_out(lang, width, report.at)
    one = keep_one_next(report)
    nothing = page.word("nothing_else" if report.ignored else "nothing")
    lines: list[Line] = (
        [] if report.diagnoses else [line(Span(MARKS["fine"] + " ", "good"), Span(nothing, "bold"))]
    )
    blocks, below = group_similar(one.report.diagnoses), lay_out_omissions(report, page)
    for i, alike in enumerate(blocks):
        lines += [line()] if i else []
        lines += answer_lines(alike, page, detail, below if len(blocks) == 1 else ())
        lines += point_to_first_question(one.pointed_from(alike[0]), page)
    return paint([*lines, *below], colour)


def lay_out_omissions(report: Answer, page: Page) -> list[Line]:
    """Return the final notes on unasked questions and ignored troubles."""
    lines: list[Line] = []
    for i, said in enumerate(report.left_out):
        lines += [
            *([] if i else [line()]),
            *page.block(Span("" if i else page.word("left_out"), "warn"), page.text(said)),
        ]
    return lines


def answer_lines(
    alike: Sequence[Diagnosis], page: Page, detail: Detail = "short", below: Sequence[Line] = ()
) -> list[Line]:
    """Return the answer about these similar objects as far as a screen holds it; with --all, the whole
    answer. below: further lines on the same screen.
    """
    stages = lay_out_progress if detail == "short" else stage_lines
    if detail in ("page", "all"):
        whole = ALL if detail == "all" else PAGE
        return _block(select_content(alike, whole), page, whole, stages)
    # A Chinese answer omits the same parts as the English one, or one language would hide a risk shown in the
    # other; an English answer is made without the Chinese sentences.
    pages = [replace(page, lang=lang) for lang in (LANGS if page.lang != "en" else ("en",))]
    for extent in EXTENTS:
        content = select_content(alike, extent)
        blocks = {one.lang: _block(content, one, extent, stages) for one in pages}
        if all(
            _height([*lines, *below], page) <= max(SCREEN, SCREEN * USUAL // page.width)
            for lines in blocks.values()
        ):
            break
    return blocks[page.lang]


def point_to_first_question(first: Ref | None, page: Page) -> list[Line]:
    """Point from an undecided answer to the answer with the first command."""
    return page.block(Span(""), page.word("asked_there", who=visible(told_apart(first)))) if first else []


def _height(lines: Sequence[Line], page: Page) -> int:
    """Count rows on the terminal: a long command takes several."""
    return sum(max(1, -(-sum(count_cells(s.text) for s in one) // page.width)) for one in lines)


def _block(
    t: BlockContent, page: Page, extent: Extent, stages: Callable[[Diagnosis, Page, int], list[Line]]
) -> list[Line]:
    d = t.first
    lines = lay_out_headline(t.of, page)
    if d.state.name in ("fine", "held") and not (t.whys or t.leads or t.next):
        return lines
    later = (row for i, why in enumerate(t.whys) if i for row in _render_later_root(why, t.whys[:i], page, d))
    proof = [*later, *_render_rest(t, page, extent), *stages(d, page, extent.stages)]
    parts = (
        [*_quote_lines(t.says, page), *_render_why(t, page), *_render_act(t, page)],
        [*(lay_out_more_leads(t, page) if t.leads else []), *_render_proof(t, page), *proof],
        lay_out_unseen(
            d.refused, page, d.unreached, quiet=not d.shortlist.asks_nodes, most=extent.not_seen or 1
        ),
    )
    for part in parts:
        if part:
            lines += [line(), *part]
    return lines


def lay_out_headline(alike: Sequence[Diagnosis], page: Page) -> list[Line]:
    """Return the state's mark, the object, kubectl's word for its state, and the Node."""
    d = alike[0]
    says = page.text(d.state.headline) if len(alike) == 1 else _group_line(alike, page)
    if d.node is not None and d.node.name and d.state.name != "fine" and len(alike) == 1:
        says += page.word("on_a_node", node=d.node.name)
    if but := d.state.name in ("fine", "held") and d.broken:
        says += page.word("but")
    first, *rest = wrap(says, max(page.width - 2, 10))
    style = "warn" if but or _mark(d) != MARKS[d.state.name] else _STATES[d.state.name]
    return [
        line(Span(f"{_mark(d)} ", style), Span(first, "bold")),
        *(line("  ", Span(t, "bold")) for t in rest),
    ]


def _mark(d: Diagnosis) -> str:
    """Return the state's mark. A seemingly healthy object that was not fully read gets no tick."""
    if d.state.name == "fine" and d.broken:
        return BUT
    return (
        MARKS["unknown"] if d.state.name == "fine" and (d.next or d.state.unjudged) else MARKS[d.state.name]
    )


def _group_line(alike: Sequence[Diagnosis], page: Page) -> str:
    """Return `7 Pods shop/web-7d9f: 46xn9, 9n876 and 5 more — CrashLoopBackOff`."""
    d = alike[0]
    if d.subject.block and not d.subject.name:
        file = d.subject.block.rpartition(":")[0]
        lines = page.word("list_comma").join(
            format_span((a.subject.block or "").rpartition(":")[2]) for a in alike
        )
        head = page.word("many_unnamed", n=len(alike), kind=d.subject.kind, file=visible(file), lines=lines)
        return head + page.word("dash") + page.text(d.state.says or d.state.headline)
    owner = d.group
    names = [a.subject.name or "?" for a in alike]
    short = [n.removeprefix(f"{owner}-") for n in names]
    listed = page.word("list_comma").join(short[:NAMED])
    if len(alike) > NAMED:
        listed = page.word("and_more", names=listed, n=len(alike) - NAMED)
    where = f"{d.subject.within}/{owner}" if d.subject.within else owner
    head = page.word("many", n=len(alike), kind=d.subject.kind, owner=where, names=listed)
    return head + page.word("dash") + page.text(d.state.says or d.state.headline)


def _render_why(t: BlockContent, page: Page) -> list[Line]:
    lines: list[Line] = []
    for why in t.whys[:1]:
        lines += _render_cause(why, page)
    return lines + (lay_out_held(t.first, page) if not t.whys else []) + lay_out_leads(t, page)


def _render_cause(why: RootCause, page: Page) -> list[Line]:
    cause = why.cause
    style: Style = "bad" if cause.confidence == "proven" else "warn"
    label, confidence = Span(page.word("why"), style), page.word(cause.confidence)
    says = shorten_longest_paths(page.text(cause.finding.says))
    if page.is_narrow:
        lines = [*page.block(label, f"{confidence} · {cause.id}", style), *page.block(Span(""), says, "bold")]
    else:
        lines = page.block(label, f"{confidence}  {says}", "bold", tail=cause.id)
    if seen := describe_sighting(cause, page):
        lines += page.block(Span(""), seen, "dim")
    return lines


def _render_act(t: BlockContent, page: Page) -> list[Line]:
    """Lay out the fix, the actions to avoid, and the next command."""
    lines: list[Line] = []
    for why in t.whys[:1]:
        lines += lay_out_steps(why.steps, page) + lay_out_prohibitions(why.do_not, page)
    return [*lines, *lay_out_next(t, page), *lay_out_prohibitions(t.do_not, page)]


def _render_later_root(why: RootCause, above: Sequence[RootCause], page: Page, d: Diagnosis) -> list[Line]:
    """Lay out a further root as one block, without sentences that repeat an earlier one verbatim."""
    own = replace(
        why,
        steps=_render_new(why.steps, (s for one in above for s in one.steps)),
        do_not=_render_new(why.do_not, (act for one in above for act in one.do_not)),
        proof=_render_new(why.proof, (row for one in above for row in one.proof)),
    )
    shown = told_apart(d.subject)
    return [
        line(),
        *_render_cause(own, page),
        *lay_out_steps(own.steps, page),
        *lay_out_prohibitions(own.do_not, page),
        *_render_proven(own, page, shown),
    ]


def _render_new(these: Sequence[T], told: Iterable[T]) -> tuple[T, ...]:
    """Return the items not shown yet."""
    known = list(told)
    return tuple(one for one in these if one not in known)


def _render_proof(t: BlockContent, page: Page) -> list[Line]:
    label, d = Span(page.word("proof")), t.first
    lines = [row for why in t.whys[:1] for row in _render_proven(why, page, told_apart(d.subject))]
    return lines + lay_out_evidence(t.seen, page, label if not lines else Span(""), told_apart(d.subject))


def _render_proven(why: RootCause, page: Page, subject: str) -> list[Line]:
    lines = lay_out_evidence(why.proof, page, Span(page.word("proof")), subject)
    for note in why.notes:
        lines += page.block(Span(""), shorten_paths(page.text(note)))
    for depth, one in why.follows:
        says = f"{'  ' * depth}→ {shorten_paths(page.text(one.finding.says))}"
        lines += page.block(Span(""), says, tail=f"{page.word(one.confidence)} {one.id}")
    if sum(n for _, n in why.cause.reach) > 1:
        lines += page.block(Span(""), page.word("affects") + format_reach(why.cause.reach, page), "dim")
    return lines


def _render_rest(t: BlockContent, page: Page, extent: Extent) -> list[Line]:
    """Lay out the placing, the changes, and the counts of omitted parts."""
    d = t.first
    lines = lay_out_placing(d, page, extent.placing)
    lines += change_lines(d, page, extent.placing)
    if t.others:
        ids = ", ".join(f"{page.word(o.confidence)} {o.id}" for o in t.others)
        lines += page.block(Span(""), page.word("more_causes", n=len(t.others), ids=ids), "bold")
    # Beside a proven cause, the others are only counted.
    less = (("less", t.less),) if t.less and not t.leads and t.whys else ()
    placed = (("placing", 1),) if d.whereto and not extent.placing else ()
    return lines + _omission_lines((*t.folded, *placed, *less), page)


def _omission_lines(folded: Sequence[tuple[str, int]], page: Page) -> list[Line]:
    if not folded:
        return []
    what = page.word("list_comma").join(
        page.word(f"one_{what}") if n == 1 else page.word(f"n_{what}", n=n) for what, n in folded
    )
    return page.block(Span(""), page.word("folded", what=what) + page.on_demand, "dim")


def _quote_lines(says: Sequence[QuotedWords], page: Page) -> list[Line]:
    lines: list[Line] = []
    for i, one in enumerate(says):
        tail = [f"×{one.count}"] if one.count > 1 else []
        tail += [page.word("ago", span=page.ago(one.last))] if isinstance(one.last, datetime) else []
        lines += page.block(
            Span("" if i else page.word("says"), "bold"),
            f"{page.speaker_prefix(one.by)}{shorten_paths(one.words)}",
            tail=", ".join(tail),
        )
    return lines
