"""NodeUnschedulable: a cordoned Node accepts only Pods that tolerate its taint
(plugins/nodeunschedulable/node_unschedulable.go).
"""

from __future__ import annotations

from unstuck.facts.aspects.cluster import Taint
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, unread
from unstuck.scheduling.taints import is_tolerated

_NAME = "NodeUnschedulable"
_REFUSED = (Reason(_NAME, "node(s) were unschedulable"),)
_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[bool]:  # a filter's signature
    """Return whether the Pod tolerates cordoned Nodes."""
    return bind_state(is_tolerated(pod.shape.spec.tolerations, _TAINT))


def _check(goes_there: bool, node: NodeState) -> tuple[Reason, ...]:
    if goes_there:
        return ()
    return _REFUSED if node.spec.cordoned else unread(_NAME, node.spec.unreadable, "spec.unschedulable")


FILTER = Filter(_NAME, _prepare, _check)
