"""What is not decided, what would decide it, and what was not allowed to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question, Stage
from unstuck.diagnosis.asking import on_the_node, why_by_probe, why_by_ssh
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Ref, Refused
from unstuck.facts.derive.pods import SHUT_DOWN
from unstuck.render.cells import Line, Span, cut
from unstuck.render.details import detail_in
from unstuck.render.evidence import told_in
from unstuck.render.page import COLUMN, Page, who
from unstuck.render.steps import do_not_lines
from unstuck.render.unreached import QUIET, told_by_ways, ways_line
from unstuck.render.visible import visible

# At most so many places of the line are told as open, each with every cause that would stand there (docs/why/undecided.md).
PLACES = 3
MOST = 6
ASKS = 4
# What of an object was not seen, where it is not the object itself.
PARTS = {"Events": "part_events", "Lease": "part_lease", "LastLines": "part_log", "Keys": "part_keys"}
# What may be behind a failing call, by what was tried (`Failure.operation`, by its beginning), the nearest families first.
FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("image-", ("image", "runtime")),
    ("pull-secret", ("image",)),
    ("sandbox-", ("network", "runtime", "security", "resources", "cgroup")),
    ("network-", ("network",)),
    ("volume-", ("volume", "storage", "config", "mount", "file")),
    ("device-", ("volume", "storage")),
    ("subpath-", ("volume", "mount", "file")),
    ("resources-", ("resources",)),
    ("container-", ("container", "runtime", "security", "config", "resources", "cgroup", "volume")),
    ("probe-", ("probe", "container")),
    ("post-start", ("container",)),
    ("pod-create", ("admission", "apiserver", "controller")),
    ("node-", ("kubelet", "runtime", "network", "node", "cgroup")),
    ("runtime-", ("runtime", "cgroup", "node")),
)
# The same by what a container waits for, where no words are told: a row of a table has no more.
OF_REASON: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("CrashLoopBackOff", "Error", "OOMKilled", "Completed"), ("container", "probe", "resources")),
        **dict.fromkeys(
            ("RunContainerError", "StartError", "ContainerCannotRun"), ("container", "resources", "runtime", "volume", "security")
        ),
        **dict.fromkeys(("ErrImagePull", "ImagePullBackOff", "ImageInspectError", "InvalidImageName"), ("image",)),
    }
)
# A command in which a name is still missing helps nobody.
_UNNAMED = re.compile(r"\b(?:NAME|NAMESPACE|POD|UID|NODE)\b")


def undecided_lines(d: Diagnosis, page: Page) -> list[Line]:
    """What something speaks for; where nothing speaks for any, of what is stuck without a cause all that is open; and what would decide."""
    proven = any(t.confidence == "proven" for t in d.causes)
    shown = _shown(d)
    left = len(d.undecided) - len(shown) if not any(o.possible for o in d.undecided) else 0
    # One look answers the questions of the others, too.
    questions = _questions(d, [*shown, *(o for o in d.undecided if o not in shown)] if left and shown else shown)
    lines: list[Line] = []
    if shown:
        lines += _between(shown, d.stages, page, "possible" if d.causes or d.state.name == "fine" else "undecided", left)
        if not d.causes and questions and all(q.want.fact.cost != "api" for q in questions):
            lines += page.block(Span(""), page.word("only_node"), "dim")
    if questions and not proven:
        lines += decide_lines(d.subject, questions, page, d.unreached)
    if not d.causes:
        lines += do_not_lines(unique(a for o in shown for a in o.do_not), page)
    return lines


def _shown(d: Diagnosis) -> list[OpenCause]:
    possible = [o for o in d.undecided if o.possible]
    if possible or d.causes or d.state.name not in ("stuck", "unknown"):
        return possible
    # What the kubelet says why it ended the whole Pod is no guess.
    phases = [f for f in d.state.evidence if isinstance(f, Phase) and f.reason]
    if any(f.reason in SHUT_DOWN for f in phases):
        return []
    ended = any(f.phase == "Failed" for f in phases)
    return _akin(d) or ([*d.undecided] if d.state.name == "stuck" and not ended else [])


def _akin(d: Diagnosis) -> list[OpenCause]:
    """Where words are told that no cause knows, or a container's reason is, those of the families that they may come from.

    Of a Pod's row that tells no more than Pending, those that keep it from a Node.
    """
    tried = {f.operation for f in told_in(d) if isinstance(f, Failure)}
    families = [family for prefix, among in FAMILIES if any(o.startswith(prefix) for o in tried) for family in among]
    if not families:
        waiting = {s.reason for f in d.state.evidence if isinstance(f, ContainerStatuses) for s in f.items}
        families = [family for reason, among in OF_REASON.items() if reason in waiting for family in among]
    if not families and any(isinstance(f, Phase) and f.phase == "Pending" for f in d.state.evidence):
        families = ["scheduling", "storage"]
    akin = [o for o in d.undecided if o.id.partition(".")[0] in families]
    return sorted(akin, key=lambda o: families.index(o.id.partition(".")[0]))


def _questions(d: Diagnosis, shown: Sequence[OpenCause]) -> list[Question]:
    likely = [t for t in d.causes if t.confidence == "likely" and t.consequence_of is None]
    # Of what nothing is known, no list of all that it could be: only what would tell more.
    unknown = d.state.name == "unknown" and not (shown or d.causes)
    open_ = d.undecided[:MOST] if unknown else [o for _, at_once in _places(shown, d.stages)[:PLACES] for o in at_once]
    return [q for t in likely for q in t.questions] + [q for o in open_ for q in o.questions]


def _places(shown: Sequence[OpenCause], stages: Sequence[Stage]) -> list[tuple[str, list[OpenCause]]]:
    """The stages at which they would stand, in the order of the line; what has no stage is a place of its own."""
    line = [s.id for s in stages]
    places: dict[str, list[OpenCause]] = {}
    for one in shown:
        places.setdefault(one.stage or one.id, []).append(one)
    return sorted(places.items(), key=lambda place: _place(place[0], line))


def _between(shown: Sequence[OpenCause], stages: Sequence[Stage], page: Page, label: str, left: int) -> list[Line]:
    """One paragraph; where they would stand at several stages, one for each stage, in the order of the line.

    left: how many are not among those shown.
    """
    says: dict[str, str] = {s.id: page.text(s.says) for s in stages}
    places = _places(shown, stages)
    rows: dict[str, list[str]] = {}
    for stage, at_once in places[:PLACES]:
        rows.setdefault(says.get(stage, ""), []).extend(f"{page.text(o.title)} ({o.id})" for o in at_once)
    if rest := left + sum(len(at_once) for _, at_once in places[PLACES:]):
        rows[[*rows][-1]].append(page.word("more", n=rest))
    lines: list[Line] = []
    for stage, names in rows.items():
        where = f"{stage}{page.word('open_stage')}" if stage and len(rows) > 1 else ""
        lines += page.block(Span("" if lines else page.word(label), "warn"), where + " · ".join(names))
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
        lines += page.command(page.on_node(node), on_the_node(subject), _label(lines, page))
        tried = {u.way for u in unreached if u.about.name == node and u.reason not in QUIET}
        way = next((w for w in ("ssh", "probe") if w not in tried), None)
        if subject.name and node and way:
            nearer = why_by_ssh(subject, node) if way == "ssh" else why_by_probe(subject)
            lines += page.command(f"{page.word('or')} ", nearer)
    open_ = (q for q in questions if q.want.fact.cost == "api" and q.why_open in ("not-asked", "timeout"))
    asks: dict[str, Command] = {}
    for ask in (q.ask for q in open_ if not _UNNAMED.search(q.ask.line)):
        # With -o yaml or without it is one look; the one that shows most is kept.
        look = ask.line.removesuffix(" -o yaml") or str(ask.why_none)
        asks[look] = max(asks.get(look, ask), ask, key=lambda one: len(one.line))
    for ask in list(asks.values())[:ASKS]:
        lines += page.command("", ask, _label(lines, page))
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
    """A row for each reason and object; lists that failed in one way are one row. Harmless."""
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
