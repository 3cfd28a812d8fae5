"""Nodes where a new Pod of a rollout would fit without one of the old Pods: such a rollout waits for
itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import ClusterView, NodeState, PlacedPods, Pod
from unstuck.scheduling.decide import explain_without


@record()
class RolloutOpening(Record):
    """A Node that opens to the Pod once one Pod of this owner (`ReplicaSet/web-7d9f`) has left it."""

    node: str
    owner: str


def find_openings(pod: Pod, cluster: ClusterView, owners: frozenset[str]) -> Iterator[RolloutOpening]:
    """Yield the openings, in the order of the Nodes. owners: of the old Pods, in the Pod's own Namespace."""
    try_ = explain_without(pod, cluster)
    for name in sorted(cluster.nodes):
        node = cluster.nodes[name]
        for group in node.placed:
            spec = group.shape.spec
            if (
                spec.namespace == pod.namespace
                and spec.owner in owners
                and not try_(_leave_out_one(node, group), (group.shape,))
            ):
                yield RolloutOpening(name, spec.owner)
                break


def _leave_out_one(node: NodeState, group: PlacedPods) -> NodeState:
    kept = tuple(replace(p, count=p.count - 1) if p is group else p for p in node.placed)
    return NodeState.of(node.spec, tuple(p for p in kept if p.count))
