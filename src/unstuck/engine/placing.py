"""Computes possible Nodes for a waiting Pod from the objects that the scheduler considers: groups of Nodes,
changes that help, and the users of their resources.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.placing import Barrier, ClosedNodes, Holds, LazyPlacing, Opening, Placing
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref
from unstuck.facts.quantity import format_amount
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.stages import StageId
from unstuck.scheduling.analysis import PlacementAnalysis, find_analysis, unknown_of
from unstuck.scheduling.changes import changes
from unstuck.scheduling.filter import describe_field as unread_shown
from unstuck.scheduling.flaws import flaws
from unstuck.scheduling.holders import holders
from unstuck.scheduling.preemption import preemption
from unstuck.scheduling.rejections import NodeRejection
from unstuck.scheduling.words import preemption_text, refusal_text

_CLUSTER = Ref("Cluster")
_STAGES: tuple[StageId, ...] = ("gates-lifted", "scheduled")
_HOLDERS = 5


def make_lazy_placing(pod: Ref, stages: Sequence[Stage], snap: Snapshot) -> LazyPlacing | None:
    """Return None unless the subject is a waiting Pod and the objects were read."""
    if pod.kind != "Pod" or not any(s.id in _STAGES and s.state == "not-done" for s in stages):
        return None
    inputs = snap.one(PlacingInputs, _CLUSTER)
    at = find_analysis(inputs, pod.within or "", pod.name or "") if inputs else None
    return LazyPlacing(pod, lambda: _make_placing(at, _find_scheduler_reasons(pod, snap))) if at else None


def _find_scheduler_reasons(pod: Ref, snap: Snapshot) -> tuple[str, ...] | None:
    statement = next((f for f in snap.of(Unschedulable, pod) if f.whole), None)
    return tuple(text for text, _ in statement.reasons) if statement else None


def _make_placing(at: PlacementAnalysis, said: tuple[str, ...] | None) -> Placing:
    pod, cluster, decision = at.pod, at.cluster, at.decision
    room = preemption(pod, cluster, decision) if at.certain else None
    spec = pod.shape.spec
    odd = [(u.field, unread_shown(u)) for u in spec.unreadable]
    return Placing(
        nodes=decision.nodes,
        closed=_list_closed_nodes(at),
        fits=decision.fits,
        openings=()
        if decision.fits or decision.held
        else tuple(Opening(c.kind, c.says, c.opens) for c in changes(pod, cluster, at.explanation)),
        holders=_list_holders(at),
        preemption=preemption_text(room, at) if room else None,
        flaws=tuple((f.field, f.says) for f in flaws(spec)),
        open=tuple(dict.fromkeys((*(text for _, text in odd), *(r.message for r in unknown_of(at))))),
        agrees=None if said is None or decision.held or not at.certain else at.agrees(said),
    )


def _list_closed_nodes(at: PlacementAnalysis) -> tuple[ClosedNodes, ...]:
    """Group the Nodes by the reasons that exclude them, the Nodes that lack least first."""
    if at.everywhere:
        names = tuple(at.cluster.nodes)
        return (ClosedNodes(tuple(_find_barrier(r, at, names) for r in at.everywhere), names),)
    groups = ((reasons, names) for reasons, names in at.groups.items() if reasons)
    ranked = sorted(groups, key=lambda p: _measure_distance(p[0], p[1], at))
    return tuple(
        ClosedNodes(tuple(_find_barrier(r, at, names) for r in reasons), names) for reasons, names in ranked
    )


def _measure_distance(
    reasons: tuple[NodeRejection, ...], names: Sequence[str], at: PlacementAnalysis
) -> tuple[object, ...]:
    """Return a sort key: Nodes that exclude the Pod for the reported reason come first, then Nodes with
    fewer reasons.
    """
    blamed = sum(r.kind in at.blamed for r in reasons)
    final = any(r.reason.outcome != "unschedulable" for r in reasons)
    return (not blamed, len({r.reason.plugin for r in reasons}), len(reasons), final, -len(names), names)


def _find_barrier(refusal: NodeRejection, at: PlacementAnalysis, names: Sequence[str]) -> Barrier:
    return Barrier(refusal.kind, refusal_text(refusal, at, names), refusal.reason.message)


def _list_holders(at: PlacementAnalysis) -> tuple[Holds, ...]:
    """Return the holders of each lacking resource on the Nodes that the Pod comes nearest to."""
    out: list[Holds] = []
    for kind, names in at.blamed.items():
        if not kind.startswith("insufficient-"):
            continue
        for resource in dict.fromkeys(r.what for r in at.of_kind(kind)):
            for h in holders(at.cluster, names, resource)[:_HOLDERS]:
                owner_kind, _, owner = h.owner.partition("/")
                amount = format_amount(resource, h.amount) if resource != "pods" else ""
                out.append(
                    Holds(
                        resource,
                        Ref(owner_kind or "Pod", h.namespace, owner or None),
                        h.amount,
                        amount,
                        h.pods,
                    )
                )
    return tuple(out)
