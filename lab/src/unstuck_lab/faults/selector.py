"""A Pod selects nodes with disk=ssd; no node has that label."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-selector", "wants-ssd"


def apply(lab: Lab) -> None:
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, nodeSelector={"disk": "ssd"}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", "node affinity/selector")


FAULT = Fault(
    name="selector",
    summary="a Pod selects a label that no node has",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.node-selector-mismatch",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
)
