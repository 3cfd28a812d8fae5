"""No fault: a Pod that starts slowly, within its probe's time."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-healthy-slow-start", "warms-up"


def apply(lab: Lab) -> None:
    probe = {"exec": {"command": ["test", "-e", "/warm"]}, "periodSeconds": 10, "failureThreshold": 180}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"startupProbe": probe}))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "Unhealthy", "Startup probe failed")


FAULT = Fault(
    name="healthy-slow-start",
    summary="a Pod that starts slowly, within the time that its probe allows",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
