"""The Pods that occupy the room on Nodes."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import ClusterView


@record()
class RoomHolder(Record):
    """The owner of Pods that request a resource: `ReplicaSet/web-7d9f`, "" for Pods without a controller."""

    namespace: str
    owner: str
    amount: int
    pods: int


def holders(cluster: ClusterView, nodes: Iterable[str], resource: str) -> tuple[RoomHolder, ...]:
    """Return the owners that request this resource on these Nodes, largest amount first; for `pods`, ordered
    by number of Pods.
    """
    held: dict[tuple[str, str], tuple[int, int]] = {}
    for name in nodes:
        for placed in cluster.nodes[name].placed:
            spec = placed.shape.spec
            amount = 1 if resource == "pods" else placed.shape.requests.get(resource, 0)
            if amount:
                have, pods = held.get((spec.namespace, spec.owner), (0, 0))
                held[spec.namespace, spec.owner] = (have + amount * placed.count, pods + placed.count)
    found = [
        RoomHolder(namespace, owner, amount, pods) for (namespace, owner), (amount, pods) in held.items()
    ]
    return tuple(sorted(found, key=lambda h: (-h.amount, h.namespace, h.owner)))
