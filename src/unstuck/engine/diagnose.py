"""Judges one subject from a Snapshot: pure, so that any answer replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Evaluation, State
from unstuck.diagnosis.cause import AskableCause
from unstuck.engine.answering import answer, link_causes, tell_causes
from unstuck.engine.assessment import Assessment
from unstuck.engine.evaluator import Evaluator, Judged
from unstuck.engine.held_objects import ILL, is_completed_job, list_held_objects, list_unhealthy, was_replaced
from unstuck.engine.parts import find_ill_containers
from unstuck.engine.unfinished import judge_unfinished
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.kinds import NAMED_BY_PODS
from unstuck.stages.lines import is_being_deleted

DEPTH = 3
CHILDREN = 5
# The limit of objects on one path, even without branchings.
LONGEST = 8
_NOT_WELL = (*ILL, "progressing")


def ask(
    subject: Ref,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    depth: int = DEPTH,
    evaluator: Evaluator | None = None,
    above: tuple[Ref, ...] = (),
) -> Assessment:
    """Judge every cause of the subject's kind, then those of its parts and of the objects that messages about
    it name, unless these are fine.

    evaluator: the session's, or None if nothing has been judged yet. above: the subjects that led here.
    """
    evaluator = evaluator or Evaluator()
    subject = snap.canon(subject)
    stages, state = evaluator.line_of(subject, snap, after)
    judged = evaluator.recall(subject, causes, stages, snap)
    if judged is None:
        fresh: list[Judged] = []
        for cause, gate in evaluator.find_open(subject, causes, stages, snap):
            fresh.append((cause, gate, evaluator.judge(cause, subject, gate, snap)))
        evaluator.keep(subject, causes, stages, fresh, snap)
        judged = fresh
    explained = [evaluation for _, _, evaluation in judged]
    if not any(s.startswith("live:") for s in snap.sources):
        explained = _conclude(explained, evaluator.causes_by_id(causes), snap)
    parts = [
        part
        for name in find_ill_containers(subject, snap)
        for cause, gate, _ in judged
        if (part := evaluator.judge_part(cause, subject, gate, snap, name)) and not part.out
    ]
    # The Pods that use a ConfigMap or an account explain it only if it is the question: no Pod that names it
    # is explained by itself.
    held = list_held_objects(subject, snap) if depth and not (above and subject.kind in NAMED_BY_PODS) else ()
    if is_completed_job(subject, snap):
        held = tuple(r for r in held if is_being_deleted(r, snap))
    if state.name not in _NOT_WELL:
        held = tuple(r for r in held if not was_replaced(r, snap))
    named = evaluator.named_by(subject, snap) if depth and state.name in _NOT_WELL else ()
    children = [
        *islice(list_unhealthy(held, snap, after, evaluator, well=state.name not in _NOT_WELL), CHILDREN)
    ]
    there = [
        n.to
        for n in named
        if n.to not in (*children, *above) and any(f.exists for f in snap.of(Presence, n.to))
    ]
    # A healthy named object plays no part; its health may depend on the objects that it refers to.
    children += [r for r in there if _is_open(evaluator.line_of(r, snap, after)[1], snap)]
    further = _count_further(depth, len(children), len(above))
    below = tuple(
        ask(child, snap, causes, after, further, evaluator, (*above, subject)) for child in children
    )
    return Assessment(subject, state, stages, tuple(explained), below, named, tuple(parts), depth)


def _count_further(depth: int, children: int, passed: int) -> int:
    """Return the number of branchings to follow below: a path without branchings is cheap, and is followed to
    its end.
    """
    return 0 if passed + 2 >= LONGEST else depth if children == 1 else depth - 1


def _is_open(state: State, snap: Snapshot) -> bool:
    return state.name != "fine" or any(not snap.answered(w) for w in state.wants)


def _conclude(
    judged: list[Evaluation], named: Mapping[str, AskableCause], snap: Snapshot
) -> list[Evaluation]:
    """Conclude the likely cause from a text's words. named: the causes by id."""
    from unstuck.engine.commonest import conclude_commonest  # a live cluster needs none of its counts

    return [*conclude_commonest(judged, lambda id_: named[id_].title, snap)]


def diagnose(
    subject: Ref,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    evaluator: Evaluator | None = None,
) -> Diagnosis:
    """Return the answer about one subject: the same facts give the same answer, in any order. evaluator: as
    for `ask`.
    """
    evaluator = evaluator or Evaluator()
    asked = ask(subject, snap, causes, after, evaluator=evaluator)
    return judge_unfinished(answer(asked, snap, causes, evaluator), trace_chain(asked), snap, after)


def trace_chain(asked: Assessment) -> tuple[tuple[Ref, State], ...]:
    """Follow the subject to an unhealthy object that it waits for, and on from there; return the chain with
    their states.

    Unknown objects come last: mostly only their names are known.
    """
    ill = next(
        (
            child
            for name in ("stuck", "progressing", "held", "unknown")
            for child in asked.below
            if child.state.name == name
        ),
        None,
    )
    return ((asked.subject, asked.state), *(trace_chain(ill) if ill else ()))


def find_causes(
    subject: Ref, snap: Snapshot, causes: Sequence[AskableCause], after: float | None, evaluator: Evaluator
) -> tuple[CauseMatch, ...]:
    """Find the causes as `diagnose` does, without the rest of the answer."""
    asked, named = ask(subject, snap, causes, after, evaluator=evaluator), evaluator.causes_by_id(causes)
    return link_causes(tell_causes(asked, snap, named), asked, snap, causes, named)
