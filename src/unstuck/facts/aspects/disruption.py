"""PodDisruptionBudgets, which keep Pods from being evicted."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Guarded(Record):
    """A Pod that would not be evicted now, because of a budget that allows no disruption.

    healthy, desired, expected: `status.currentHealthy`, `desiredHealthy` and `expectedPods` of the budget.
    unready: its Pods that are not Ready. every: the budget asks for all of its Pods (`maxUnavailable: 0`,
    `minAvailable: 100%`, or as many as there are). since: when the budget last began to allow none (its
    condition DisruptionAllowed, from 1.20 on), None if it does not say. besides: other budgets that select
    it; then no eviction is allowed at all, whatever each of them allows.
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
        """Whether no Pod of it could ever go, however many are healthy."""
        return bool(self.besides) or self.desired >= self.expected


@record(kw_only=True)
class Evictions(Fact):
    """Pods of a Node that a drain would have to evict and may not, each with its budget. about: the Node.

    Without Pods that a drain leaves or may always evict: finished ones, Pods of DaemonSets, mirror Pods
    (pkg/registry/core/pod/storage/eviction.go; KEP-3017 for Pods that are not Ready).
    """

    items: tuple[Guarded, ...]
    ask: ClassVar[str] = (
        "kubectl get pdb -A; kubectl get pods -A -o wide --field-selector spec.nodeName={name}"
    )


@record(kw_only=True)
class DisruptionBudget(Fact):
    """How many Pods a budget counts, as its controller last wrote it. about: the PodDisruptionBudget. Whole
    if the object was read.

    allowed: `status.disruptionsAllowed`. healthy, desired, expected: numbers of Pods,
    `status.currentHealthy`, `desiredHealthy` and `expectedPods`. bound: the field that requires them, as
    written (`maxUnavailable: 0`); "" if it is not known. Source:
    staging/src/k8s.io/api/policy/v1/types.go (PodDisruptionBudgetStatus).
    """

    allowed: int
    healthy: int
    desired: int
    expected: int
    bound: str = ""
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
