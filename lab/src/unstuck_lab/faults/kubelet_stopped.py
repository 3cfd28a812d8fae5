"""The kubelet of a node has ended; a Pod of that node is deleted.

From the API alone this is the same picture as a node that is gone.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _node

NS, NAME = "f-kubelet-stopped", "left-alone"
NODE = _node.NAME


def apply(lab: Lab) -> None:
    _kit.run(lab, _kit.pod(NS, NAME, nodeName=NODE))
    lab.get_node(NODE).stop_kubelet()
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _node.kubelet_ended(lab, NODE, NS, NAME)


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="kubelet-stopped",
    summary="a Pod stays because its node's kubelet has ended",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("kubelet.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
    also=(f"node/{NODE}",),
)
