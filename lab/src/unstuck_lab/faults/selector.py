"""A Pod selects nodes with disk=ssd; no node has that label."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-selector", "wants-ssd"


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeSelector={"disk": "ssd"}))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "node affinity/selector")


FAULT = Fault(
    name="selector",
    summary="a Pod selects a node label that no node has",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.node-selector-mismatch",),
    with_node="proven",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
