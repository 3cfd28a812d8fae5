"""A container ignores SIGTERM and has ten minutes until SIGKILL: wait."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-in-grace-period", "ignores-term"


def apply(lab: Lab) -> None:
    command = ["sh", "-c", "trap '' TERM; until [ -e /end ]; do sleep 1; done"]
    pod = _kit.pod(NS, NAME, container={"command": command}, terminationGracePeriodSeconds=600)
    lab.apply(_kit.namespace(NS), pod)
    _kit.wait_running(lab, NS, NAME)
    _kit.delete_pod(lab, NS, NAME)


def held(lab: Lab) -> str | None:
    pod = _kit.deleting(lab, NS, NAME)
    if not pod:
        return None
    return _kit.event(lab, NS, NAME, "Killing", "Stopping container")


def heal(lab: Lab) -> None:
    _kit.release(lab, NS, NAME, "touch /end")


FAULT = Fault(
    name="in-grace-period",
    summary="a container ignores SIGTERM, its grace period is not over",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("deletion.in-grace-period",),
    consequences=(),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
