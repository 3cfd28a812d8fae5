"""A Pod uses an image that no node has, with pull policy Never."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pull-never", "only-local"


def apply(lab: Lab) -> None:
    container = {"image": "lab.local/never-built:1", "imagePullPolicy": "Never"}
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, container=container))


def observe(lab: Lab) -> str | None:
    return _checks.find_waiting_message(lab, NS, NAME, "ErrImageNeverPull")


FAULT = Fault(
    name="pull-never",
    summary="an image is not on the node and may not be pulled",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("image.never-pull",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
