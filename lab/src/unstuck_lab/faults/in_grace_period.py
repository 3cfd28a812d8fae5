"""A container ignores SIGTERM and has half an hour until SIGKILL: the advice is to wait."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-in-grace-period", "ignores-term"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "trap '' TERM; until [ -e /end ]; do sleep 1; done"]
    pod = _objects.make_pod(NS, NAME, container={"command": command}, terminationGracePeriodSeconds=1800)
    _steps.run(lab, pod)
    _steps.delete_pod(lab, NS, NAME)


def observe(lab: Lab) -> str | None:
    return (
        _checks.find_event(lab, NS, NAME, "Killing", "Stopping container")
        if _checks.find_deleting_pod(lab, NS, NAME)
        else None
    )


def heal(lab: Lab) -> None:
    _steps.release(lab, NS, NAME, "touch /end")


FAULT = Fault(
    name="in-grace-period",
    summary="a container ignores SIGTERM, and its grace period is not over",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("deletion.in-grace-period",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
