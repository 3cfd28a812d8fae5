"""NodeAffinity: the Node meets `nodeSelector` and the required node affinity
(plugins/nodeaffinity/node_affinity.go).

Affinity that the scheduler's own configuration adds (`addedAffinity`) is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from unstuck.facts.aspects.placing_terms import NodeTerm, Pairs
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, reject, skip, unread
from unstuck.scheduling.selectors import NodeSelector, has_all, node_selector

_NAME = "NodeAffinity"
_REFUSED = (Reason(_NAME, "node(s) didn't match Pod's node affinity/selector"),)
_CONFLICT = Reason(_NAME, "pod affinity terms conflict")


@dataclass(frozen=True, slots=True)
class _WantedAffinity:
    labels: Pairs
    terms: NodeSelector | None


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[_WantedAffinity]:  # a filter's signature
    spec = pod.shape.spec
    open_ = unread(_NAME, spec.unreadable, "spec.nodeSelector", "spec.affinity.nodeAffinity.required")
    if open_:
        return reject(open_[0])
    if spec.node_affinity is None:
        return bind_state(_WantedAffinity(spec.node_selector, None)) if spec.node_selector else skip()
    names = nodes_named(spec.node_affinity)
    if names is not None and not names:
        return reject(_CONFLICT)
    return bind_state(_WantedAffinity(spec.node_selector, node_selector(spec.node_affinity)), names)


def nodes_named(terms: tuple[NodeTerm, ...]) -> frozenset[str] | None:
    """Return the Nodes named by the terms, None if there are no terms or one of them does not restrict the
    name.
    """
    every: frozenset[str] | None = None
    for term in terms:
        lists = [frozenset(r.values) for r in term.fields if r.key == "metadata.name" and r.operator == "In"]
        if not lists:
            return None
        every = (every or frozenset()) | frozenset.intersection(*lists)
    return every


def _check(wanted: _WantedAffinity, node: NodeState) -> tuple[Reason, ...]:
    if node.spec.unreadable and (open_ := unread(_NAME, node.spec.unreadable, "metadata.labels")):
        return open_
    met = has_all(wanted.labels, node.labels) and (
        wanted.terms is None or wanted.terms.matches(node.labels, node.name)
    )
    return () if met else _REFUSED


FILTER = Filter(_NAME, _prepare, _check)
