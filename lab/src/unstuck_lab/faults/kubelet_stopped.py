"""The kubelet of a node has stopped; a Pod of that node is deleted. From the API alone this looks like a node
that is gone.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _node, _objects, _steps

NS, NAME = "f-kubelet-stopped", "left-alone"
NODE = _node.NAME


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    lab.get_node(NODE).stop_kubelet()
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _node.find_kubelet_end(lab, NODE, NS, NAME)


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="kubelet-stopped",
    summary="a Pod stays because its node's kubelet has stopped",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("kubelet.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
    also=(f"node/{NODE}",),
)
