"""The image's registry is a closed port of the node's own loopback."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-bad-image", "wants-image"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS), _objects.make_pod(NS, NAME, container={"image": "127.0.0.1:5999/nope:1"})
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "Failed", "connection refused")


FAULT = Fault(
    name="bad-image",
    summary="the registry of an image refuses connections",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("image.registry-unreachable",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
