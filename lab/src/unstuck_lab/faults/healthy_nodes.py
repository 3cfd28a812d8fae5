"""No fault: the nodes themselves, in a question without other applied faults."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault


def apply(lab: Lab) -> None:
    """Do nothing."""


def observe(lab: Lab) -> str | None:
    names = [node.name for node in lab.nodes]
    return f"{', '.join(names)} Ready" if all(lab.is_node_ready(name) for name in names) else None


def heal(lab: Lab) -> None:
    """Do nothing."""


FAULT = Fault(
    name="healthy-nodes",
    summary="the nodes and the default Namespace as they are",
    scope="cluster",  # applied only while no node has a fault
    subject="node/lab-1",
    namespace="default",
    accepts=(),
    with_node="fine",
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    also=("node/lab-2", "ns/default"),
    ripe=0,
)
