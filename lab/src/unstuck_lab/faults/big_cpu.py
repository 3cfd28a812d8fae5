"""A Pod asks for 64 CPUs, which no node has."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-big-cpu", "wants-64-cpus"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, container={"resources": {"requests": {"cpu": "64"}}}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", "Insufficient cpu")


FAULT = Fault(
    name="big-cpu",
    summary="a Pod asks for more CPU than any node has",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.insufficient-cpu",),
    consequences=(),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
