"""Messages about a subject: without a cause that explains them, they are still the best lead."""

from __future__ import annotations

from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_MOST = 3
# The cluster autoscaler's message about a Pod that gets no new Node is no warning
# (processors/status/eventing_scale_up_processor.go), nor the DaemonSet controller's about a Node, before it
# left that to the scheduler (pkg/controller/daemon/daemon_controller.go, ≤ 1.11).
_REFUSES = ("NotTriggerScaleUp", "FailedPlacement")


def find_messages_about(subject: Ref, snap: Facts) -> tuple[Failure | Events, ...]:
    """Return failing calls that no pattern reads, else the latest one; without failing calls, the latest
    Event if it is a warning.
    """
    told = sorted(snap.of(Failure, subject), key=lambda f: f.src.order)
    if told:
        return tuple(f for f in told if f.error == "other") or tuple(told[-_MOST:])
    return tuple(
        f
        for f in snap.of(Events, subject)
        if f.items and (f.items[-1].warning or f.items[-1].reason in _REFUSES)
    )
