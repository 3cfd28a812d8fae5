"""A Pod has a scheduling gate that is never removed."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, NAME = "f-gated", "waits-for-its-queue"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, schedulingGates=[{"name": "queue.example.com/admitted"}]),
    )


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    rows = found["status"].get("conditions", []) if found else []
    return next((c["message"] for c in rows if c.get("reason") == "SchedulingGated"), None)


FAULT = Fault(
    name="gated",
    summary="a Pod has a scheduling gate that is never removed",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.gated",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
