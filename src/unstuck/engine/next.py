"""Chooses the command that is expected to decide most of what is open, for its cost (docs/why/next.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis, OpenCause, Question
from unstuck.diagnosis.asking import described, on_the_node, why, why_by_probe, why_by_ssh, written_out
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.next import Next, NextCost
from unstuck.diagnosis.shortlist import NOT_THERE
from unstuck.diagnosis.text import Text
from unstuck.engine.leads import families_of, weight
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# A look at a node needs a way to it; what another has to be asked for takes longest.
PRICE: Mapping[NextCost, float] = MappingProxyType({"api": 1.0, "node": 2.0, "person": 4.0})
NODES = 2
_UNNAMED = re.compile(r"\b(?:NAME|NAMESPACE|POD|UID|NODE)\b")
_DESCRIBE = Text("its events say why, in the kubelet's and the scheduler's own words", "其事件以 kubelet 和调度器的原话说明原因")
_WRITTEN = Text("its whole spec and status", "其完整的 spec 与 status")
_WHY = Text("reads everything about it from the API server, read-only", "从 API 服务器读取与之有关的全部内容，只读")
_SHOWS = Text("shows what is not known yet", "给出尚不清楚的部分")
_SOMEBODY = Text("you may not see this: somebody who may has to run it", "您无权查看：需由有权限的人执行")


@record()
class _Offer(Record):
    """A command, and which questions its output answers."""

    command: Command
    at: str
    says: Text
    cost: NextCost
    answers: frozenset[Question]


def next_of(d: Diagnosis, told: Sequence[OpenCause], snap: Snapshot) -> tuple[Next, ...]:
    """Return what to run next and, where there is another way, one command instead of it.

    Of an undecided answer always one; where a cause is likely, what would prove it; none where it is proven. told: the leads.
    """
    if d.state.name not in ("stuck", "unknown") or any(t.confidence == "proven" for t in d.causes):
        return ()
    likely = tuple(q for t in d.causes if t.consequence_of is None for q in t.questions)
    if d.causes and not likely:
        return ()
    open_ = () if d.causes else told or d.undecided
    questions = likely or tuple(dict.fromkeys(q for o in open_ for q in o.questions))
    pasted = not any(s.startswith("live:") for s in snap.sources)
    offers = [*(_of_paste(d, questions, snap) if pasted else _of_cluster(d, questions))]
    weights = {o.id: weight(o.id, families_of(d)) for o in open_}
    valued = [_valued(offer, open_, likely, weights) for offer in offers]
    ranked = sorted(valued, key=lambda n: -n.expected / PRICE[n.cost])
    return tuple(ranked[:2]) if not d.causes else tuple(n for n in ranked[:2] if n.expected)


def _valued(offer: _Offer, open_: Sequence[OpenCause], likely: Sequence[Question], weights: Mapping[str, float]) -> Next:
    """Say how much of what is open this offer is expected to decide: each cause counts as it is common, and as much of it is answered."""
    if likely:
        share = len(offer.answers.intersection(likely)) / len(set(likely))
        return Next(offer.command, offer.at, offer.says, (), round(share, 2), offer.cost)
    shares = {o.id: len(offer.answers.intersection(o.questions)) / len(set(o.questions)) for o in open_ if o.questions}
    decides = sorted((i for i, share in shares.items() if share), key=lambda i: (-weights[i], i))
    total = sum(weights.values())
    expected = sum(weights[i] * share for i, share in shares.items()) / total if total else 0.0
    return Next(offer.command, offer.at, offer.says, tuple(decides), round(expected, 2), offer.cost)


def _of_paste(d: Diagnosis, questions: Sequence[Question], snap: Snapshot) -> Iterator[_Offer]:
    """Yield what a person without this program's own access can run: kubectl, piped into `unstuck read` with what was given."""
    files = [s.removeprefix("file:") for s in snap.sources if s.startswith("file:") and s != "file:-"]
    api = frozenset(q for q in questions if q.want.fact.cost == "api")
    own = frozenset(q for q in api if q.want.about.name in (None, d.subject.name))
    yield _Offer(described(d.subject, files), "paste", _DESCRIBE, "api", own)
    yield _Offer(written_out(d.subject, files), "paste", _WRITTEN, "api", own)
    yield from _on_nodes(d, questions, api)
    yield from _asked(questions)


def _of_cluster(d: Diagnosis, questions: Sequence[Question]) -> Iterator[_Offer]:
    """Yield what can be run beside the cluster: this program with more access, or a single question of it."""
    unasked = frozenset(q for q in questions if q.want.fact.cost == "api" and q.why_open == "not-asked")
    yield from _on_nodes(d, questions, unasked)
    if unasked:
        yield _Offer(why(d.subject), "here", _WHY, "api", unasked)
    yield from _asked(questions)


def _on_nodes(d: Diagnosis, questions: Sequence[Question], also: frozenset[Question]) -> Iterator[_Offer]:
    """Yield a look at each node with an answer. also: what such a look from here answers besides."""
    by_node: dict[str, set[Question]] = {}
    for q in questions:
        if q.want.fact.cost != "api":
            by_node.setdefault(q.node.name or "" if q.node else "", set()).add(q)
    for node, here in [*by_node.items()][:NODES]:
        tried = {u.way for u in d.unreached if u.about.name == node and u.reason not in NOT_THERE}
        if d.subject.name and node and "ssh" not in tried:
            yield _Offer(why_by_ssh(d.subject, node), "here", _looks(node), "node", also | here)
        elif d.subject.name and node and "probe" not in tried:
            yield _Offer(why_by_probe(d.subject), "here", _probes(node), "node", also | here)
        yield _Offer(on_the_node(d.subject), f"node:{node or 'NODE'}", _looks(node), "node", frozenset(here))


def _looks(node: str) -> Text:
    return Text(f"looks at {node or 'its node'}, read-only", f"查看{f' {node}' if node else '其节点'}，只读")


def _probes(node: str) -> Text:
    return Text(f"looks at {node} with a Pod that lives for a moment", f"用一个短暂存在的 Pod 查看 {node}")


def _asked(questions: Iterable[Question]) -> Iterator[_Offer]:
    """Yield each command that a question names, with all the questions that it answers."""
    by_line: dict[tuple[str, bool], list[Question]] = {}
    for q in questions:
        if q.want.fact.cost == "api" and q.ask and not _UNNAMED.search(q.ask.line):
            by_line.setdefault((q.ask.line, q.why_open == "denied"), []).append(q)
    for (_, denied), same in by_line.items():
        yield _Offer(same[0].ask, "here", _SOMEBODY if denied else _SHOWS, "person" if denied else "api", frozenset(same))
