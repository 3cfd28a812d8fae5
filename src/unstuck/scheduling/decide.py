"""What the scheduler decides about one Pod, and what every filter says of every Node.

Sources (1.34): pkg/scheduler/schedule_one.go, framework/runtime/framework.go, framework/types.go (`FitError`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unstuck.scheduling.cluster import Cluster, Node, Pod, Shape
from unstuck.scheduling.filter import Filter, Prepared, Reason, unlisted
from unstuck.scheduling.filters import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from unstuck.scheduling.queue import held_back, reserves

# In the order of the scheduler's default plugins, which decides whose refusal is the first.
FILTERS: tuple[Filter[Any], ...] = (
    node_unschedulable.FILTER,
    node_name.FILTER,
    taint_toleration.FILTER,
    node_affinity.FILTER,
    node_ports.FILTER,
    node_resources_fit.FILTER,
    volume_restrictions.FILTER,
    node_volume_limits.FILTER,
    volume_binding.FILTER,
    volume_zone.FILTER,
    pod_topology_spread.FILTER,
    inter_pod_affinity.FILTER,
    dynamic_resources.FILTER,
)

_OUTSIDE = "node(s) didn't satisfy plugin(s)"


@dataclass(frozen=True, slots=True)
class Decision:
    """As the scheduler reports it.

    refused: the first refusal of each Node that does not fit. fits: the Nodes that do. rejected: why no Node was looked at.
    held: why it was not even tried. stopped: the error that ended the try; then nothing else is told. undecided: Nodes of which something
    that decides is not known, with what.
    """

    nodes: int
    refused: Mapping[str, tuple[Reason, ...]]
    fits: tuple[str, ...] = ()
    rejected: Reason | None = None
    stopped: Reason | None = None
    undecided: Mapping[str, tuple[Reason, ...]] | None = None
    held: Reason | None = None

    @property
    def message(self) -> str:
        """The scheduler's message without what preemption adds; "" where the Pod fits, is held back, or nothing can be told."""
        if self.stopped:
            return self.stopped.message
        if self.fits or self.undecided or self.held:
            return ""
        if not self.nodes:
            return "no nodes available to schedule pods"
        if self.rejected:
            return "" if self.rejected.outcome == "unknown" else f"0/{self.nodes} nodes are available: {self.rejected.message}."
        counted = Counter(r.message for reasons in self.refused.values() for r in reasons)
        shown = sorted(f"{n} {text}" for text, n in counted.items())
        return f"0/{self.nodes} nodes are available:" + (f" {', '.join(shown)}." if shown else "")


@dataclass(frozen=True, slots=True)
class _Ready:
    """One filter that has something to say, with its state."""

    filter: Filter[Any]
    state: Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every constraint of every Node.

    rejected: the refusals before any Node was looked at. nodes: by Node and plugin, only where it refuses or does not know.
    """

    rejected: tuple[Reason, ...]
    nodes: Mapping[str, tuple[Reason, ...]]


def decide(pod: Pod, cluster: Cluster, filters: tuple[Filter[Any], ...] = FILTERS) -> Decision:
    """Each Node's first refusal, as the scheduler finds it."""
    total = len(cluster.nodes)
    if held := held_back(pod, cluster):
        return Decision(total, {}, held=held)
    if open_ := unlisted("", cluster, "Node"):
        return Decision(total, {}, rejected=open_[0])
    if not total:
        return Decision(0, {})
    asked, only, outside, refusal = _prepare_all(pod, cluster, filters)
    if refusal is not None:
        return Decision(total, {}, stopped=refusal) if refusal.outcome == "error" else Decision(total, {}, rejected=refusal)
    refused: dict[str, tuple[Reason, ...]] = {}
    if pod.nominated in cluster.nodes:
        first = _first_refusal(pod, cluster, cluster.nodes[pod.nominated], asked)
        if not first:
            return Decision(total, {}, (pod.nominated,))
        refused[pod.nominated] = first
    fits = []
    for name, node in cluster.nodes.items():
        if only is not None and name not in only:
            refused.setdefault(name, (outside,))
        elif found := _first_refusal(pod, cluster, node, asked):
            refused[name] = found
        else:
            fits.append(name)
    stopped = next((r for rs in refused.values() for r in rs if r.outcome == "error"), None)
    if stopped:
        return Decision(total, {}, stopped=stopped)
    undecided = {n: rs for n, rs in refused.items() if any(r.outcome == "unknown" for r in rs)}
    return Decision(total, {n: rs for n, rs in refused.items() if n not in undecided}, tuple(fits), undecided=undecided or None)


def decide_pending(cluster: Cluster, filters: tuple[Filter[Any], ...] = FILTERS) -> Iterator[tuple[Pod, Decision]]:
    """Every Pod that waits, with its decision; Pods of one shape are decided together."""
    known: dict[object, Decision] = {}
    for waiting in cluster.pending:
        pod = Pod.of(waiting, cluster.shapes[waiting.shape])
        # A nominated Pod does not stand in its own way, so it is decided by itself.
        key = (waiting.shape, waiting.node, waiting.nominated and (waiting.nominated, waiting.uid))
        if key not in known:
            known[key] = decide(pod, cluster, filters)
        yield pod, known[key]


def fits_on(pod: Pod, cluster: Cluster, names: Iterable[str], filters: tuple[Filter[Any], ...] = FILTERS) -> tuple[str, ...]:
    """Those of these Nodes that the Pod fits."""
    if held_back(pod, cluster) or cluster.unlisted & {"Node"}:
        return ()
    asked, only, _, refusal = _prepare_all(pod, cluster, filters)
    if refusal is not None:
        return ()
    left = [name for name in names if only is None or name in only]
    return tuple(name for name in left if not _first_refusal(pod, cluster, cluster.nodes[name], asked))


def without(
    pod: Pod, cluster: Cluster, filters: tuple[Filter[Any], ...] = FILTERS
) -> Callable[[Node, tuple[Shape, ...]], tuple[Reason, ...]]:
    """Of a Node, given as it is without these Pods, what is first to refuse it; nothing where the Pod fits it then."""
    asked, only, outside, refusal = _prepare_all(pod, cluster, filters)

    def try_(left: Node, gone: tuple[Shape, ...]) -> tuple[Reason, ...]:
        if refusal is not None:
            return (refusal,)
        if only is not None and left.name not in only:
            return (outside,)
        return _first_refusal(pod, cluster, left, tuple(_Ready(r.filter, r.filter.minus(r.state, left, gone)) for r in asked))

    return try_


def explain(pod: Pod, cluster: Cluster, filters: tuple[Filter[Any], ...] = FILTERS) -> Explanation:
    """What every filter says of every Node, also of one that another filter has refused already."""
    prepared = [(f, f.prepare(pod, cluster)) for f in filters]
    rejected = tuple(p.refusal for _, p in prepared if p.refusal)
    asked = tuple(_Ready(f, p.state) for f, p in prepared if not p.refusal and p.state is not None)
    told = {name: tuple(_all_refusals(pod, cluster, node, asked)) for name, node in cluster.nodes.items()}
    return Explanation(rejected, {name: reasons for name, reasons in told.items() if reasons})


def _prepare_all(
    pod: Pod, cluster: Cluster, filters: Iterable[Filter[Any]]
) -> tuple[tuple[_Ready, ...], frozenset[str] | None, Reason, Reason | None]:
    """The filters to be asked, the Nodes that are left, what the others are told, and a refusal of all if there is one."""
    asked: list[_Ready] = []
    only: frozenset[str] | None = None
    narrowed: list[str] = []
    later: Reason | None = None
    for f in filters:
        found: Prepared[Any] = f.prepare(pod, cluster)
        if found.refusal is not None:
            if found.refusal.outcome != "unschedulable":
                return (), None, _outside(narrowed), found.refusal
            later = found.refusal
            continue
        if found.state is None:
            continue
        asked.append(_Ready(f, found.state))
        if found.nodes is not None:
            narrowed.append(f.name)
            only = found.nodes if only is None else only & found.nodes
            if not only:
                return (), only, _outside(narrowed), _none_left(narrowed)
    return tuple(asked), only, _outside(narrowed), later


def _outside(narrowed: list[str]) -> Reason:
    return Reason(",".join(narrowed), f"{_OUTSIDE} [{' '.join(sorted(narrowed))}]")


def _none_left(narrowed: list[str]) -> Reason:
    names = sorted(narrowed)
    words = f"node(s) didn't satisfy plugin {names[0]}" if len(names) == 1 else f"{_OUTSIDE} [{' '.join(names)}] simultaneously"
    return Reason(",".join(narrowed), words)


def _first_refusal(pod: Pod, cluster: Cluster, node: Node, asked: tuple[_Ready, ...]) -> tuple[Reason, ...]:
    """With the Pods that are nominated for this Node, and if it fits so, also without: a Pod may need a nominated one as its neighbour."""
    if node.name not in cluster.nominated:
        return _first_of(node, asked)
    return next((found for view, ready in _rounds(pod, cluster, node, asked) if (found := _first_of(view, ready))), ())


def _first_of(node: Node, asked: tuple[_Ready, ...]) -> tuple[Reason, ...]:
    unknown: tuple[Reason, ...] = ()
    for r in asked:
        reasons = r.filter.check(r.state, node)
        if not reasons:
            continue
        if any(x.outcome != "unknown" for x in reasons):
            # Of what is not known an earlier filter may say more; that the Node is refused stands.
            return unknown + reasons
        unknown += reasons
    return unknown


def _all_refusals(pod: Pod, cluster: Cluster, node: Node, asked: tuple[_Ready, ...]) -> Iterator[Reason]:
    """Per filter what it says in the first round that it refuses in."""
    if node.name not in cluster.nominated:
        for r in asked:
            yield from r.filter.check(r.state, node)
        return
    rounds = list(_rounds(pod, cluster, node, asked))
    for i in range(len(asked)):
        yield from next((found for view, ready in rounds if (found := ready[i].filter.check(ready[i].state, view))), ())


def _rounds(pod: Pod, cluster: Cluster, node: Node, asked: tuple[_Ready, ...]) -> Iterator[tuple[Node, tuple[_Ready, ...]]]:
    """The Node with the Pods that wait for room on it, where there are any, and as it is."""
    added = tuple(n.shape for n in cluster.nominated.get(node.name, ()) if reserves(n, pod, cluster))
    if added:
        more = node.plus(added)
        yield more, tuple(_Ready(r.filter, r.filter.plus(r.state, more, added)) for r in asked)
    yield node, asked
