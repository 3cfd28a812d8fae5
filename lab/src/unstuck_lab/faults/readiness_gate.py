"""A Pod waits for a condition that a controller should set, and none does."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-readiness-gate", "gated-out"


def apply(lab: Lab) -> None:
    gates = [{"conditionType": "example.com/behind-the-balancer"}]
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, readinessGates=gates))


def held(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    well = _kit.condition(found, "ContainersReady")
    return (
        "its containers are ready, it is not"
        if well is not None and _kit.condition(found, "Ready", "False") is not None
        else None
    )


FAULT = Fault(
    name="readiness-gate",
    summary="nobody sets the readiness gate of a Pod that is well",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("controller.readiness-gate-unset",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
