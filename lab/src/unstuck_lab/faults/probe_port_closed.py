"""A readiness probe connects to a closed port."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-probe-port-closed", "deaf"
# Until then, the program may still be starting.
_STARTED = 35


def apply(lab: Lab) -> None:
    probe = {"tcpSocket": {"port": 8099}, "periodSeconds": 5}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"readinessProbe": probe}))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    statuses = found["status"].get("containerStatuses", []) if found else []
    began = statuses[0]["state"].get("running", {}).get("startedAt") if statuses else None
    return (
        _checks.find_event(lab, NS, NAME, "Unhealthy", "connection refused")
        if began and _checks.measure_age(began) > _STARTED
        else None
    )


FAULT = Fault(
    name="probe-port-closed",
    summary="a readiness probe checks a port on which nothing listens",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("probe.port-closed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    consequences=("probe.readiness-failing",),
    settle=150,
)
