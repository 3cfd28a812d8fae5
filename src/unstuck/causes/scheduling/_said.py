"""The scheduler's statements about a Pod, and the Nodes as the API shows them, for comparison by every cause
of this family.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.facts.aspects.cluster import NodeNames, NodeShape, Unschedulable
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

_CLUSTER = Ref("Cluster")

Reason = tuple[str, int]
# It tries again after 5 min at the latest (podMaxInUnschedulablePodsDuration in
# pkg/scheduler/backend/queue/scheduling_queue.go).
_TOGETHER = timedelta(minutes=6)


def find_statement_reasons(pod: Ref, snap: Facts, pick: Callable[[str], bool]) -> Sign[Reason]:
    """Find reasons that the scheduler's last statement gives: (text, Nodes). Its condition outweighs Events,
    which are cut and older.

    Only Events close to the latest one count: an hour before, the Nodes were in another state.

    No if the condition names other reasons, or was seen and does not refuse the Pod; without it, if the
    latest Event gives other reasons for every Node: it is the scheduler's report of its own act.
    """
    facts = snap.of(Unschedulable, pod)
    whole = tuple(f for f in facts if f.whole)
    newest = max((f.src.at for f in facts if f.src.at), default=None)
    events = [f for f in facts if newest is None or f.src.at is None or newest - f.src.at <= _TOGETHER]
    latest = sorted(events, key=lambda f: f.src.at.timestamp() if f.src.at else 0.0, reverse=True)
    hits = [(f, r) for f in whole or latest for r in f.reasons if pick(r[0])]
    if hits:
        return Sign(
            True,
            unique(r for _, r in hits),
            unique(f for f, _ in hits),
            sure=any(snap.sure(f) for f, _ in hits),
        )
    if whole or (latest and _covers_every_node(latest[0])):
        return Sign(False, seen=whole or (latest[0],))
    refused = some(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodScheduled" and c.status == "False"],
    )
    return (
        Sign(False, seen=refused.seen)
        if refused.value is False
        else Sign(None, seen=facts, wants=(Want(Conditions, pod),))
    )


def _covers_every_node(statement: Unschedulable) -> bool:
    """Tell whether the reasons account for all Nodes, so that none can have been cut off."""
    return bool(statement.nodes) and sum(n for _, n in statement.reasons) >= (statement.nodes or 0)


def find_condition(pod: Ref, snap: Facts) -> Unschedulable | None:
    """Return the condition's statement, which is complete; None if there are only Events."""
    return next((f for f in snap.of(Unschedulable, pod) if f.whole), None)


def find_shapes(snap: Facts) -> Sign[NodeShape]:
    """Find every Node of the cluster in the scheduler's view; unknown until all of them were read."""
    listed = snap.one(NodeNames, _CLUSTER)
    if listed is None or not listed.whole:
        return Sign(None, wants=(Want(NodeNames, _CLUSTER),))
    found = [(ref, snap.one(NodeShape, ref)) for ref in listed.refs]
    missing = tuple(Want(NodeShape, ref) for ref, shape in found if shape is None or not shape.whole)
    known = tuple(shape for _, shape in found if shape is not None)
    return Sign(None, known, known, missing) if missing else Sign(True, known, (listed, *known[:8]))
