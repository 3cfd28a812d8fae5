"""A readiness probe that fails forever: the Pod runs, is never ready, and is not restarted for it."""

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
    summary="a readiness probe fails for ever, and nothing is restarted for it",
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
