"""The only node that a Pod selects is reserved for others by a taint."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-node-tainted", "not-tolerant", "lab-1"


def apply(lab: Lab) -> None:
    lab.run_kubectl("taint", "node", NODE, "dedicated=f-node-tainted:NoSchedule", "--overwrite")
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, nodeSelector={"kubernetes.io/hostname": NODE}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "untolerated taint")


def heal(lab: Lab) -> None:
    lab.run_kubectl("taint", "node", NODE, "dedicated-")
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="node-tainted",
    summary="the only node that a Pod selects has a taint that it does not tolerate",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.taint-not-tolerated",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
