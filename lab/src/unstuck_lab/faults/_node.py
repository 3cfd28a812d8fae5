"""Helpers for the faults that take a whole node down."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _checks

# The first node keeps running, so the cluster can still run a Pod.
NAME = "lab-2"


def find_unknown_condition(lab: Lab, name: str) -> str | None:
    """Return the node controller's message about the silent node."""
    message = _checks.find_condition(lab.get(f"/api/v1/nodes/{name}"), "Ready", "Unknown")
    return None if message is None else f"Ready is Unknown: {message}"


def find_kubelet_end(lab: Lab, name: str, ns: str, pod: str) -> str | None:
    """Return the Node's condition Unknown, if the node runs without its kubelet and the Pod is being
    deleted.
    """
    node = lab.get_node(name)
    if node.kubelet_pid is not None or not node.running or not _checks.find_deleting_pod(lab, ns, pod):
        return None
    return find_unknown_condition(lab, name)


def wait_ready(lab: Lab, name: str) -> None:
    """Wait until the Node is Ready. Raises `TimedOutError`."""
    lab.wait(lambda: lab.is_node_ready(name), 90, f"node {name} Ready")


def restore(lab: Lab, name: str) -> None:
    """Bring up the missing parts, and wait until the node is Ready."""
    node = lab.get_node(name)
    node.restore()
    lab.wait(lambda: node.kubelet_pid is not None and lab.is_node_ready(name), 90, f"node {name} Ready")
