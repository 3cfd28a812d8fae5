"""The one node that a Pod chooses is kept for others by a taint."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME, NODE = "f-node-tainted", "not-tolerant", "lab-1"


def apply(lab: Lab) -> None:
    lab.run_kubectl("taint", "node", NODE, "dedicated=f-node-tainted:NoSchedule", "--overwrite")
    lab.apply(_kit.namespace(NS), _kit.pod(NS, NAME, nodeSelector={"kubernetes.io/hostname": NODE}))


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedScheduling", "untolerated taint")


def heal(lab: Lab) -> None:
    lab.run_kubectl("taint", "node", NODE, "dedicated-")
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="node-tainted",
    summary="the one node that a Pod chooses carries a taint that it does not tolerate",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.taint-not-tolerated",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=heal,
)
