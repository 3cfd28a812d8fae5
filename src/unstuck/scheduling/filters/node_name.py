"""NodeName: a Pod with `spec.nodeName` fits that Node only (plugins/nodename/node_name.go)."""

from __future__ import annotations

from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state

_NAME = "NodeName"
_REFUSED = (Reason(_NAME, "node(s) didn't match the requested node name"),)


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[str]:  # a filter's signature
    return bind_state(pod.wanted_node)


def _check(wanted: str, node: NodeState) -> tuple[Reason, ...]:
    return () if wanted in ("", node.name) else _REFUSED


FILTER = Filter(_NAME, _prepare, _check)
