"""The kubelet of a node has stopped, and the mirror of a static Pod of that node is deleted: nothing removes
or recreates it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _node, _static, _steps

NS, NAME = "f-mirror-kubelet-stopped", "static"
NODE = _node.NAME
POD = _static.name_mirror(NODE, NAME)


def apply(lab: Lab) -> None:
    node = lab.get_node(NODE)
    _static.run(lab, node, NS, NAME)
    node.stop_kubelet()
    _steps.delete_pod(lab, NS, POD, grace=1)


def observe(lab: Lab) -> str | None:
    return _node.find_kubelet_end(lab, NODE, NS, POD)


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _static.end(lab, lab.get_node(NODE), NS, NAME)


FAULT = Fault(
    name="mirror-kubelet-stopped",
    summary="a deleted mirror of a static Pod stays because its node's kubelet has stopped",
    scope="node",
    node=NODE,
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("kubelet.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
)
