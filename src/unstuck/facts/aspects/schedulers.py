"""A scheduler's recent activity, by the Pods that name it."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class SchedulerWork(Fact):
    """The cluster's Pods with this `schedulerName`: `Ref("Scheduler", None, NAME)`; only those without a Node
    for `default-scheduler`.

    untried: those without a Node and without a message about it, gated ones left out. latest: when one was
    last bound or refused, None if none was.
    """

    untried: tuple[Ref, ...]
    latest: datetime | None = None
    ask: ClassVar[str] = "kubectl get pods -A --field-selector spec.schedulerName={name} -o wide"
