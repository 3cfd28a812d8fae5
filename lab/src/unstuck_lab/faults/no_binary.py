"""The command is a file that the image has not."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-no-binary", "no-server"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"command": ["/app/server"]}))


def held(lab: Lab) -> str | None:
    return _kit.ended_saying(lab, NS, NAME, "/app/server", "no such file")


FAULT = Fault(
    name="no-binary",
    summary="a container's command is not in its image",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.command-not-found",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
