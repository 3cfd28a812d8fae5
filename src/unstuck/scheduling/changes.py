"""The single changes that would make a Node fit for a Pod, each verified by running the filters.

A change is tried only on Nodes without other obstacles. The result holds for the objects as read; Pods that
come or go meanwhile are not foreseen. Pairs of changes are not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.aspects.placing_terms import NodeTerm, Toleration
from unstuck.facts.derive.requirements import write_requirement
from unstuck.facts.quantity import format_amount
from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import ClusterView, NodeState, PlacedPods, Pod, ShapeOfPods
from unstuck.scheduling.decide import Explanation, explain, fits_on
from unstuck.scheduling.queue import free_amount
from unstuck.scheduling.rejections import format_taint
from unstuck.scheduling.similar_labels import similar_labels
from unstuck.scheduling.taints import KEEP_OUT, is_tolerated

say = Messages(__name__)

_HOSTNAME = "kubernetes.io/hostname"
_CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_MIB = 1 << 20
_MOST_SHAPES, _MOST_NAMED, _MOST_VALUES = 50, 3, 20
_VOLUMES = frozenset({"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"})
# The plugins that read each field: PodTopologySpread also reads tolerations and node affinity.
_OF_LABELS = frozenset({"NodeAffinity", "PodTopologySpread"})
_OF_TAINTS = frozenset({"NodeUnschedulable", "TaintToleration", "PodTopologySpread"})


@record()
class Change(Record):
    """One change and the Nodes that it opens.

    kind: `request`, `toleration`, `uncordon`, `selector`, `affinity`, `port`, `spread`, `neighbours`,
    `volume`, `node`. says: the change in words. opens: Nodes that the Pod then fits; for `node`, the existing
    Node as the template of the new one. effort: the sort key, smallest first.
    """

    kind: str
    says: Text
    opens: tuple[str, ...]
    effort: float = 0.5


@dataclass(frozen=True, slots=True)
class _Idea:
    """An untried change. lifts: the plugins whose rejections the change may lift."""

    kind: str
    says: Text
    lifts: frozenset[str]
    apply: Callable[[PodShape], PodShape]
    effort: float = 0.5


def changes(pod: Pod, cluster: ClusterView, explanation: Explanation | None = None) -> tuple[Change, ...]:
    """Return every single change that opens a Node, smallest first. explanation: the result of `explain`, if
    already computed.
    """
    explanation = explanation or explain(pod, cluster)
    closed = _nodes_by_plugins(cluster, explanation)
    tried = (
        _try(idea, pod, cluster, closed)
        for idea in chain(
            _list_changes_of_pod(pod, cluster), _list_requests(pod, cluster, explanation, closed)
        )
    )
    found = [
        c
        for c in (*tried, *_list_uncordon_changes(pod, cluster, closed), *_propose_new_node(pod, cluster))
        if c
    ]
    return tuple(sorted(found, key=lambda c: (c.effort, -len(c.opens), c.kind, c.says.en)))


def _nodes_by_plugins(
    cluster: ClusterView, explanation: Explanation
) -> Mapping[frozenset[str], tuple[str, ...]]:
    """Return the Nodes, grouped by the plugins that refuse the Pod there."""
    everywhere = {r.plugin for r in explanation.rejected}
    out: dict[frozenset[str], list[str]] = {}
    for name in cluster.nodes:
        out.setdefault(
            frozenset(everywhere | {r.plugin for r in explanation.nodes.get(name, ())}), []
        ).append(name)
    return {plugins: tuple(names) for plugins, names in out.items() if plugins}


def _list_candidates(lifts: frozenset[str], closed: Mapping[frozenset[str], tuple[str, ...]]) -> list[str]:
    return [name for plugins, names in closed.items() if plugins <= lifts for name in names]


def _try(
    idea: _Idea, pod: Pod, cluster: ClusterView, closed: Mapping[frozenset[str], tuple[str, ...]]
) -> Change | None:
    names = _list_candidates(idea.lifts, closed)
    if not names:
        return None
    opens = fits_on(_with_spec(pod, idea.apply(pod.shape.spec)), cluster, names)
    return Change(idea.kind, idea.says, opens, idea.effort) if opens else None


def _with_spec(pod: Pod, spec: PodShape) -> Pod:
    return replace(pod, shape=ShapeOfPods.of(spec))


# --- the Pod's requirements ---------------------------------------------------------------------------------


def _list_changes_of_pod(pod: Pod, cluster: ClusterView) -> Iterator[_Idea]:
    spec = pod.shape.spec
    yield from _list_tolerations(spec, cluster)
    yield from _list_selectors(spec, cluster)
    yield from _list_affinity(spec)
    yield from _list_neighbours(spec)
    for i, port in enumerate(spec.ports):
        yield _Idea(
            "port",
            _describe_removal(say("host port {port}", port=port.port)),
            frozenset({"NodePorts"}),
            _without_entry("ports", i),
        )
    for i, one in enumerate(spec.spread):
        says = _describe_removal(
            say("its topology spread constraint over {topology_key}", topology_key=one.topology_key)
        )
        if one.when == "DoNotSchedule":
            yield _Idea("spread", says, frozenset({"PodTopologySpread"}), _without_entry("spread", i))
    for i, volume in enumerate(spec.volumes):
        what = (
            same_in_both(f"PVC {volume.claim}")
            if volume.claim
            else say("volume {volume}", volume=volume.name)
        )
        says = _describe_removal(say("the constraints of {what}", what=what))
        yield _Idea("volume", says, _VOLUMES, _without_entry("volumes", i), 0.8)


def _describe_removal(what: Text) -> Text:
    return say("without {what}", what=what)


def _without_entry(field: str, place: int) -> Callable[[PodShape], PodShape]:
    """Return the shape without this entry of this field."""

    def apply(spec: PodShape) -> PodShape:
        rows = getattr(spec, field)
        changed: dict[str, Any] = {field: (*rows[:place], *rows[place + 1 :])}
        return replace(spec, **changed)

    return apply


def _list_tolerations(spec: PodShape, cluster: ClusterView) -> Iterator[_Idea]:
    taints = {
        t
        for n in cluster.nodes.values()
        for t in n.spec.taints
        if t.effect in KEEP_OUT and not is_tolerated(spec.tolerations, t)
    }
    for taint in sorted(taints, key=lambda t: (t.key, t.value, t.effect)):
        if taint.key.startswith("node.kubernetes.io/"):
            continue  # set because of a fault of the Node: to be fixed, not tolerated
        more = Toleration(taint.key, "Equal", taint.value, taint.effect)
        name = format_taint(taint)

        def apply(spec: PodShape, more: Toleration = more) -> PodShape:
            return replace(spec, tolerations=(*spec.tolerations, more))

        yield _Idea("toleration", say("tolerating {name}", name=name), _OF_TAINTS, apply, 0.3)


def _list_selectors(spec: PodShape, cluster: ClusterView) -> Iterator[_Idea]:
    for i, (key, value) in enumerate(spec.node_selector):
        yield _Idea(
            "selector",
            _describe_removal(say("nodeSelector {key}={value}", key=key, value=value)),
            _OF_LABELS,
            _without_entry("node_selector", i),
        )
        existing = (label for n in cluster.nodes.values() for label in n.labels.items())
        if any(n.labels.get(key) == value for n in cluster.nodes.values()):
            continue
        for (k, v), _ in similar_labels((key, value), existing):

            def apply(spec: PodShape, i: int = i, label: tuple[str, str] = (k, v)) -> PodShape:
                return replace(
                    spec, node_selector=(*spec.node_selector[:i], label, *spec.node_selector[i + 1 :])
                )

            says = say(
                "with nodeSelector {key}={value} in place of {wanted_key}={wanted_value}, which no Node has",
                key=k,
                value=v,
                wanted_key=key,
                wanted_value=value,
            )
            yield _Idea("selector", says, _OF_LABELS, apply, 0.2)


def _list_affinity(spec: PodShape) -> Iterator[_Idea]:
    """Yield each requirement of required node affinity left out. A term without requirements matches no Node,
    so an emptied term is dropped, and an emptied affinity altogether.
    """
    terms = spec.node_affinity or ()
    for i, term in enumerate(terms):
        for field in ("expressions", "fields"):
            for j, line in enumerate(getattr(term, field)):
                lines = getattr(term, field)
                rest = replace(term, **{field: (*lines[:j], *lines[j + 1 :])})
                says = _describe_removal(
                    say("the required node affinity {written}", written=write_requirement(line))
                )
                yield _Idea("affinity", says, _OF_LABELS, _terms((*terms[:i], rest, *terms[i + 1 :])))


def _terms(terms: tuple[NodeTerm, ...]) -> Callable[[PodShape], PodShape]:
    kept = terms if all(t.expressions or t.fields for t in terms) else None
    return lambda spec: replace(spec, node_affinity=kept)


def _list_neighbours(spec: PodShape) -> Iterator[_Idea]:
    for field, kind in (("affinity", say("affinity")), ("anti_affinity", say("anti-affinity"))):
        for i, term in enumerate(getattr(spec, field)):
            says = _describe_removal(
                say("its Pod {kind} over {topology_key}", kind=kind, topology_key=term.topology_key)
            )
            yield _Idea("neighbours", says, frozenset({"InterPodAffinity"}), _without_entry(field, i), 0.6)


# --- room ---------------------------------------------------------------------------------------------------


def _list_requests(
    pod: Pod, cluster: ClusterView, explanation: Explanation, closed: Mapping[frozenset[str], tuple[str, ...]]
) -> Iterator[_Idea]:
    """Yield for each resource the largest request that opens a Node with no other shortage."""
    names = _list_candidates(frozenset({"NodeResourcesFit"}), closed)
    for resource, asked in pod.shape.spec.requests:
        alone = {f"Insufficient {resource}"}
        nodes = [
            cluster.nodes[n] for n in names if {r.message for r in explanation.nodes.get(n, ())} == alone
        ]
        most = max((free_amount(pod, cluster, n, resource) for n in nodes), default=0)
        if _is_in_bytes(resource) and most > _MIB:
            most -= most % _MIB
        if not 0 < most < asked:
            continue
        less = format_amount(resource, asked - most)
        fits = _quantity(resource, most)
        says = say(
            "asking for at most {resource}: {fits} ({less} less)", resource=resource, fits=fits, less=less
        )
        yield _Idea(
            "request",
            says,
            frozenset({"NodeResourcesFit"}),
            _request_of(resource, most),
            (asked - most) / asked,
        )


def _is_in_bytes(resource: str) -> bool:
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")


def _quantity(resource: str, amount: int) -> str:
    """Return the quantity as it is written in a request."""
    if resource == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    return f"{amount // _MIB}Mi" if _is_in_bytes(resource) and amount and amount % _MIB == 0 else str(amount)


def _request_of(resource: str, amount: int) -> Callable[[PodShape], PodShape]:
    return lambda spec: replace(
        spec, requests=tuple((name, amount if name == resource else n) for name, n in spec.requests)
    )


def _list_uncordon_changes(
    pod: Pod, cluster: ClusterView, closed: Mapping[frozenset[str], tuple[str, ...]]
) -> Iterator[Change]:
    """Yield one change per cordoned Node; all are tried together first, and each Node opened by that is tried
    again alone.
    """
    lifted = {
        n: _uncordon(cluster.nodes[n])
        for n in _list_candidates(_OF_TAINTS, closed)
        if cluster.nodes[n].spec.cordoned
    }
    if not lifted:
        return
    hopeful = fits_on(pod, cluster.changed(lifted), lifted)[:_MOST_NAMED]
    opens = tuple(n for n in hopeful if fits_on(pod, cluster.changed({n: lifted[n]}), (n,)))
    if opens:
        yield Change("uncordon", say("uncordoning the Node"), opens, 0.3)


def _uncordon(node: NodeState) -> NodeState:
    spec = replace(
        node.spec,
        cordoned=False,
        taints=tuple(t for t in node.spec.taints if (t.key, t.effect) != (_CORDON.key, _CORDON.effect)),
    )
    return replace(node, spec=spec)


def _propose_new_node(pod: Pod, cluster: ClusterView) -> Iterator[Change]:
    """Yield copies of existing Nodes with only the Pods of DaemonSets that run on every Node; one attempt per
    shape of Node.

    All copies are tried together first, which is cheap; a second attempt verifies each one alone.
    """
    like: dict[object, NodeState] = {}
    names = _list_identifying_labels(cluster)
    for node in cluster.nodes.values():
        like.setdefault(_shape(node, names), node)
    fresh = {n.name: _make_node_like(n) for n in list(like.values())[:_MOST_SHAPES]}
    pod = replace(pod, nominated="")
    together = {n.name: n for n in fresh.values()}
    open_ = set(fits_on(pod, cluster.changed(together), together))
    hopeful = [name for name, node in fresh.items() if node.name in open_][:_MOST_NAMED]
    opens = tuple(
        n for n in hopeful if fits_on(pod, cluster.changed({fresh[n].name: fresh[n]}), (fresh[n].name,))
    )
    if opens:
        yield Change("node", say("with a new Node like this one"), opens, 0.9)


def _list_identifying_labels(cluster: ClusterView) -> frozenset[str]:
    """Return labels that identify single Nodes rather than describe them."""
    values: dict[str, set[str]] = {_HOSTNAME: set()}
    for node in cluster.nodes.values():
        for key, value in node.spec.labels:
            values.setdefault(key, set()).add(value)
    return frozenset(key for key, seen in values.items() if key == _HOSTNAME or len(seen) > _MOST_VALUES)


def _shape(node: NodeState, naming: frozenset[str]) -> object:
    labels = tuple(pair for pair in node.spec.labels if pair[0] not in naming)
    return (labels, node.spec.allocatable, _own_taints(node), node.spec.unreadable)


def _own_taints(node: NodeState) -> tuple[Taint, ...]:
    """Leave out taints of a passing state."""
    return tuple(t for t in node.spec.taints if not t.key.startswith("node.kubernetes.io/"))


def _make_node_like(like: NodeState) -> NodeState:
    name = f"{like.name}-new"
    labels = tuple((k, name if k == _HOSTNAME else v) for k, v in like.spec.labels)
    spec = replace(like.spec, name=name, labels=labels, cordoned=False, taints=_own_taints(like))
    return NodeState.of(spec, tuple(_list_daemon_set_pods(like.placed)))


def _list_daemon_set_pods(placed: Iterable[PlacedPods]) -> Iterator[PlacedPods]:
    return (p for p in placed if p.shape.spec.owner.startswith("DaemonSet/"))
