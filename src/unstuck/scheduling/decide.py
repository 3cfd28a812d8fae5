"""The scheduler's decision about one Pod, and every filter's result for every Node.

Sources (1.34): pkg/scheduler/schedule_one.go, framework/runtime/framework.go, framework/types.go
(`FitError`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, unlisted_reasons
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
from unstuck.scheduling.queue import holding_reason, nominated_pods

# In the order of the scheduler's default plugins, which determines the first rejection.
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
    """The decision in the form of the scheduler's report.

    refused: the first rejection of each unsuitable Node. fits: the suitable Nodes. rejected: the rejection
    before any Node was checked. held: the reason for not trying the Pod. stopped: the error that ended the
    attempt; then nothing else is set. undecided: Nodes with an unknown deciding fact, with these facts.
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
        """The scheduler's message without preemption's part; "" if the Pod fits, is held back, or the
        message is unknown.
        """
        if self.stopped:
            return self.stopped.message
        if self.fits or self.undecided or self.held:
            return ""
        if not self.nodes:
            return "no nodes available to schedule pods"
        if self.rejected:
            return (
                ""
                if self.rejected.outcome == "unknown"
                else f"0/{self.nodes} nodes are available: {self.rejected.message}."
            )
        counted = Counter(r.message for reasons in self.refused.values() for r in reasons)
        shown = sorted(f"{n} {text}" for text, n in counted.items())
        return f"0/{self.nodes} nodes are available:" + (f" {', '.join(shown)}." if shown else "")


@dataclass(frozen=True, slots=True)
class _ReadyFilter:
    """A filter that applies to the Pod, with its state."""

    filter: Filter[Any]
    state: Any


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every constraint of every Node.

    rejected: the rejections before any Node was checked. nodes: the rejections and unknown results of each
    Node, in the order of the plugins; Nodes with equal results share one tuple. firsts: by the tuple's id,
    its reasons up to the first rejection.
    """

    rejected: tuple[Reason, ...]
    nodes: Mapping[str, tuple[Reason, ...]]
    firsts: Mapping[int, tuple[Reason, ...]] = field(repr=False, compare=False)

    def first(self, node: str) -> tuple[Reason, ...]:
        """Return the first rejection of the Node, with the unknown reasons before it; () if it fits."""
        reasons = self.nodes.get(node)
        return self.firsts[id(reasons)] if reasons else ()


def decide(pod: Pod, cluster: ClusterView, filters: tuple[Filter[Any], ...] = FILTERS) -> Decision:
    """Return the decision from each Node's first rejection, in the scheduler's order."""
    if early := _decide_untried(pod, cluster):
        return early
    ready = _read_until_refused(_prepare_filters(pod, cluster, filters))
    return _decide_from_first(
        pod, cluster, ready, lambda node: _list_first_refusal(pod, cluster, node, ready.asked)
    )


def decide_and_explain(
    pod: Pod, cluster: ClusterView, filters: tuple[Filter[Any], ...] = FILTERS
) -> tuple[Decision, Explanation]:
    """Return the results of `decide` and `explain`; every filter runs once."""
    prepared = tuple(_prepare_filters(pod, cluster, filters))
    told = _explain_prepared(pod, cluster, prepared)
    if early := _decide_untried(pod, cluster):
        return early, told

    def first(node: NodeState) -> tuple[Reason, ...]:
        # A Node with nominated Pods is checked in two rounds, and the first rejecting filter depends on the
        # round.
        return (
            _list_first_refusal(pod, cluster, node, ready.asked)
            if node.name in cluster.nominated
            else told.first(node.name)
        )

    ready = _read_until_refused(prepared)
    return _decide_from_first(pod, cluster, ready, first), told


def _decide_untried(pod: Pod, cluster: ClusterView) -> Decision | None:
    """Return the decision for a Pod before the filters, None if it reaches them."""
    total = len(cluster.nodes)
    if held := holding_reason(pod, cluster):
        return Decision(total, {}, held=held)
    if open_ := unlisted_reasons("", cluster, "Node"):
        return Decision(total, {}, rejected=open_[0])
    return None if total else Decision(0, {})


def _decide_from_first(
    pod: Pod, cluster: ClusterView, ready: _All, first: Callable[[NodeState], tuple[Reason, ...]]
) -> Decision:
    """Decide from the first rejections. first: returns the first rejection of a Node."""
    total, refusal = len(cluster.nodes), ready.refusal
    if refusal is not None:
        return (
            Decision(total, {}, stopped=refusal)
            if refusal.outcome == "error"
            else Decision(total, {}, rejected=refusal)
        )
    refused: dict[str, tuple[Reason, ...]] = {}
    if pod.nominated in cluster.nodes:
        found = first(cluster.nodes[pod.nominated])
        if not found:
            return Decision(total, {}, (pod.nominated,))
        refused[pod.nominated] = found
    fits = []
    for name, node in cluster.nodes.items():
        if ready.only is not None and name not in ready.only:
            refused.setdefault(name, (ready.outside,))
        elif found := first(node):
            refused[name] = found
        else:
            fits.append(name)
    # Most Nodes share their reasons.
    kinds = {id(rs): {r.outcome for r in rs} for rs in refused.values()}
    stopped = next(
        (r for rs in refused.values() if "error" in kinds[id(rs)] for r in rs if r.outcome == "error"), None
    )
    if stopped:
        return Decision(total, {}, stopped=stopped)
    undecided = {n: rs for n, rs in refused.items() if "unknown" in kinds[id(rs)]}
    return Decision(
        total,
        {n: rs for n, rs in refused.items() if n not in undecided},
        tuple(fits),
        undecided=undecided or None,
    )


def decide_pending(
    cluster: ClusterView, filters: tuple[Filter[Any], ...] = FILTERS
) -> Iterator[tuple[Pod, Decision]]:
    """Yield every waiting Pod with its decision; Pods of one shape are decided together."""
    known: dict[object, Decision] = {}
    for waiting in cluster.pending:
        pod = Pod.of(waiting, cluster.shapes[waiting.shape])
        # A nominated Pod does not compete with itself, so it is decided separately.
        key = (waiting.shape, waiting.node, waiting.nominated and (waiting.nominated, waiting.uid))
        if key not in known:
            known[key] = decide(pod, cluster, filters)
        yield pod, known[key]


def fits_on(
    pod: Pod, cluster: ClusterView, names: Iterable[str], filters: tuple[Filter[Any], ...] = FILTERS
) -> tuple[str, ...]:
    """Return the suitable ones among these Nodes."""
    if holding_reason(pod, cluster) or cluster.unlisted & {"Node"}:
        return ()
    ready = _read_until_refused(_prepare_filters(pod, cluster, filters))
    if ready.refusal is not None:
        return ()
    left = [name for name in names if ready.only is None or name in ready.only]
    return tuple(
        name for name in left if not _list_first_refusal(pod, cluster, cluster.nodes[name], ready.asked)
    )


def explain_without(
    pod: Pod, cluster: ClusterView, filters: tuple[Filter[Any], ...] = FILTERS
) -> Callable[[NodeState, tuple[ShapeOfPods, ...]], tuple[Reason, ...]]:
    """Return a function that gives the first rejection of a Node without these Pods; () if the Pod then
    fits.
    """
    ready = _read_until_refused(_prepare_filters(pod, cluster, filters))

    def try_(left: NodeState, gone: tuple[ShapeOfPods, ...]) -> tuple[Reason, ...]:
        if ready.refusal is not None:
            return (ready.refusal,)
        if ready.only is not None and left.name not in ready.only:
            return (ready.outside,)
        return _list_first_refusal(
            pod,
            cluster,
            left,
            tuple(_ReadyFilter(r.filter, r.filter.minus(r.state, left, gone)) for r in ready.asked),
        )

    return try_


def explain(pod: Pod, cluster: ClusterView, filters: tuple[Filter[Any], ...] = FILTERS) -> Explanation:
    """Return every filter's result for every Node, even after an earlier filter has rejected the Node."""
    return _explain_prepared(pod, cluster, tuple(_prepare_filters(pod, cluster, filters)))


_Each = tuple[Filter[Any], PreparedFilter[Any]]


def _prepare_filters(pod: Pod, cluster: ClusterView, filters: Iterable[Filter[Any]]) -> Iterator[_Each]:
    """Yield each filter's result before any Node is checked, computed lazily."""
    return ((f, f.prepare(pod, cluster)) for f in filters)


def _explain_prepared(pod: Pod, cluster: ClusterView, prepared: tuple[_Each, ...]) -> Explanation:
    rejected = tuple(p.refusal for _, p in prepared if p.refusal)
    asked = tuple(_ReadyFilter(f, p.state) for f, p in prepared if not p.refusal and p.state is not None)
    told: dict[str, tuple[Reason, ...]] = {}
    firsts: dict[int, tuple[Reason, ...]] = {}
    # Filters mostly give one of a few results: equal results share one tuple, so that derived values are
    # computed once.
    known: dict[tuple[int, ...], tuple[tuple[Reason, ...], list[tuple[Reason, ...]]]] = {}
    for name, node in cluster.nodes.items():
        parts = _list_all_refusals(pod, cluster, node, asked)
        if not parts:
            continue
        key = tuple(map(id, parts))
        if key not in known:
            whole = tuple(r for reasons in parts for r in reasons)
            known[key] = (whole, parts)
            firsts[id(whole)] = whole[: _count_to_first(parts)]
        told[name] = known[key][0]
    return Explanation(rejected, told, firsts)


def _count_to_first(parts: list[tuple[Reason, ...]]) -> int:
    """Count the reasons up to the first rejection. An unreadable field may hide an earlier filter's
    rejection.
    """
    count = 0
    for reasons in parts:
        count += len(reasons)
        if any(r.outcome != "unknown" for r in reasons):
            break
    return count


@dataclass(frozen=True, slots=True)
class _All:
    """The prepared filters. asked: the filters that check Nodes. only: the remaining Nodes, None for all;
    outside: the reasons given for the other Nodes. refusal: the rejection of every Node.
    """

    asked: tuple[_ReadyFilter, ...]
    only: frozenset[str] | None
    outside: Reason
    refusal: Reason | None


def _read_until_refused(prepared: Iterable[_Each]) -> _All:
    """Read as far as the scheduler does: up to the first rejection that removing Pods would not lift."""
    asked: list[_ReadyFilter] = []
    only: frozenset[str] | None = None
    narrowed: list[str] = []
    later: Reason | None = None
    for f, found in prepared:
        if found.refusal is not None:
            if found.refusal.outcome != "unschedulable":
                return _All((), None, _explain_outside(narrowed), found.refusal)
            later = found.refusal
            continue
        if found.state is None:
            continue
        asked.append(_ReadyFilter(f, found.state))
        if found.nodes is not None:
            narrowed.append(f.name)
            only = found.nodes if only is None else only & found.nodes
            if not only:
                return _All((), only, _explain_outside(narrowed), _no_nodes_reason(narrowed))
    return _All(tuple(asked), only, _explain_outside(narrowed), later)


def _explain_outside(narrowed: list[str]) -> Reason:
    return Reason(",".join(narrowed), f"{_OUTSIDE} [{' '.join(sorted(narrowed))}]")


def _no_nodes_reason(narrowed: list[str]) -> Reason:
    names = sorted(narrowed)
    words = (
        f"node(s) didn't satisfy plugin {names[0]}"
        if len(names) == 1
        else f"{_OUTSIDE} [{' '.join(names)}] simultaneously"
    )
    return Reason(",".join(narrowed), words)


def _list_first_refusal(
    pod: Pod, cluster: ClusterView, node: NodeState, asked: tuple[_ReadyFilter, ...]
) -> tuple[Reason, ...]:
    """Try the Pod beside the Pods nominated for this Node, and if it fits, also without them: a required
    neighbour may be only nominated.
    """
    if node.name not in cluster.nominated:
        return _find_first(node, asked)
    return next(
        (
            found
            for view, ready in _list_rounds(pod, cluster, node, asked)
            if (found := _find_first(view, ready))
        ),
        (),
    )


def _find_first(node: NodeState, asked: tuple[_ReadyFilter, ...]) -> tuple[Reason, ...]:
    unknown: tuple[Reason, ...] = ()
    for r in asked:
        reasons = r.filter.check(r.state, node)
        if not reasons:
            continue
        if any(x.outcome != "unknown" for x in reasons):
            # An earlier filter may give a more precise unknown; the Node remains rejected.
            return unknown + reasons
        unknown += reasons
    return unknown


def _list_all_refusals(
    pod: Pod, cluster: ClusterView, node: NodeState, asked: tuple[_ReadyFilter, ...]
) -> list[tuple[Reason, ...]]:
    """Return each filter's result in its first rejecting round."""
    if node.name not in cluster.nominated:
        return [reasons for r in asked if (reasons := r.filter.check(r.state, node))]
    rounds = list(_list_rounds(pod, cluster, node, asked))
    told = (
        next((found for view, ready in rounds if (found := ready[i].filter.check(ready[i].state, view))), ())
        for i in range(len(asked))
    )
    return [reasons for reasons in told if reasons]


def _list_rounds(
    pod: Pod, cluster: ClusterView, node: NodeState, asked: tuple[_ReadyFilter, ...]
) -> Iterator[tuple[NodeState, tuple[_ReadyFilter, ...]]]:
    """Yield the Node with its nominated Pods, if any, and without them."""
    added = tuple(n.shape for n in nominated_pods(node.name, pod, cluster))
    if added:
        more = node.plus(added)
        yield more, tuple(_ReadyFilter(r.filter, r.filter.plus(r.state, more, added)) for r in asked)
    yield node, asked
