"""The full analysis of one waiting Pod, once for its shape: the decision, every refusal of every Node, and
the blame.

Blame is assigned in three steps: the Nodes that the Pod's own selectors choose, then the open Nodes among
them, then the nearest of the open ones. A Node outside the Pod's choice is no reason for its waiting while
other Nodes match the choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.scheduling.cluster import ClusterView, Pod
from unstuck.scheduling.decide import Decision, Explanation, decide_and_explain
from unstuck.scheduling.filters.volume_restrictions import ONE_POD_IN_USE
from unstuck.scheduling.reason import Reason
from unstuck.scheduling.rejections import NodeRejection, depends_on_node, node_key, reject

# The order of consideration: the Pod's own choice of Nodes, reserved Nodes, Nodes out of service, and
# dependence on other Pods' places. While some Nodes pass one of these steps, the Nodes that fail it are not
# examined for other shortages.
_LEVELS = (
    frozenset(
        (
            "node-selector-mismatch",
            "node-affinity-mismatch",
            "volume-node-conflict",
            "pod-affinity-unsatisfied",
        )
    ),
    frozenset(("taint-not-tolerated",)),
    frozenset(("node-cordoned", "node-not-ready-taint", "node-pressure-taint")),
    frozenset(("topology-spread-unsatisfiable",)),
)


@dataclass(frozen=True, eq=False)
class PlacementAnalysis:
    """pod: a waiting Pod; all Pods of its shape share the analysis. decision: in the form of the scheduler's
    report.

    explanation: every filter's result for every Node.
    """

    pod: Pod
    cluster: ClusterView
    decision: Decision
    explanation: Explanation

    @property
    def certain(self) -> bool:
        """Whether every deciding fact is known."""
        d = self.decision
        return not d.undecided and not d.stopped and not (d.rejected and d.rejected.outcome == "unknown")

    @cached_property
    def everywhere(self) -> tuple[NodeRejection, ...]:
        """The rejections of the Pod before any Node is checked."""
        held = (self.decision.held,) if self.decision.held else ()
        return reject(self.pod, None, (*held, *((self.decision.rejected,) if self.decision.rejected else ())))

    @cached_property
    def rejections_by_node(self) -> Mapping[str, tuple[NodeRejection, ...]]:
        """The rejections on each unsuitable Node; equal rejections share one tuple."""
        known: dict[object, tuple[NodeRejection, ...]] = {}
        looking: dict[object, bool] = {}
        equal: dict[tuple[NodeRejection, ...], tuple[NodeRejection, ...]] = {}
        out: dict[str, tuple[NodeRejection, ...]] = {}
        for name, reasons in self.explanation.nodes.items():
            node = self.cluster.nodes[name]
            key: object = id(reasons)
            if key not in looking:
                looking[key] = depends_on_node(reasons)
            if looking[key] or node.spec.allocatable is None:
                key = (id(reasons), node_key(self.pod, node))
            if key not in known:
                found = reject(self.pod, node, reasons)
                known[key] = equal.setdefault(found, found)
            out[name] = known[key]
        return out

    @cached_property
    def blamed(self) -> Mapping[str, tuple[str, ...]]:
        """The kinds of rejection that keep the Pod waiting, each with its Nodes; a rejection before any Node
        was checked counts for every Node, and those of the Nodes beside it if none is left without.
        """
        if self.decision.fits:
            return {}
        if self.everywhere:
            every = tuple(self.cluster.nodes)
            closed = self.decision.held is None and self.rejections_by_node.keys() >= set(every)
            beside = self._blame_nodes() if every and closed else {}
            return {**beside, **{r.kind: every for r in self.everywhere if r.kind}}
        return self._blame_nodes()

    def _blame_nodes(self) -> dict[str, tuple[str, ...]]:
        groups: dict[frozenset[str], list[str]] = {}
        for rs, names in self.groups.items():
            groups.setdefault(frozenset(r.kind for r in rs), []).extend(names)
        order = {name: i for i, name in enumerate(self.cluster.nodes)}
        return {
            kind: tuple(sorted(names, key=order.__getitem__))
            for kind, names in _blame_by_node(groups).items()
        }

    @cached_property
    def groups(self) -> Mapping[tuple[NodeRejection, ...], tuple[str, ...]]:
        """The unsuitable Nodes, grouped by their rejections."""
        alike: dict[int, tuple[tuple[NodeRejection, ...], list[str]]] = {}
        for name, rs in self.rejections_by_node.items():
            alike.setdefault(id(rs), (rs, []))[1].append(name)
        return {rs: tuple(names) for rs, names in alike.values()}

    def most_offered(self, kind: str, resource: str) -> tuple[int, str]:
        """Return the largest amount offered among the Nodes blamed for this kind, and that Node's name."""
        if (kind, resource) not in self._most:
            nodes = self.cluster.nodes
            self._most[kind, resource] = max(
                ((nodes[n].allocatable.get(resource, 0), n) for n in self.blamed.get(kind, ())),
                default=(0, ""),
            )
        return self._most[kind, resource]

    @cached_property
    def _most(self) -> dict[tuple[str, str], tuple[int, str]]:
        return {}

    def of_kind(self, kind: str) -> tuple[NodeRejection, ...]:
        """Return the distinct rejections of this kind on the Nodes blamed for it, most frequent first."""
        return self._kinds.get(kind, ())

    @cached_property
    def _kinds(self) -> Mapping[str, tuple[NodeRejection, ...]]:
        out: dict[str, tuple[NodeRejection, ...]] = {}
        for kind, names in self.blamed.items():
            blamed, rows = set(names), Counter[NodeRejection]()
            for rs, on in self.groups.items():
                if mine := [r for r in rs if r.kind == kind]:
                    count = sum(n in blamed for n in on)
                    rows.update({r: count for r in mine if count})
            found = (r for r, _ in sorted(rows.items(), key=lambda p: (-p[1], p[0].what)))
            out[kind] = (*(r for r in self.everywhere if r.kind == kind), *found)
        return out

    def agrees(self, said: Iterable[str]) -> bool:
        """Tell whether the scheduler gives the same reasons; the counts may differ, since Nodes come and go
        between its attempts.
        """
        d = self.decision
        return bool(d.rejected or not (d.fits or d.held)) and self._mine == {
            _canonical(text) for text in said
        }

    @cached_property
    def _mine(self) -> frozenset[str]:
        """Return the scheduler's expected reasons in normalised form."""
        d = self.decision
        if d.rejected:
            return frozenset((_canonical(d.rejected.message),))
        # Most Nodes share their reasons.
        rows = {id(reasons): reasons for reasons in d.refused.values()}
        return frozenset(map(_canonical, {r.message for reasons in rows.values() for r in reasons}))


_Groups = Mapping[frozenset[str], list[str]]


def _blame_by_node(groups: _Groups) -> Mapping[str, list[str]]:
    left = groups
    for level in _LEVELS:
        passing = {of: names for of, names in left.items() if not of & level}
        if not passing:
            return _nodes_by_kind(left, _find_least(left))
        left = passing
    return _find_nearest(left)


def _find_nearest(groups: _Groups) -> Mapping[str, list[str]]:
    """Return the kinds of the Nodes with the smallest shortage, and the kinds of the largest group of
    Nodes.
    """
    largest = max(groups, key=lambda of: (len(groups[of]), -len(of), sorted(of)), default=frozenset[str]())
    return _nodes_by_kind(groups, [*_find_least(groups), largest])


def _find_least(groups: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    sets = list(groups)
    least = min(map(len, sets), default=0)
    return [of for of in sets if len(of) == least]


def _nodes_by_kind(groups: _Groups, kinds: Iterable[frozenset[str]]) -> Mapping[str, list[str]]:
    """Return for each of these kinds all Nodes that it applies to."""
    return {
        kind: [n for of, names in groups.items() if kind in of for n in names]
        for kind in sorted({k for of in kinds for k in of if k})
    }


# Messages of older schedulers, and the normalised form of a taint's name.
_SAME: Sequence[tuple[re.Pattern[str], str]] = (
    (
        re.compile(r"node\(s\) had (?:untolerated )?taints?\b.*", re.DOTALL),
        "node(s) had untolerated taint(s)",
    ),
    (re.compile(r"node\(s\) didn't match (?:Pod's )?node (?:affinity/)?selector"), "node affinity/selector"),
    (re.compile(r"node\(s\) didn't match Pod's node affinity"), "node affinity/selector"),
    (
        re.compile(r"node\(s\) had volume node affinity conflict"),
        "node(s) didn't match PersistentVolume's node affinity",
    ),
    (
        re.compile(r"node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod"),
        ONE_POD_IN_USE,
    ),
)


def _canonical(text: str) -> str:
    text = text.strip(" .").removesuffix(". not found")
    return next((form for pattern, form in _SAME if pattern.match(text)), text)


class _SharedKey:
    """A key by a record's identity: comparing the content is slow for a big cluster."""

    def __init__(self, inputs: PlacingInputs) -> None:
        self.inputs = inputs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SharedKey) and other.inputs is self.inputs

    def __hash__(self) -> int:
        return id(self.inputs)


@lru_cache(maxsize=2)
def _cluster(key: _SharedKey) -> ClusterView:
    return ClusterView.of(key.inputs)


def cluster_of(inputs: PlacingInputs) -> ClusterView:
    """Return the view of these objects, made once for all Pods."""
    return _cluster(_SharedKey(inputs))


def find_analysis(inputs: PlacingInputs, namespace: str, name: str) -> PlacementAnalysis | None:
    """Return the analysis of this pending Pod, or of another of its shape; None if it is not pending."""
    cluster = cluster_of(inputs)
    pod = cluster.pod(namespace, name)
    if pod is None:
        return None
    # A nominated Pod does not compete with itself, so it is decided separately.
    key = ("found", pod.shape, pod.wanted_node, pod.nominated and (pod.nominated, pod.uid))
    if key not in cluster.once:
        cluster.once[key] = PlacementAnalysis(pod, cluster, *decide_and_explain(pod, cluster))
    return cast(PlacementAnalysis, cluster.once[key])


def unknown_of(found_: PlacementAnalysis) -> tuple[Reason, ...]:
    """Return the distinct deciding facts that are unknown."""
    d = found_.decision
    rows = (
        *((d.rejected,) if d.rejected else ()),
        *(r for reasons in (d.undecided or {}).values() for r in reasons),
    )
    return tuple(dict.fromkeys(r for r in rows if r.outcome == "unknown"))
