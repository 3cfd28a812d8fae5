"""The image's name has upper-case letters in its repository."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pull-invalid-name", "badly-named"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"image": "lab.local/BusyBox:1"})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_waiting_message(lab, NS, NAME, "InvalidImageName")


FAULT = Fault(
    name="pull-invalid-name",
    summary="an image has an invalid name",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("image.name-invalid",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
