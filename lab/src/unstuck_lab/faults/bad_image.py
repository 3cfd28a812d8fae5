"""The image's registry is a closed port of the node's own loopback."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-bad-image", "wants-image"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"image": "127.0.0.1:5999/nope:1"}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "Failed", "connection refused")


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
    held=held,
    heal=_kit.removing(NS),
)
