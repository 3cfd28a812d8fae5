"""The command is a file that is not executable."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-not-executable", "no-bit"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"command": ["/etc/passwd"]}))


def held(lab: Lab) -> str | None:
    return _kit.ended_saying(lab, NS, NAME, "/etc/passwd", "permission denied")


FAULT = Fault(
    name="not-executable",
    summary="a container's command is not executable",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.not-executable",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
