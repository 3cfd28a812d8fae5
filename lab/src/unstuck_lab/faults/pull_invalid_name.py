"""The image's name has upper-case letters in its repository."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-pull-invalid-name", "badly-named"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"image": "lab.local/BusyBox:1"}))


def held(lab: Lab) -> str | None:
    return _kit.waits_with(lab, NS, NAME, "InvalidImageName")


FAULT = Fault(
    name="pull-invalid-name",
    summary="an image's name is no valid one",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("image.name-invalid",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    settle=90,
)
