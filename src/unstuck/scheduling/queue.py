"""The reasons not to try a Pod at all (PreEnqueue), and the choice of the scheduler responsible for it.

Sources (1.34): plugins/schedulinggates/scheduling_gates.go, plugins/dynamicresources (`PreEnqueue`),
pkg/scheduler/eventhandlers.go, backend/queue/scheduling_queue.go.
"""

from __future__ import annotations

from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filters.dynamic_resources import claims_of
from unstuck.scheduling.reason import Reason


def holding_reason(pod: Pod, cluster: ClusterView) -> Reason | None:
    """Return the scheduler's reason not to try the Pod, None if it is tried. The condition `SchedulingGated`
    reports gates; no condition reports claims.
    """
    gates = pod.shape.spec.gates
    if gates:
        return Reason("SchedulingGates", f"waiting for scheduling gates: [{' '.join(gates)}]")
    claims = claims_of(pod, cluster)
    return claims if isinstance(claims, Reason) and claims.outcome != "unknown" else None


def reserves(nominated: Pod, of: Pod, cluster: ClusterView) -> bool:
    """Tell whether a nominated Pod's room is reserved against another Pod: both have one scheduler, and the
    other Pod has no higher priority.
    """
    other, mine = nominated.shape.spec, of.shape.spec
    comes_first = (
        nominated.uid != of.uid and other.scheduler == mine.scheduler and other.priority >= mine.priority
    )
    return comes_first and holding_reason(nominated, cluster) is None


def nominated_pods(node: str, of: Pod, cluster: ClusterView) -> list[Pod]:
    """Return the Pods nominated for this Node whose room is reserved against this Pod. node: the Node's
    name.
    """
    return [n for n in cluster.nominated.get(node, ()) if reserves(n, of, cluster)]


def free_amount(of: Pod, cluster: ClusterView, node: NodeState, resource: str) -> int:
    """Return the Node's amount that is neither requested by its Pods nor reserved for a nominated one;
    negative if overcommitted.
    """
    kept = sum(n.shape.requests.get(resource, 0) for n in nominated_pods(node.name, of, cluster))
    return node.allocatable.get(resource, 0) - node.requested.get(resource, 0) - kept
