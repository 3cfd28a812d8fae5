"""The scheduler's sentence as a fact, parsed by `unstuck.wording.scheduler`."""

from __future__ import annotations

from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.core import Ref, Source


def parse_unschedulable(message: str, *, about: Ref, src: Source, whole: bool = True) -> Unschedulable | None:
    """Return the reasons with their node counts; None if the message is not the scheduler's.

    whole: whether the message was seen uncut (a condition's is, an event's may be cut).
    """
    from unstuck.wording import (
        scheduler,
    )  # most Pods have a Node, and its patterns take 2 % of a short answer's time

    told = scheduler.parse_unschedulable(message)
    if told is None:
        return None
    nodes, reasons = told
    words = scheduler.parse_preemption(message)
    return Unschedulable(
        about=about, src=src, nodes=nodes, reasons=tuple(sorted(reasons)), preemption=words, whole=whole
    )
