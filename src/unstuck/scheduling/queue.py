"""What keeps a Pod from being tried at all (PreEnqueue), and whose Pods a scheduler looks at.

Sources (1.34): plugins/schedulinggates/scheduling_gates.go, pkg/scheduler/eventhandlers.go, backend/queue/scheduling_queue.go.
"""

from __future__ import annotations

from unstuck.facts.aspects.placing import PodShape
from unstuck.scheduling.reason import Reason


def held_back(shape: PodShape) -> Reason | None:
    """Why the scheduler does not try the Pod: it says so nowhere but in the condition that the API server sets, `SchedulingGated`."""
    if not shape.gates:
        return None
    return Reason("SchedulingGates", f"waiting for scheduling gates: [{' '.join(shape.gates)}]")


def reserves(nominated: PodShape, of: PodShape) -> bool:
    """Whether room that one Pod is nominated for is kept from another: both are in one queue, and the other comes not before it."""
    return nominated.scheduler == of.scheduler and not nominated.gates and nominated.priority >= of.priority
