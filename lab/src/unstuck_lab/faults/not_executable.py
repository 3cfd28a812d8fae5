"""The command is a file that is not executable."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-not-executable", "no-bit"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"command": ["/etc/passwd"]})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_termination_message(lab, NS, NAME, "/etc/passwd", "permission denied")


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
    observe=observe,
    heal=_steps.make_heal(NS),
)
