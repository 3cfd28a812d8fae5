"""PodTopologySpread: no domain may hold more matching Pods than the emptiest by more than maxSkew
(plugins/podtopologyspread).

Constraints with `ScheduleAnyway`, and the cluster's default constraints, reject no Node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.aspects.placing_terms import SpreadConstraint, Toleration
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, reject, skip, unread
from unstuck.scheduling.label_index import shapes_selected
from unstuck.scheduling.required_affinity import RequiredAffinity
from unstuck.scheduling.selectors import PreparedSelector, SelectorError, label_selector
from unstuck.scheduling.taints import find_untolerated

_NAME = "PodTopologySpread"
_WORDS = "node(s) didn't match pod topology spread constraints"
_TOO_MANY = (Reason(_NAME, _WORDS, "unschedulable"),)
_NO_DOMAIN = (Reason(_NAME, f"{_WORDS} (missing required label)"),)

# The parts of the Pod's specification that determine the counts.
_READ = (
    "spec.topologySpreadConstraints",
    "metadata.labels",
    "spec.tolerations",
    "spec.nodeSelector",
    "spec.affinity.nodeAffinity",
)

# Pods by domain: the value of the topology key → how many of its Pods match.
Domains = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Constraint:
    """One compiled constraint. counts_itself: whether the pending Pod matches its own selector."""

    key: str
    max_skew: int
    min_domains: int
    selector: PreparedSelector
    honors_affinity: bool
    honors_taints: bool
    counts_itself: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """The constraints of one Pod and the Pods that count for each.

    lowest: per constraint, the fewest Pods in any of its domains; 0 if there are fewer domains than
    minDomains. open: unknowns about the counts.
    """

    namespace: str
    affinity: RequiredAffinity
    tolerations: tuple[Toleration, ...]
    constraints: tuple[Constraint, ...]
    domains: tuple[Domains, ...] = ()
    lowest: tuple[int, ...] = ()
    open: Reason | None = None

    def counted(self, domains: tuple[Domains, ...]) -> Spread:
        """Return the same constraints with these counts."""
        lowest = (
            min(d.values()) if len(d) >= c.min_domains and d else 0
            for c, d in zip(self.constraints, domains, strict=True)
        )
        return replace(self, domains=domains, lowest=tuple(lowest))

    def counting(self, node: NodeState) -> Iterator[int]:
        """Yield the indexes of the constraints that count this Node: it has all topology keys, and no policy
        excludes it.
        """
        labels = node.labels
        for c in self.constraints:
            if c.key not in labels:
                return
        admitted = None
        for i, c in enumerate(self.constraints):
            if c.honors_affinity:
                admitted = self.affinity.matches(labels, node.name) if admitted is None else admitted
                if not admitted:
                    continue
            if not c.honors_taints or not find_untolerated(self.tolerations, node.spec.taints):
                yield i


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[Spread]:
    spec = pod.shape.spec
    if bad := unread(_NAME, spec.unreadable, *_READ):
        return reject(bad[0])
    try:
        constraints = tuple(_constraint(c, pod.shape) for c in spec.spread if c.when == "DoNotSchedule")
    except SelectorError as bad:
        return reject(
            Reason(
                _NAME,
                f"get constraints from pod: obtaining pod's hard topology spread constraints: {bad}",
                "error",
            )
        )
    if not constraints:
        return skip()
    spread = Spread(
        spec.namespace,
        RequiredAffinity.of(spec),
        spec.tolerations,
        constraints,
        open=_find_unknown_reason(cluster, spec.namespace),
    )
    matching = tuple(_count_matching(c, spec, cluster) for c in constraints)
    domains: tuple[dict[str, int], ...] = tuple({} for _ in constraints)
    for node in cluster.nodes.values():
        for i in spread.counting(node):
            here, of = domains[i], node.labels[constraints[i].key]
            here[of] = here.get(of, 0) + matching[i].get(node, 0)
    return bind_state(spread.counted(domains))


def _find_unknown_reason(cluster: ClusterView, namespace: str) -> Reason | None:
    """Return the unknown reason if some Pod or Node cannot be counted."""
    pods = (s.spec.unreadable for s in cluster.shapes if s.spec.unreadable and s.spec.namespace == namespace)
    nodes = (n.spec.unreadable for n in cluster.nodes.values() if n.spec.unreadable)
    return next(
        (r for fields in (*pods, *nodes) for r in unread(_NAME, fields, "metadata.labels", "spec.taints")),
        None,
    )


def _constraint(written: SpreadConstraint, shape: ShapeOfPods) -> Constraint:
    """Compile a constraint. Errors: SelectorError."""
    selector = label_selector(written.selector).with_labels(
        (key, shape.labels[key]) for key in written.match_label_keys if key in shape.labels
    )
    return Constraint(
        key=written.topology_key,
        max_skew=written.max_skew,
        min_domains=1 if written.min_domains is None else written.min_domains,
        selector=selector,
        honors_affinity=written.affinity_policy in ("", "Honor"),
        honors_taints=written.taints_policy == "Honor",
        counts_itself=selector.matches(shape.labels),
    )


def _count_matching(constraint: Constraint, spec: PodShape, cluster: ClusterView) -> Mapping[NodeState, int]:
    """Return the number of counted Pods per Node. Terminating Pods do not count, and a selector that selects
    everything counts none.
    """
    if constraint.selector.empty:
        return {}
    out: dict[NodeState, int] = {}
    for s in shapes_selected(constraint.selector, cluster):
        if s.spec.namespace == spec.namespace and not s.spec.terminating:
            for node, count in cluster.nodes_with_shape(s):
                out[node] = out.get(node, 0) + count
    return out


def _check(state: Spread, node: NodeState) -> tuple[Reason, ...]:
    for c, domains, lowest in zip(state.constraints, state.domains, state.lowest, strict=True):
        domain = node.labels.get(c.key)
        if domain is None:
            return _NO_DOMAIN
        if domains.get(domain, 0) + c.counts_itself - lowest > c.max_skew:
            return _TOO_MANY
    return (state.open,) if state.open else ()


def _plus(state: Spread, node: NodeState, added: tuple[ShapeOfPods, ...]) -> Spread:
    return _count(state, node, added, 1)


def _minus(state: Spread, node: NodeState, gone: tuple[ShapeOfPods, ...]) -> Spread:
    return _count(state, node, gone, -1)


def _count(state: Spread, node: NodeState, shapes: tuple[ShapeOfPods, ...], sign: int) -> Spread:
    """Count added or removed Pods even if terminating, and even for a selector that selects everything."""
    here = [s for s in shapes if s.spec.namespace == state.namespace]
    places = tuple(state.counting(node)) if here else ()
    if not places:
        return state
    domains = list(state.domains)
    for i in places:
        more = sign * sum(state.constraints[i].selector.matches(s.labels) for s in here)
        if more:
            domain = node.labels[state.constraints[i].key]
            domains[i] = {**domains[i], domain: domains[i].get(domain, 0) + more}
    return state.counted(tuple(domains))


FILTER = Filter(_NAME, _prepare, _check, _plus, _minus)
