"""Many subjects at once: the first of each group that looks the same is diagnosed in depth, and its result is
checked on the others.

Pure, like `diagnose`: the Snapshot alone decides which subjects are diagnosed in depth, so that a saved scan
replays to the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unstuck.diagnosis.answer import CauseMatch, Diagnosis
from unstuck.diagnosis.cause import AskableCause
from unstuck.diagnosis.verdict import Match
from unstuck.engine.answering import answer, place_causes
from unstuck.engine.diagnose import ask
from unstuck.engine.equal_roots import template
from unstuck.engine.evaluator import Evaluator, is_asked_about
from unstuck.engine.link import link
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Finalizers, Owners, Phase
from unstuck.facts.aspects.pod import ContainerStatus
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod, list_statuses
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# Up to this many subjects are each diagnosed in depth.
FEW = 12
# The number of similar objects diagnosed in depth before the others are compared with them.
DEEP = 1
# A group is given up after this many members with identical evidence and no cause.
OPEN = 20
Look = tuple[object, ...]


def diagnose_together(
    refs: Sequence[Ref],
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None = None,
    most: int | None = None,
    evaluator: Evaluator | None = None,
) -> list[Diagnosis]:
    """Return an answer about each. evaluator: as for `ask`.

    most: how many are diagnosed in depth at most; the others get the findings of similar ones.
    """
    evaluator = evaluator or Evaluator()
    out: list[Diagnosis] = []
    if len(refs) <= FEW:
        for ref in refs:
            out.append(answer(ask(ref, snap, causes, after, evaluator=evaluator), snap, causes, evaluator))
        return out
    deep = 0
    open_: Counter[Look] = Counter()
    for group in group_alike(refs, snap):
        models: list[Diagnosis] = []
        model = GroupModel(frozenset(), frozenset())
        for ref in group:
            found = match_model(ref, model, snap, causes, after, evaluator) if len(models) >= DEEP else None
            if found is None and (most is None or deep < most) and open_[known := _look_of(ref, snap)] < OPEN:
                deep += 1
                found = answer(ask(ref, snap, causes, after, evaluator=evaluator), snap, causes, evaluator)
                models.append(found)
                model = make_model([(m.subject, t) for m in models for t in m.causes], snap)
                open_[known] += not found.causes
            out.append(found or _diagnose_alone(ref, snap, after, evaluator))
    return out


def _look_of(ref: Ref, snap: Snapshot) -> Look:
    """Return the known facts that distinguish a subject: two subjects with equal values differ in no known
    fact.

    The owner of a table's row does not matter: no seen cause could lie in its template.
    """
    shown = look(ref, snap)
    # The types of facts about it, and whether they are whole.
    of = frozenset(
        (type(f).__name__, f.whole, *((f.operation, f.error, f.key) if isinstance(f, Failure) else ()))
        for f in snap.about(ref)
    )
    by_row = ref.kind == "Pod" and not any(whole for _, whole, *_ in of)
    return (shown[:-1] if by_row else shown, of, find_node_of_pod(ref, snap))


def group_alike(refs: Sequence[Ref], snap: Snapshot) -> list[list[Ref]]:
    """Return groups of subjects that look the same, in a fixed order, the largest group first."""
    found: dict[Look, list[Ref]] = {}
    for ref in sorted(refs, key=lambda r: r.key):
        found.setdefault(look(ref, snap), []).append(ref)
    return sorted(found.values(), key=lambda g: (-len(g), g[0].key))


def choose_representatives(refs: Sequence[Ref], snap: Snapshot) -> list[Ref]:
    """Return the subjects to ask about first: one of each group that looks the same; all of them if there
    are few.
    """
    return list(refs) if len(refs) <= FEW else [r for g in group_alike(refs, snap) for r in g[:DEEP]]


def look(ref: Ref, snap: Snapshot) -> Look:
    """Return an object's appearance without further questions. Equal looks have often, not always, one
    cause.
    """
    going = any(f.requested for f in snap.of(Deletion, ref))
    held = tuple(sorted({n for f in snap.of(Finalizers, ref) for n in f.names})) if going else ()
    if ref.kind == "Pod":
        return ("Pod", going, held, *_look_of_pod(ref, snap, going))
    if ref.kind == "PersistentVolumeClaim":
        class_ = next((f.storage_class for f in snap.of(Claim, ref)), None)
        return (ref.kind, going, held, class_, tuple(f.phase for f in snap.of(Phase, ref)))
    if held:
        return (ref.kind, going, held)
    return (ref.key,)


def _look_of_pod(pod: Ref, snap: Snapshot, going: bool) -> Look:
    phase = snap.one(Phase, pod)
    ended = bool(phase and phase.phase in ("Failed", "Succeeded"))
    seen = [
        _look_of_container(s)
        for s in list_statuses(pod, snap)
        if not (s.state == "running" and s.ready and not s.last)
    ]
    conditions = snap.one(Conditions, pod)
    unmet = (
        tuple(
            (c.type, c.reason, c.message)
            for c in conditions.items
            if c.status != "True" and c.type in ("PodScheduled", "Ready")
        )
        if conditions and not seen
        else ()
    )
    # A container's own behaviour comes from its template; it may wait for any object.
    own = any(
        s.ended or s.last or (s.state == "running" and not s.ready) for s in list_statuses(pod, snap)
    ) and not (going and ended)
    owners = snap.one(Owners, pod)
    whose = (pod.within, (owners.controller if owners else None) or pod) if own else ()
    return (phase.phase if phase else "", phase.reason if phase else "", tuple(seen), unmet, whose)


def _look_of_container(s: ContainerStatus) -> Look:
    last = s.ended or s.last
    # The message of a back-off names the Pod.
    message = "" if s.reason == "CrashLoopBackOff" else s.message
    return (s.kind, s.state, s.reason, message, last.code if last else None, last.reason if last else "")


@record()
class GroupModel(Record):
    """The findings about a group's first members. ids: their causes. roots: the causes that follow from no
    other cause, each with its culprit.

    looks: the same causes, each with the look of its culprit.
    """

    ids: frozenset[str]
    roots: frozenset[tuple[str, Ref]]
    looks: frozenset[tuple[str, Look]] = frozenset()


def make_model(found: Sequence[tuple[Ref, CauseMatch]], snap: Snapshot) -> GroupModel:
    """Build the model from the findings of each member; a culprit that belongs to one member is replaced by
    its template's counterpart.
    """
    roots = [(subject, t) for subject, t in found if t.consequence_of is None]
    return GroupModel(
        frozenset(t.id for _, t in found if t.via is None),
        frozenset((t.id, template(subject, t.finding.culprit, snap)) for subject, t in roots),
        frozenset((t.id, _look_of_culprit(subject, t, snap)) for subject, t in roots),
    )


def _look_of_culprit(subject: Ref, found: CauseMatch, snap: Snapshot) -> Look:
    """Return the look of a culprit that is a separate object; () for the subject itself, and for culprits
    that differ in name only.

    Two Pods may each wait for a claim for reasons of their own, which their claims show.
    """
    culprit = snap.canon(found.finding.culprit)
    shown = look(culprit, snap)
    return () if culprit == snap.canon(subject) or shown == (culprit.key,) else shown


def match_model(
    ref: Ref,
    model: GroupModel,
    snap: Snapshot,
    causes: Sequence[AskableCause],
    after: float | None,
    evaluator: Evaluator | None = None,
) -> Diagnosis | None:
    """Judge a subject by the causes found for similar subjects; None if they do not apply to it."""
    if not model.ids:
        return None
    evaluator = evaluator or Evaluator()
    ref, named = snap.canon(ref), evaluator.causes_by_id(causes)
    stages, state = evaluator.line_of(ref, snap, after)
    told = []
    for cause in (named[i] for i in sorted(model.ids) if i in named and is_asked_about(named[i], ref)):
        explained = evaluator.judge(cause, ref, evaluator.gate_of(ref, cause.stages, stages, snap), snap)
        verdict = explained.verdict if not explained.out else None
        if isinstance(verdict, Match):
            told.append(
                CauseMatch(
                    cause.id,
                    cause.title,
                    verdict.confidence,
                    verdict.finding,
                    verdict.evidence,
                    verdict.wants,
                    intended=cause.intended,
                )
            )
    found = link(told, ref, snap, place_causes(stages, causes))
    # A cause that is only a consequence in the models says nothing: here it may follow from another root.
    roots = [t for t in found if t.consequence_of is None]
    if not any(
        (t.id, template(ref, t.finding.culprit, snap)) in model.roots
        or (t.confidence == "proven" and (t.id, _look_of_culprit(ref, t, snap)) in model.looks)
        for t in roots
    ):
        return None
    return Diagnosis(ref, state, stages, found, (), ())


def _diagnose_alone(ref: Ref, snap: Snapshot, after: float | None, evaluator: Evaluator) -> Diagnosis:
    stages, state = evaluator.line_of(snap.canon(ref), snap, after)
    return Diagnosis(snap.canon(ref), state, stages, (), (), ())
