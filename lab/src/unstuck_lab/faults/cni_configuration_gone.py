"""The configuration of a node's network is removed before a Pod's network is torn down; the Node is no longer
Ready.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _cni, _node, _objects, _steps

NS, NAME = "f-cni-configuration-gone", "keeps-network"
NODE = "lab-3"


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    _cni.remove_configuration(lab.get_node(NODE))
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_event(lab, NS, NAME, "FailedKillPod", "cni plugin not initialized")


def heal(lab: Lab) -> None:
    _cni.write_configuration(lab.get_node(NODE))
    _node.wait_ready(lab, NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="cni-configuration-gone",
    summary="a Pod stays because the configuration of its node's network is gone",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("network.sandbox-teardown-failed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
)
