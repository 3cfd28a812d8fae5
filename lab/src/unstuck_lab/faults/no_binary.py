"""The command is a file that the image does not contain."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-no-binary", "no-server"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"command": ["/app/server"]})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_termination_message(lab, NS, NAME, "/app/server", "no such file")


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
    observe=observe,
    heal=_steps.make_heal(NS),
)
