"""The only node that a Pod selects is cordoned."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME, NODE = "f-node-cordoned", "chooses-lab-1", "lab-1"


def apply(lab: Lab) -> None:
    lab.run_kubectl("cordon", NODE)
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, nodeSelector={"kubernetes.io/hostname": NODE}),
    )


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedScheduling", "were unschedulable")


def heal(lab: Lab) -> None:
    lab.run_kubectl("uncordon", NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="node-cordoned",
    summary="the only node that a Pod selects is cordoned",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("scheduling.node-cordoned",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=heal,
)
