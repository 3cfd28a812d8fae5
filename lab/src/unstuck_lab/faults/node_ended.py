"""A whole node stops at once, as if its power were cut; a Pod of it is deleted. From outside this cannot be
distinguished from a cut cable, so `proven` would be a guess.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _node, _objects, _steps

NS, NAME = "f-node-ended", "lost"
NODE = _node.NAME


def apply(lab: Lab) -> None:
    _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=NODE))
    lab.get_node(NODE).end()
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    if lab.get_node(NODE).running or not _checks.find_deleting_pod(lab, NS, NAME):
        return None
    return _node.find_unknown_condition(lab, NODE)


def heal(lab: Lab) -> None:
    _node.restore(lab, NODE)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="node-ended",
    summary="a Pod stays because its node stopped",
    scope="node",
    node=NODE,
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("node.gone", "kubelet.down"),
    with_node="undecided",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=120,
    also=(f"node/{NODE}",),
    at_most="likely",
)
