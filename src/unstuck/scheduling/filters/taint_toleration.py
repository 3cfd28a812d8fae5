"""TaintToleration: the Pod tolerates every taint that keeps Pods away
(plugins/tainttoleration/taint_toleration.go).
"""

from __future__ import annotations

from unstuck.facts.aspects.placing_terms import Toleration
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, reject, unread
from unstuck.scheduling.taints import find_untolerated

_NAME = "TaintToleration"
_REFUSED = (Reason(_NAME, "node(s) had untolerated taint(s)"),)


def _prepare(
    pod: Pod, cluster: ClusterView
) -> PreparedFilter[tuple[Toleration, ...]]:  # a filter's signature
    open_ = unread(_NAME, pod.shape.spec.unreadable, "spec.tolerations")
    return reject(open_[0]) if open_ else bind_state(pod.shape.spec.tolerations)


def _check(tolerations: tuple[Toleration, ...], node: NodeState) -> tuple[Reason, ...]:
    if find_untolerated(tolerations, node.spec.taints):
        return _REFUSED
    return unread(_NAME, node.spec.unreadable, "spec.taints")


FILTER = Filter(_NAME, _prepare, _check)
