"""A container ignores SIGTERM and has half an hour until SIGKILL: wait."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-in-grace-period", "ignores-term"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "trap '' TERM; until [ -e /end ]; do sleep 1; done"]
    pod = _kit.pod(NS, NAME, container={"command": command}, terminationGracePeriodSeconds=1800)
    _kit.run(lab, pod)
    _kit.delete_pod(lab, NS, NAME)


def held(lab: Lab) -> str | None:
    return (
        _kit.event(lab, NS, NAME, "Killing", "Stopping container") if _kit.deleting(lab, NS, NAME) else None
    )


def heal(lab: Lab) -> None:
    _kit.release(lab, NS, NAME, "touch /end")


FAULT = Fault(
    name="in-grace-period",
    summary="a container ignores SIGTERM, its grace period is not over",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("deletion.in-grace-period",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
