"""A Pod waits for a condition that no controller sets."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-readiness-gate", "gated-out"


def apply(lab: Lab) -> None:
    gates = [{"conditionType": "example.com/behind-the-balancer"}]
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, readinessGates=gates))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    well = _checks.find_condition(found, "ContainersReady")
    return (
        "its containers are ready, it is not"
        if well is not None and _checks.find_condition(found, "Ready", "False") is not None
        else None
    )


FAULT = Fault(
    name="readiness-gate",
    summary="no controller sets the readiness gate of a healthy Pod",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("controller.readiness-gate-unset",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
