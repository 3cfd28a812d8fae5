"""The network plugin's program is gone from a node: no new Pod gets a network there."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _cni, _objects, _steps

NS, NAME = "f-cni-plugin-missing", "gets-no-network"
NODE = "lab-2"


def apply(lab: Lab) -> None:
    _cni.hide(lab.get_node(NODE))
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, NAME, nodeName=NODE))


def heal(lab: Lab) -> None:
    _cni.restore(lab.get_node(NODE))
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="cni-plugin-missing",
    summary="a Pod does not start because its node's network plugin has no program",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("network.cni-not-installed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "FailedCreatePodSandBox", "failed to find plugin"),
    heal=heal,
    settle=90,
)
