"""InterPodAffinity: the Pod is placed beside its required Pods, and apart from the Pods that it avoids or
that avoid it (plugins/interpodaffinity).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from unstuck.facts.aspects.placing import PodShape
from unstuck.scheduling.affinity import Term, compile_terms, matches_all
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.filter import (
    Filter,
    PreparedFilter,
    Reason,
    bind_state,
    reject,
    skip,
    unlisted_reasons,
    unread,
)
from unstuck.scheduling.label_index import shapes_selected
from unstuck.scheduling.labels import join_faults
from unstuck.scheduling.matching import MatchPlaces
from unstuck.scheduling.memo import cache_per_cluster
from unstuck.scheduling.selectors import SelectorError

_NAME = "InterPodAffinity"
_NOT_BESIDE = (Reason(_NAME, "node(s) didn't match pod affinity rules"),)
_NOT_AWAY = (Reason(_NAME, "node(s) didn't match pod anti-affinity rules", "unschedulable"),)
_AVOIDED = (Reason(_NAME, "node(s) didn't satisfy existing pods anti-affinity rules", "unschedulable"),)

# A topology key and its value, with how many Pods and terms were counted for it.
Domains = Mapping[tuple[str, str], int]
# The topology keys for which one Pod counts: as a wanted Pod, as an avoided Pod, as a Pod that avoids others.
Keys = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """beside, away: the Pod's own terms.

    wanted: domains with Pods that match all of `beside`. shunned: domains with Pods that match one of `away`.
    closed: domains with Pods whose own terms match this Pod; closed_keys: the topology keys of these terms.
    open: unknowns about other Pods.
    """

    pod: ShapeOfPods
    namespace_labels: Mapping[str, str]
    beside: tuple[Term, ...]
    away: tuple[Term, ...]
    wanted: Domains
    shunned: Domains
    closed: Domains
    closed_keys: frozenset[str] = frozenset()
    open: Reason | None = None

    @property
    def is_first(self) -> bool:
        """Whether no Pod but itself matches its terms: the first Pod of a group may be placed anywhere."""
        return not self.wanted and matches_all(self.beside, self.pod)

    def keys(self, other: ShapeOfPods, of_other: tuple[Term, ...]) -> Keys:
        """Return the topology keys that count a Pod of this shape with these terms."""
        return (
            tuple(t.key for t in self.beside) if matches_all(self.beside, other) else (),
            tuple(t.key for t in self.away if t.matches(other)) if self.away else (),
            tuple(t.key for t in of_other if t.matches(self.pod, self.namespace_labels)) if of_other else (),
        )

    def counting(self, found: Iterable[tuple[Keys, Sequence[tuple[NodeState, int]]]]) -> Neighbours:
        """Return the state with these numbers of Pods added on their Nodes; a negative number subtracts."""
        all_: tuple[dict[tuple[str, str], int], ...] = (
            dict(self.wanted),
            dict(self.shunned),
            dict(self.closed),
        )
        for keys, on in found:
            for domains, of in zip(all_, keys, strict=True):
                for key in of:
                    for node, count in on:
                        value = node.labels.get(key)
                        if value is not None:
                            domains[key, value] = domains.get((key, value), 0) + count
        wanted, shunned, closed = ({domain: n for domain, n in of.items() if n} for of in all_)
        return replace(
            self,
            wanted=wanted,
            shunned=shunned,
            closed=closed,
            closed_keys=frozenset(key for key, _ in closed),
        )


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[Neighbours]:
    spec = pod.shape.spec
    if bad := unread(
        _NAME,
        spec.unreadable,
        "metadata.labels",
        "spec.affinity.podAffinity",
        "spec.affinity.podAntiAffinity",
    ):
        return reject(bad[0])
    try:
        beside, away = _read_own_terms(spec)
    except SelectorError as fault:
        return reject(Reason(_NAME, f"parsing pod: {fault}"))
    if any(map(_selects_by_labels, (*beside, *away))) and (
        open_ := unlisted_reasons(_NAME, cluster, "Namespace")
    ):
        return reject(open_[0])
    among = cluster.namespaces
    state = Neighbours(
        pod.shape,
        among.get(spec.namespace, {}),
        tuple(t.among(among) for t in beside),
        tuple(t.among(among) for t in away),
        {},
        {},
        {},
        open=_find_unknown_reason(cluster, bool(beside or away)),
    )
    avoiding = _anti_affinity_terms(cluster)
    looked_at = dict.fromkeys(
        (*_own_candidates(state, cluster), *_anti_affinity_index(cluster).find_near(pod.shape))
    )
    counting = {s: keys for s in looked_at if any(keys := state.keys(s, avoiding.get(s, ())))}
    if counting:
        state = state.counting((keys, cluster.nodes_with_shape(s)) for s, keys in counting.items())
    return bind_state(state) if beside or away or state.closed or state.open else skip()


def _read_own_terms(spec: PodShape) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Return the Pod's required terms. Errors: SelectorError, also for a preferred term."""
    made, faults = [], []
    for name, terms in (
        ("requiredAffinityTerms", spec.affinity),
        ("requiredAntiAffinityTerms", spec.anti_affinity),
        ("preferredAffinityTerms", spec.preferred_affinity),
        ("preferredAntiAffinityTerms", spec.preferred_anti_affinity),
    ):
        try:
            made.append(compile_terms(terms, spec.namespace))
        except SelectorError as fault:
            faults.append(f"{name}: {fault}")
    if faults:
        raise SelectorError(join_faults(faults))
    return made[0], made[1]


def _own_candidates(state: Neighbours, cluster: ClusterView) -> Iterator[ShapeOfPods]:
    """Yield the candidates for the Pod's own terms."""
    if state.beside:
        yield from shapes_selected(state.beside[0].selector, cluster)
    for term in state.away:
        yield from shapes_selected(term.selector, cluster)


@dataclass(frozen=True, slots=True)
class _AntiAffinityIndex:
    """Pods with required anti-affinity by their terms: shapes and places go together."""

    shapes: tuple[ShapeOfPods, ...]
    places: MatchPlaces

    def find_near(self, shape: ShapeOfPods) -> Iterator[ShapeOfPods]:
        """Yield the shapes with a term that may match Pods of this shape."""
        return (self.shapes[i] for i in self.places.find_near(shape.labels))


@cache_per_cluster
def _anti_affinity_index(cluster: ClusterView) -> _AntiAffinityIndex:
    rows = [
        (shape, term)
        for shape, terms in _anti_affinity_terms(cluster).items()
        for term in terms
        if not term.selector.nothing
    ]
    return _AntiAffinityIndex(
        tuple(shape for shape, _ in rows), MatchPlaces.of(term.selector.requirements for _, term in rows)
    )


@cache_per_cluster
def _anti_affinity_terms(cluster: ClusterView) -> Mapping[ShapeOfPods, tuple[Term, ...]]:
    """Return the Pods with required anti-affinity, and their terms."""
    return {s: terms for s in cluster.shapes if (terms := _list_terms_of(s.spec))}


def _list_terms_of(spec: PodShape) -> tuple[Term, ...]:
    """Return the required anti-affinity of another Pod; none if one of its terms is faulty."""
    if not spec.anti_affinity:
        return ()
    try:
        return compile_terms(spec.anti_affinity, spec.namespace)
    except SelectorError:
        return ()


def _selects_by_labels(term: Term) -> bool:
    """Tell whether a term depends on the labels of Namespaces."""
    return bool(term.namespace_selector.requirements)


def _find_unknown_reason(cluster: ClusterView, counts: bool) -> Reason | None:
    """Return the unknowns about other Pods, their terms, or their Nodes. counts: whether the Pod has terms of
    its own.
    """
    for s in cluster.shapes:
        if s.spec.unreadable and (
            found := unread(_NAME, s.spec.unreadable, "metadata.labels", "spec.affinity.podAntiAffinity")
        ):
            return found[0]
    odd = [n for n in cluster.nodes.values() if n.placed and n.spec.unreadable]
    if odd and (counts or any(s.spec.anti_affinity for s in cluster.shapes)):
        found = tuple(r for n in odd for r in unread(_NAME, n.spec.unreadable, "metadata.labels"))
        if found:
            return found[0]
    unsure = unlisted_reasons(_NAME, cluster, "Namespace")
    return (
        unsure[0]
        if unsure
        and any(_selects_by_labels(t) for terms in _anti_affinity_terms(cluster).values() for t in terms)
        else None
    )


def _check(state: Neighbours, node: NodeState) -> tuple[Reason, ...]:
    if node.spec.unreadable and (open_ := unread(_NAME, node.spec.unreadable, "metadata.labels")):
        return open_
    if not _has_required_pods(state, node):
        return _NOT_BESIDE
    labels = node.labels
    if state.shunned:
        for t in state.away:
            value = labels.get(t.key)
            if value is not None and state.shunned.get((t.key, value), 0) > 0:
                return _NOT_AWAY
    for key in state.closed_keys:
        value = labels.get(key)
        if value is not None and state.closed.get((key, value), 0) > 0:
            return _AVOIDED
    return (state.open,) if state.open else ()


def _has_required_pods(state: Neighbours, node: NodeState) -> bool:
    """Tell whether the Node's domain has the Pods required by the affinity. A Node without the topology key
    never matches, even for a group's first Pod.
    """
    everywhere = True
    for t in state.beside:
        value = node.labels.get(t.key)
        if value is None:
            return False
        everywhere = everywhere and state.wanted.get((t.key, value), 0) > 0
    return everywhere or state.is_first


def _plus(state: Neighbours, node: NodeState, added: tuple[ShapeOfPods, ...]) -> Neighbours:
    return _count(state, node, added, 1)


def _minus(state: Neighbours, node: NodeState, gone: tuple[ShapeOfPods, ...]) -> Neighbours:
    return _count(state, node, gone, -1)


def _count(state: Neighbours, node: NodeState, shapes: tuple[ShapeOfPods, ...], sign: int) -> Neighbours:
    found = [(keys, ((node, sign),)) for s in shapes if any(keys := state.keys(s, _list_terms_of(s.spec)))]
    return state.counting(found) if found else state


FILTER = Filter(_NAME, _prepare, _check, _plus, _minus)
