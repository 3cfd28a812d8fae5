"""The kubelet of a node has ended, and the mirror of a static Pod of that node is deleted: nothing removes
it, nothing recreates it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit, _node, _static

NS, NAME = "f-mirror-kubelet-stopped", "static"
NODE = _node.NAME
POD = _static.mirror(NODE, NAME)


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    _static.run(lab, node, NS, NAME)
    node.stop_kubelet()
    _kit.delete_pod(lab, NS, POD, grace=1)


def held(lab: Lab) -> str | None:
    return _node.kubelet_ended(lab, NODE, NS, POD)


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _static.end(lab, lab.get_node(NODE), NS, NAME)


FAULT = Fault(
    name="mirror-kubelet-stopped",
    summary="a static Pod's mirror that was deleted stays because its node's kubelet has ended",
    scope="node",
    node=NODE,
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("kubelet.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=120,
)
