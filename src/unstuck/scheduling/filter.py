"""The parts of a filter: `prepare` looks at the Pod and the cluster once (PreFilter), `check` at one Node
(Filter).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from unstuck.facts.aspects.placing_terms import UnreadableField
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.reason import Outcome, Reason

__all__ = [
    "Filter",
    "Outcome",
    "PreparedFilter",
    "Reason",
    "bind_state",
    "describe_field",
    "reject",
    "skip",
    "unlisted_reasons",
    "unread",
]

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class PreparedFilter(Generic[S]):
    """The result of `prepare`, made by `skip`, `bind_state` or `reject`.

    state: for `check`. nodes: the only Nodes to consider, None for all. refusal: the rejection of every Node.
    If all three are None, the filter does not apply to this Pod and is skipped.
    """

    state: S | None = None
    nodes: frozenset[str] | None = None
    refusal: Reason | None = None


def skip() -> PreparedFilter[Any]:
    """Return the result of a filter that does not apply to this Pod."""
    return PreparedFilter()


def bind_state(state: S, nodes: frozenset[str] | None = None) -> PreparedFilter[S]:
    """Return the result for checking all Nodes, or only these Nodes, with this state."""
    return PreparedFilter(state, nodes)


def reject(reason: Reason) -> PreparedFilter[Any]:
    """Return the rejection of the Pod before any Node is checked."""
    return PreparedFilter(refusal=reason)


def unread(plugin: str, fields: Sequence[UnreadableField], *of: str) -> tuple[Reason, ...]:
    """Return the unknowns that result from unreadable fields or their parents: `spec.taints`,
    `spec.affinity.podAffinity`.
    """
    if not fields:
        return ()
    return tuple(
        Reason(plugin, describe_field(u), "unknown")
        for u in fields
        if any(u.field.startswith(f) or f.startswith(u.field) for f in of)
    )


def describe_field(field: UnreadableField) -> str:
    """Return `spec.overhead.cpu: 'lots' is no quantity`."""
    return f"{field.field}: {field.written!r} {field.why}"


def unlisted_reasons(plugin: str, cluster: ClusterView, *kinds: str) -> tuple[Reason, ...]:
    """Return the unknowns that result from kinds that could not be listed."""
    if not cluster.unlisted:
        return ()
    return tuple(Reason(plugin, f"not every {k} is known", "unknown") for k in kinds if k in cluster.unlisted)


def _keep_state(
    state: S, node: NodeState, shapes: tuple[ShapeOfPods, ...]
) -> S:  # the state of most filters does not depend on other Pods
    return state


@dataclass(frozen=True, slots=True)
class Filter(Generic[S]):
    """One plugin.

    prepare: (Pod, Cluster) → Prepared. check: (state, Node) → the reasons against this Node, none if it
    passes. plus: (state, Node, shapes) → the state with further Pods of these shapes on this Node (nominated
    Pods). minus: the state without these Pods of the Node (preemption). The Node is passed with the Pods
    already added or removed.
    """

    name: str
    prepare: Callable[[Pod, ClusterView], PreparedFilter[S]]
    check: Callable[[S, NodeState], tuple[Reason, ...]]
    plus: Callable[[S, NodeState, tuple[ShapeOfPods, ...]], S] = _keep_state
    minus: Callable[[S, NodeState, tuple[ShapeOfPods, ...]], S] = _keep_state
