"""A scheduler's recent activity, by its Pods."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class SchedulerWork(Fact):
    """The cluster's Pods with this `schedulerName`: `Ref("Scheduler", None, NAME)`; only those without a Node
    for `default-scheduler`.

    untried: Pods with neither a Node nor a scheduler's message, gated ones left out. latest: the time of the
    last binding or rejection, None without any.
    """

    untried: tuple[Ref, ...]
    latest: datetime | None = None
    ask: ClassVar[str] = "kubectl get pods -A --field-selector spec.schedulerName={name} -o wide"
