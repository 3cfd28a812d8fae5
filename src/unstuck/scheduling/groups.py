"""Nodes that are closed for the same reasons, the group nearest to fitting first; and who holds the room on them."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import Cluster
from unstuck.scheduling.decide import Explanation
from unstuck.scheduling.reason import Reason


@record()
class Group(Record):
    """Nodes with one set of reasons. bare: those that have no status yet, so that nothing of what they offer is known."""

    reasons: tuple[Reason, ...]
    nodes: tuple[str, ...]
    bare: tuple[str, ...] = ()


@record()
class Holder(Record):
    """Whose Pods request a resource: `ReplicaSet/web-7d9f`, "" for Pods of no controller."""

    namespace: str
    owner: str
    amount: int
    pods: int


def groups(cluster: Cluster, told: Explanation) -> tuple[Group, ...]:
    """Every Node that does not fit, by its reasons. Fewer plugins are nearer, then fewer reasons, then what preemption might lift."""
    by: dict[tuple[Reason, ...], list[str]] = {}
    for name, reasons in told.nodes.items():
        by.setdefault(reasons, []).append(name)
    found = [
        Group(reasons, tuple(names), tuple(n for n in names if cluster.nodes[n].spec.allocatable is None)) for reasons, names in by.items()
    ]
    return tuple(sorted(found, key=_distance))


def _distance(group: Group) -> tuple[object, ...]:
    plugins = {r.plugin for r in group.reasons}
    final = any(r.outcome != "unschedulable" for r in group.reasons)
    return (len(plugins), len(group.reasons), final, len(group.bare) > 0, -len(group.nodes), group.nodes)


def holders(cluster: Cluster, nodes: Iterable[str], resource: str) -> tuple[Holder, ...]:
    """Who requests this resource on these Nodes, the most first; of `pods`, who has the most."""
    held: dict[tuple[str, str], tuple[int, int]] = {}
    for name in nodes:
        for placed in cluster.nodes[name].placed:
            spec = placed.shape.spec
            amount = 1 if resource == "pods" else placed.shape.requests.get(resource, 0)
            if amount:
                have, pods = held.get((spec.namespace, spec.owner), (0, 0))
                held[spec.namespace, spec.owner] = (have + amount * placed.count, pods + placed.count)
    found = [Holder(namespace, owner, amount, pods) for (namespace, owner), (amount, pods) in held.items()]
    return tuple(sorted(found, key=lambda h: (-h.amount, h.namespace, h.owner)))
