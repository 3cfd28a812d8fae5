"""A Pod names a scheduler that does not exist."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _steps

NS, POD = "f-scheduler-unknown", "for-volcano"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, POD, schedulerName="volcano"))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, POD)
    if found is None or found["spec"].get("nodeName") or found["status"].get("conditions"):
        return None
    return f"it asks for {found['spec']['schedulerName']}, and has no condition"


FAULT = Fault(
    name="scheduler-unknown",
    summary="a Pod names a scheduler that does not run",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("scheduling.scheduler-unknown",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    at_most="likely",
)
