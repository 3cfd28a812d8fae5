"""No fault: a static Pod with its mirror intact."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _static

NS, NAME, NODE = "f-healthy-static-pod", "static", "lab-1"
POD = _static.name_mirror(NODE, NAME)


def apply(lab: Lab) -> None:
    _static.run(lab, lab.get_node(NODE), NS, NAME)


def observe(lab: Lab) -> str | None:
    found = lab.get_pod(NS, POD)
    mirror = found["metadata"].get("annotations", {}).get("kubernetes.io/config.mirror") if found else None
    return f"mirror of {mirror}" if mirror else None


def heal(lab: Lab) -> None:
    _static.end(lab, lab.get_node(NODE), NS, NAME)


FAULT = Fault(
    name="healthy-static-pod",
    summary="a static Pod",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
