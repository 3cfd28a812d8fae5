"""A readiness probe that always fails: the Pod runs, never becomes ready, and is not restarted."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-readiness-failing", "cold-cache"


def apply(lab: Lab) -> None:
    probe = {"exec": {"command": ["sh", "-c", "echo 'the cache is cold'; exit 1"]}, "periodSeconds": 10}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"readinessProbe": probe}))


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, NAME)
    statuses = found["status"].get("containerStatuses", []) if found else []
    runs = (
        statuses
        and "running" in statuses[0]["state"]
        and not statuses[0]["ready"]
        and not statuses[0]["restartCount"]
    )
    return _checks.find_event(lab, NS, NAME, "Unhealthy", "the cache is cold") if runs else None


FAULT = Fault(
    name="readiness-failing",
    summary="a readiness probe always fails, and nothing is restarted",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("probe.readiness-failing",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
