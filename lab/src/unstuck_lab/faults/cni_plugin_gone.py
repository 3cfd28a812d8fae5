"""The network plugin's program is removed before a Pod's network is torn down."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _cni, _kit

NS, NAME = "f-cni-plugin-gone", "keeps-network"
NODE = "lab-3"


def apply(lab: Lab) -> None:
    _kit.run(lab, _kit.pod(NS, NAME, nodeName=NODE))
    _cni.hide(lab.get_node(NODE))
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _kit.event(lab, NS, NAME, "FailedKillPod", "failed to find plugin")


def heal(lab: Lab) -> None:
    _cni.restore(lab.get_node(NODE))
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="cni-plugin-gone",
    summary="a Pod stays because its network plugin's program is gone",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("network.sandbox-teardown-failed",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
)
