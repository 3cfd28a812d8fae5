"""A container must not run as root, and its image specifies no other user."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-run-as-root", "not-as-root"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"securityContext": {"runAsNonRoot": True}}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_waiting_message(lab, NS, NAME, "CreateContainerConfigError", "run as root")


FAULT = Fault(
    name="run-as-root",
    summary="a container must not run as root, but its image does",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("security.run-as-non-root",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
