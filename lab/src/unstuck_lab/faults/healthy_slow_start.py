"""Nothing is wrong: a Pod that takes its time to start, and was given that time."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-healthy-slow-start", "warms-up"


def apply(lab: Lab) -> None:
    probe = {"exec": {"command": ["test", "-e", "/warm"]}, "periodSeconds": 10, "failureThreshold": 180}
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"startupProbe": probe}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "Unhealthy", "Startup probe failed")


FAULT = Fault(
    name="healthy-slow-start",
    summary="a Pod that starts slowly, within the time it was given",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
