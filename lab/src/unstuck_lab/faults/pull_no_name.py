"""The name of the image's registry does not resolve: the lab has no DNS server."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-pull-no-name", "wants-image"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container={"image": "registry.lab.invalid/shop/web:1"}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "Failed", "lookup registry.lab.invalid")


FAULT = Fault(
    name="pull-no-name",
    summary="the name of an image's registry does not resolve",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("image.registry-dns-failed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
