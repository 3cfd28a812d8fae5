"""Messages about a subject: without a cause that explains them, they are still the best lead."""

from __future__ import annotations

from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_MOST = 3
# What the cluster autoscaler says of a Pod for which it adds no Node is no warning (processors/status/eventing_scale_up_processor.go), nor
# what the DaemonSet controller said of a Node until it left that to the scheduler (pkg/controller/daemon/daemon_controller.go, ≤ 1.11).
_REFUSES = ("NotTriggerScaleUp", "FailedPlacement")


def find_messages_about(subject: Ref, snap: Facts) -> tuple[Failure | Events, ...]:
    """Return failing calls that no pattern reads, else the latest one; without failing calls, the latest Event if it is a warning."""
    told = sorted(snap.of(Failure, subject), key=lambda f: f.src.order)
    if told:
        return tuple(f for f in told if f.error == "other") or tuple(told[-_MOST:])
    return tuple(f for f in snap.of(Events, subject) if f.items and (f.items[-1].warning or f.items[-1].reason in _REFUSES))
