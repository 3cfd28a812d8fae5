"""What is not decided, what would decide it, and what was not allowed to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unstuck.diagnosis.answer import Diagnosis, Open, Question, Stage
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Ref, Refused
from unstuck.render.cells import Line, Span, cut
from unstuck.render.page import COLUMN, Page, asked_as, who
from unstuck.render.steps import do_not_lines
from unstuck.render.unreached import QUIET, told_by_ways, ways_line
from unstuck.render.visible import visible

MOST = 6
ASKS = 4
# What of an object was not seen, where it is not the object itself.
PARTS = {"Events": "part_events", "Lease": "part_lease", "LastLines": "part_log", "Keys": "part_keys"}
# The source of a `Refused` that no one was asked for: whoever ran the command chose so, and knows it unless there is a detail.
NOT_ASKED = "not asked"
# A command in which a name is still missing helps nobody.
_UNNAMED = re.compile(r"\b(?:NAME|NAMESPACE|POD|UID|NODE)\b")


def undecided_lines(d: Diagnosis, page: Page) -> list[Line]:
    """What something speaks for; where nothing speaks for any, of what is stuck without a cause all that is open; and what would decide."""
    proven = any(t.confidence == "proven" for t in d.causes)
    shown = _shown(d)
    questions = _questions(d, shown)
    lines: list[Line] = []
    if shown:
        lines += _between(shown, d.stages, page, "possible" if d.causes else "undecided")
        if not d.causes and questions and all(q.want.fact.cost != "api" for q in questions):
            lines += page.block(Span(""), page.word("only_node"), "dim")
    if questions and not proven:
        lines += decide_lines(d.subject, questions, page, d.unreached)
    if not d.causes:
        lines += do_not_lines(unique(a for o in shown for a in o.do_not), page)
    return lines


def _shown(d: Diagnosis) -> list[Open]:
    possible = [o for o in d.undecided if o.possible]
    return possible or ([*d.undecided] if d.state.name == "stuck" and not d.causes else [])


def _questions(d: Diagnosis, shown: Sequence[Open]) -> list[Question]:
    likely = [t for t in d.causes if t.confidence == "likely" and t.consequence_of is None]
    # Of what nothing is known, no list of all that it could be: only what would tell more.
    open_ = d.undecided if d.state.name == "unknown" and not (shown or d.causes) else shown
    return [q for t in likely for q in t.questions] + [q for o in open_[:MOST] for q in o.questions]


def _between(shown: Sequence[Open], stages: Sequence[Stage], page: Page, label: str) -> list[Line]:
    """One paragraph; where they would stand at several stages, one for each stage, in the order of the line."""
    says = {s.id: page.text(s.says) for s in stages}
    groups: dict[str, list[Open]] = {}
    for one in shown[:MOST]:
        groups.setdefault(one.stage if one.stage in says else "", []).append(one)
    rows = [
        (stage, " · ".join(f"{page.text(o.title)} ({o.id})" for o in group))
        for stage, group in sorted(groups.items(), key=lambda g: _place(g[0], list(says)))
    ]
    if len(shown) > MOST:
        rows[-1] = (rows[-1][0], f"{rows[-1][1]} · {page.word('more', n=len(shown) - MOST)}")
    lines: list[Line] = []
    for stage, names in rows:
        where = f"{says[stage]}{page.word('open_stage')}" if stage and len(rows) > 1 else ""
        lines += page.block(Span("" if lines else page.word(label), "warn"), where + names)
    return lines


def _place(stage: str, line: Sequence[str]) -> int:
    return line.index(stage) if stage in line else len(line)


def decide_lines(subject: Ref, questions: Iterable[Question], page: Page, unreached: Sequence[Unreached] = ()) -> list[Line]:
    """The commands that decide: one look at each node that has the answer, then what the API would tell.

    unreached: what has been tried already and need not be proposed.
    """
    questions = list(questions)
    lines: list[Line] = []
    nodes = dict.fromkeys(q.node.name if q.node and q.node.name else "" for q in questions if q.want.fact.cost != "api")
    for node in list(nodes)[:2]:
        on = page.word("on", node=node or page.word("the_node"))
        pod = f" --pod {subject.uid}" if subject.kind == "Pod" and subject.uid else ""
        lines.append(page.command(on, f"unstuck node --here{pod}", _label(lines, page)))
        tried = {u.way for u in unreached if u.about.name == node and u.reason not in QUIET}
        way = next((w for w in ("ssh", "probe") if w not in tried), None)
        if subject.name and node and way:
            option = f"--ssh {node}" if way == "ssh" else "--probe"
            lines.append(page.command(f"{page.word('or')} ", f"kubectl unstuck why {asked_as(subject)} {option}"))
    open_ = (q for q in questions if q.want.fact.cost == "api" and q.why_open in ("not-asked", "timeout"))
    asks: dict[str, str] = {}
    for ask in (q.ask for q in open_ if q.ask and not _UNNAMED.search(q.ask)):
        # `get pod/x`, `get pod x` and either with -o yaml are one look; the one that shows most is kept.
        look = ask.removesuffix(" -o yaml").replace("/", " ")
        asks[look] = max(asks.get(look, ""), ask, key=len)
    for ask in list(asks.values())[:ASKS]:
        lines.append(page.command("", ask, _label(lines, page)))
    return lines


def _label(lines: Sequence[Line], page: Page) -> Span | None:
    return None if lines else Span(page.word("decide"), "bold")


def asks_nodes(d: Diagnosis) -> bool:
    """Whether the answer sends the reader to a node."""
    proven = any(t.confidence == "proven" for t in d.causes)
    return not proven and any(q.want.fact.cost != "api" for q in _questions(d, _shown(d)))


def unseen_lines(refused: Sequence[Refused], page: Page, unreached: Sequence[Unreached] = (), *, quiet: bool = True) -> list[Line]:
    """What was asked and not answered: an answer that saw less must say so. Questions that failed for one reason are one row.

    unreached: the ways to nodes that failed, one row a node. quiet: ways that were not there at all are not worth saying.
    """
    nodes: dict[str, list[Unreached]] = {}
    for u in unreached:
        nodes.setdefault(u.about.name or "", []).append(u)
    groups: dict[tuple[str, str, str], set[str]] = {}
    for r in refused:
        open_ = r.why in ("denied", "timeout", "unreachable") or (r.why == "not-asked" and r.src.where == NOT_ASKED and r.detail)
        if open_ and not told_by_ways(r, nodes):
            groups.setdefault((r.why, r.detail, who(r.about)), set()).add(r.want)
    lines: list[Line] = []
    for why, detail, about in sorted(groups)[:ASKS]:
        parts = ", ".join(page.word(PARTS[w]) for w in sorted(groups[why, detail, about]) if w in PARTS)
        said = f"{about}{f' ({parts})' if parts else ''} — {page.word(why)}" + (f"{page.word('colon')}{detail}" if detail else "")
        lines += page.block(Span("" if lines else page.word("unseen"), "warn"), cut(visible(said), page.room))
    if len(groups) > ASKS:
        lines.append((Span(" " * COLUMN), Span(page.word("more", n=len(groups) - ASKS), "dim")))
    for node in sorted(nodes)[:ASKS]:
        if said := ways_line(nodes[node], page, quiet=quiet):
            lines += page.block(Span("" if lines else page.word("unseen"), "warn"), f"Node {node} — {said}")
    return lines
