"""Conclusions about Pods that stages and causes share."""

from __future__ import annotations

from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.aspects.pod import ContainerStatus, ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

TERMINAL = ("Failed", "Succeeded")


def node_of(pod: Ref, snap: Snapshot) -> Ref | None:
    """The Node that the Pod is bound to, None while it is not or nobody told."""
    placed = snap.one(Placement, pod)
    return snap.canon(placed.node) if placed and placed.node else None


def terminal(pod: Ref, snap: Snapshot) -> bool:
    """Whether the Pod's phase is Failed or Succeeded."""
    return any(f.phase in TERMINAL for f in snap.of(Phase, pod))


def kubelet_version(node: Ref, snap: Snapshot) -> tuple[int, int] | None:
    """(major, minor) of the Node's kubelet, None where not known."""
    info = snap.one(NodeInfo, node)
    parts = info.kubelet.lstrip("v").split(".") if info else []
    return (int(parts[0]), int(parts[1])) if len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit() else None


def statuses(pod: Ref, snap: Snapshot) -> tuple[ContainerStatus, ...]:
    """Every container's status that was seen."""
    return tuple(s for f in snap.of(ContainerStatuses, pod) for s in f.items)


def node_ready(node: Ref, snap: Snapshot) -> bool | None:
    """The Ready condition: True, False (also `Unknown`), None where not seen."""
    conditions = snap.one(Conditions, node)
    ready = conditions.get("Ready") if conditions else None
    return None if ready is None else ready.status == "True"
