"""Judges, asks for deciding facts, and judges again, until no question is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from unstuck.diagnosis.answer import Diagnosis, Evaluation
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.verdict import Match, Undecided
from unstuck.engine.answering import answer
from unstuck.engine.assessment import Assessment, flatten
from unstuck.engine.diagnose import ask, trace_chain
from unstuck.engine.evaluator import Evaluator
from unstuck.engine.held_objects import _HOLDERS
from unstuck.engine.unfinished import judge_unfinished
from unstuck.engine.unlike import find_seen_nodes, list_peers
from unstuck.engine.unplaced import find_waiting_controller
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.objects import Below, Events, Presence
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record, replace
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import is_being_deleted

# The limit of rounds, far above any real answer.
ROUNDS = 12
Collect = Callable[[Sequence[Want]], Iterable[Fact]]
Compare = Callable[[Sequence[Want]], Iterable[Fact] | None]


@record()
class NodeMeans(Record):
    """What access to nodes can do. sources: returns the sources that have answered so far, as a Snapshot
    names them; called at the end. compare: answers questions about nodes that are not in question; None,
    as its answer as well, if no access reaches them.
    """

    sources: Callable[[], Sequence[str]] = tuple
    compare: Compare | None = None


NO_NODES = NodeMeans()


def investigate(
    subject: Ref,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    collect: Collect,
    after: float | None = None,
    evaluator: Evaluator | None = None,
    nodes: NodeMeans = NO_NODES,
) -> tuple[Snapshot, Diagnosis]:
    """Investigate the subject, asking each Want once: an answer is a fact, or a `Refused`. The server is
    asked before any node.

    collect: answers a batch of Wants; a Want that it leaves out is not repeated within one investigation.
    evaluator: as for `ask`. nodes: what is known about access to nodes.
    """
    evaluator = evaluator or Evaluator()
    put: set[Want] = set()
    asked = ask(subject, snap, causes, after, evaluator=evaluator)
    for _ in range(ROUNDS):
        wants = [w for w in open_wants(asked, snap) if w not in put]
        by_server = [w for w in wants if w.fact.cost == "api"]
        batch = by_server or [w for w in wants if w.fact.cost == "node"]
        put.update(batch)
        facts = list(collect(batch)) if batch else _compare_nodes(asked, snap, put, collect, nodes.compare)
        if not (batch or facts):
            break
        snap = snap.plus(facts)
        asked = ask(subject, snap, causes, after, evaluator=evaluator)
    # A Node that was looked at is not proposed again.
    snap = snap.plus((), at_last) if (at_last := nodes.sources()) else snap
    # Asking the server again for known facts adds nothing about either.
    told = {w for w in _wants(asked, snap) if snap.answered(w)}
    found = answer(asked, snap, causes, evaluator, {w for w in put | told if w.fact.cost == "api"})
    return snap, judge_unfinished(found, trace_chain(asked), snap, after)


def _compare_nodes(
    asked: Assessment, snap: Snapshot, put: set[Want], collect: Collect, compare: Compare | None
) -> list[Fact]:
    """Return the settings of the nodes that were looked at, then those of another one, if nothing else is
    left to ask and no node proves the cause.
    """
    if asked.state.name not in ("stuck", "unknown") or asked.subject.kind == "Node":
        return []
    everyone = flatten(asked)
    if any(_is_proven_by_node(e) for a in everyone for e in a.open):
        return []
    wants = [w for w in list_peers([a.subject for a in everyone], snap) if w not in put]
    seen = find_seen_nodes(snap)
    # The settings of a node that was looked at cost no further node.
    own = [w for w in wants if w.about.name in seen]
    if own:
        put.update(own)
        return list(collect(own))
    if not wants or compare is None or compare(()) is None:
        return []
    put.update(wants)
    by_server = [w for w in wants if w.fact.cost == "api"]
    return list(collect(by_server) if by_server else compare(wants) or ())


def _is_proven_by_node(one: Evaluation) -> bool:
    verdict = one.verdict
    return (
        isinstance(verdict, Match)
        and verdict.confidence == "proven"
        and any(e.fact.cost == "node" for e in verdict.evidence)
    )


def open_wants(asked: Assessment, snap: Snapshot) -> list[Want]:
    """Return the unanswered questions that could change or improve this answer. Nothing is asked about
    healthy objects.

    The object itself is asked about in full, also where none of those below it are followed.
    """
    itself = asked if asked.depth else replace(asked, depth=1)
    return [w for w in unique(_wants(itself, snap)) if not snap.answered(w)]


def _wants(asked: Assessment, snap: Snapshot) -> Iterator[Want]:
    if asked.depth:
        yield from asked.state.wants
    # A Ready Node may still hold a Pod's leftovers; any other healthy object is asked only about causes found
    # in spite of its health.
    if asked.state.name in ("fine", "held") and asked.subject.kind != "Node":
        yield from _ask_healthy(asked)
        # The object that holds it, or an object that it makes, may still be broken.
        for child in asked.below if asked.depth else ():
            yield from _wants(child, snap)
        return
    # A Node's Pods show whether it starts Pods; they are not part of its own answer.
    if (asked.subject.kind in _HOLDERS or asked.subject.kind == "Node") and asked.depth:
        yield Want(Below, asked.subject)
    yield from _list_further(asked, snap)
    for stage in asked.stages:
        if stage.state == "unknown":
            yield from stage.wants
            break
    for explained in (*asked.open, *asked.parts):
        verdict = explained.verdict
        if isinstance(verdict, Match):
            yield from verdict.wants
            yield from verdict.finding.enrich
        elif isinstance(verdict, Undecided):
            yield from verdict.wants
    if owner := find_waiting_controller(asked, snap):
        yield Want(History, owner)
    for child in asked.below:
        yield from _wants(child, snap)


def _list_further(asked: Assessment, snap: Snapshot) -> Iterator[Want]:
    """Yield the follow-up questions about an unhealthy object: its events, the objects it has created, and
    the objects named in messages about it.
    """
    # A workload's and a claim's events were read with the object.
    if asked.state.own or "." in asked.subject.kind:
        yield Want(Events, asked.subject)
    # The objects created for a CustomResource mostly show more than the resource itself.
    if "." in asked.subject.kind and asked.depth and not is_being_deleted(asked.subject, snap):
        yield Want(Owned, asked.subject)
    yield from (Want(Presence, one.to) for one in asked.named)


def _ask_healthy(asked: Assessment) -> Iterator[Want]:
    """Yield the open questions about a healthy object: all questions of a cause that was found, and the
    server's questions for a cause with a positive sign.

    For a fault beside the object (`of_well`), any source that can answer is asked.
    """
    if asked.state.unjudged:
        # No other fact shows its state.
        yield Want(Events, asked.subject)
    for explained in asked.open:
        verdict, signs = explained.verdict, explained.signs
        if isinstance(verdict, Match):
            yield from (*verdict.wants, *verdict.finding.enrich)
        elif (
            isinstance(verdict, Undecided)
            and explained.gate
            and (signs.of_well or any(s.value for s in signs.decisive.values()))
        ):
            yield from (w for w in verdict.wants if signs.of_well or w.fact.cost == "api")
