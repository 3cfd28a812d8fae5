"""What a filter is: `prepare` looks at the Pod and the cluster once (PreFilter), `check` at one Node (Filter)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import Cluster, Node, Pod, Shape

# unschedulable: removing other Pods may help; unresolvable: it does not; error: the scheduler stops trying and says why;
# unknown: what decides could not be read, so this is neither a refusal nor a fit.
Outcome = Literal["unschedulable", "unresolvable", "error", "unknown"]


@record()
class Reason(Record):
    """Why a filter refuses a Node, or all of them. message: the scheduler's words; of an unknown one, what is not known."""

    plugin: str
    message: str
    outcome: Outcome = "unresolvable"


S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Prepared(Generic[S]):
    """What `prepare` found. Make it by `skip`, `ready` or `rejected`.

    state: for `check`; None with neither of the others: the filter has nothing to do with this Pod, and is not asked again.
    nodes: the only Nodes that may be considered, None for all. refusals: why no Node is considered at all.
    """

    state: S | None = None
    nodes: frozenset[str] | None = None
    refusal: Reason | None = None


def skip() -> Prepared[Any]:
    """The filter has nothing to do with this Pod."""
    return Prepared()


def ready(state: S, nodes: frozenset[str] | None = None) -> Prepared[S]:
    """Nodes are to be checked with this state, or only these Nodes."""
    return Prepared(state, nodes)


def rejected(reason: Reason) -> Prepared[Any]:
    """The Pod is refused before any Node is looked at."""
    return Prepared(refusal=reason)


def _same(state: S, node: Node, added: tuple[Shape, ...]) -> S:  # noqa: ARG001 - the state of most filters does not hold other Pods
    return state


@dataclass(frozen=True, slots=True)
class Filter(Generic[S]):
    """One plugin.

    prepare: (Pod, Cluster) → Prepared. check: (state, Node) → the reasons against this Node, none if it passes.
    plus: (state, Node, shapes) → the state as if Pods of these shapes were on this Node too (nominated Pods).
    """

    name: str
    prepare: Callable[[Pod, Cluster], Prepared[S]]
    check: Callable[[S, Node], tuple[Reason, ...]]
    plus: Callable[[S, Node, tuple[Shape, ...]], S] = _same
