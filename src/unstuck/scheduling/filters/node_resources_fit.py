"""NodeResourcesFit: the Pod's requests are free on the Node (plugins/noderesources/fit.go).

`ignoredResources` in the scheduler's configuration are not taken into account.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from unstuck.facts.aspects.placing_terms import Amounts, UnreadableField
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import (
    Filter,
    Outcome,
    PreparedFilter,
    Reason,
    bind_state,
    describe_field,
    unlisted_reasons,
)
from unstuck.scheduling.labels import key_faults

_NAME = "NodeResourcesFit"
_NATIVE = ("cpu", "memory", "ephemeral-storage")
_FIELDS = (
    "spec.containers",
    "spec.initContainers",
    "spec.overhead",
    "spec.resources",
    "status.container",
    "status.initContainer",
)
_OFFERS = "status.allocatable"


@dataclass(frozen=True, slots=True)
class _WantedResources:
    amounts: Amounts
    open: tuple[Reason, ...]


@lru_cache(maxsize=4096)
def is_counted(resource: str) -> bool:
    """Tell whether the scheduler counts a resource of this name (`IsScalarResourceName`, or one of its three
    built-in names).
    """
    if (
        resource in _NATIVE
        or resource.startswith(("hugepages-", "attachable-volumes-"))
        or "kubernetes.io/" in resource
    ):
        return True
    extended = "/" in resource and not resource.startswith("requests.")
    return extended and not key_faults(f"requests.{resource}")


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[_WantedResources]:
    spec = pod.shape.spec
    open_ = tuple(Reason(_NAME, describe_field(u), "unknown") for u in spec.unreadable if _is_amount(u))
    amounts = tuple((name, n) for name, n in spec.requests if n > 0 and is_counted(name))
    return bind_state(_WantedResources(amounts, (*open_, *unlisted_reasons(_NAME, cluster, "Pod"))))


def _check(wanted: _WantedResources, node: NodeState) -> tuple[Reason, ...]:
    allocatable, requested = node.allocatable, node.requested
    short: list[tuple[str, int]] = []
    for name, amount in wanted.amounts:
        if amount > allocatable.get(name, 0) - requested.get(name, 0):
            short.append((name, amount))
    full = node.count + 1 > allocatable.get("pods", 0)
    open_ = wanted.open
    if node.spec.unreadable or node.unread:
        unsure = [u.field for u in node.spec.unreadable if u.field.startswith(_OFFERS)]
        short = [(name, amount) for name, amount in short if not _is_unsure(name, unsure)]
        full = full and not _is_unsure("pods", unsure)
        open_ += _find_doubts(wanted, node, short)
    if not short and not full:
        return open_
    # All reasons share one outcome: removing Pods does not help if one request exceeds the Node.
    too_large = any(amount > allocatable.get(name, 0) for name, amount in short)
    return (
        _list_reasons(
            full, tuple(name for name, _ in short), "unresolvable" if too_large else "unschedulable"
        )
        + open_
    )


@lru_cache(maxsize=4096)
def _list_reasons(full: bool, short: tuple[str, ...], outcome: Outcome) -> tuple[Reason, ...]:
    words = [*(["Too many pods"] if full else []), *(f"Insufficient {name}" for name in short)]
    return tuple(Reason(_NAME, text, outcome) for text in words)


def _is_amount(field: UnreadableField) -> bool:
    return (field.field.startswith(_FIELDS) and ".ports" not in field.field) or field.field in (
        "spec",
        "status",
    )


def _is_unsure(resource: str, unsure: list[str]) -> bool:
    """Tell whether the Node's offer of a resource is unknown: its amount, or the whole list, cannot be
    read.
    """
    return _OFFERS in unsure or f"{_OFFERS}.{resource}" in unsure


def _find_doubts(
    wanted: _WantedResources, node: NodeState, short: list[tuple[str, int]]
) -> tuple[Reason, ...]:
    """Return the unknown amounts of a needed resource, unless the known amounts already show a shortage."""
    matters = {"pods", *(name for name, _ in wanted.amounts)} - {name for name, _ in short}
    offered = [
        u
        for u in node.spec.unreadable
        if u.field == _OFFERS or u.field.removeprefix(f"{_OFFERS}.") in matters
    ]
    # A Pod with an unreadable container may request anything.
    taken = [
        u
        for u in node.unread
        if _is_amount(u) and (".requests." not in u.field or u.field.rpartition(".requests.")[2] in matters)
    ]
    return tuple(Reason(_NAME, describe_field(u), "unknown") for u in (*offered, *taken))


FILTER = Filter(_NAME, _prepare, _check)
