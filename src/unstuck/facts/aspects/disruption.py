"""PodDisruptionBudgets, which prevent evictions of Pods."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Guarded(Record):
    """A Pod that cannot be evicted now, because its budget allows no disruption.

    healthy, desired, expected: `status.currentHealthy`, `desiredHealthy` and `expectedPods` of the budget.
    unready: the budget's Pods that are not Ready. every: whether the budget requires all of its Pods
    (`maxUnavailable: 0`, `minAvailable: 100%`, or their exact number). since: the time since which the budget
    allows none (its condition DisruptionAllowed, from 1.20 on), None if unknown. besides: other budgets that
    select the Pod; then no eviction is allowed at all, regardless of each budget.
    """

    pod: Ref
    budget: Ref
    healthy: int
    desired: int
    expected: int
    unready: tuple[Ref, ...] = ()
    since: datetime | None = None
    besides: tuple[Ref, ...] = ()

    @property
    def every(self) -> bool:
        """Whether the budget never allows an eviction, even if all its Pods are healthy."""
        return bool(self.besides) or self.desired >= self.expected


@record(kw_only=True)
class Evictions(Fact):
    """Pods of a Node that block a drain, each with its budget. about: the Node.

    Pods that a drain ignores or may always evict are left out: finished ones, Pods of DaemonSets, mirror Pods
    (pkg/registry/core/pod/storage/eviction.go; KEP-3017 for Pods that are not Ready).
    """

    items: tuple[Guarded, ...]
    ask: ClassVar[str] = (
        "kubectl get pdb -A; kubectl get pods -A -o wide --field-selector spec.nodeName={name}"
    )


@record(kw_only=True)
class DisruptionBudget(Fact):
    """A budget's counts of Pods, as last written by its controller. about: the PodDisruptionBudget. Whole if
    the object was read.

    allowed: `status.disruptionsAllowed`. healthy, desired, expected: numbers of Pods,
    `status.currentHealthy`, `desiredHealthy` and `expectedPods`. bound: the budget's limit, as written
    (`maxUnavailable: 0`); "" if unknown. Source: staging/src/k8s.io/api/policy/v1/types.go
    (PodDisruptionBudgetStatus).
    """

    allowed: int
    healthy: int
    desired: int
    expected: int
    bound: str = ""
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
