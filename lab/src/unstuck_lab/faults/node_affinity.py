"""A Pod has a required node affinity that no node satisfies."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-node-affinity", "requires-nvme"


def apply(lab: Lab) -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["nvme"]}]}
    affinity = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, affinity=affinity))


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "node affinity/selector")


FAULT = Fault(
    name="node-affinity",
    summary="a Pod requires, by node affinity, a label that no node has",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.node-affinity-mismatch",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
)
