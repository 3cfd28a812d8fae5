"""What the faults that take a whole node down have in common."""

from unstuck_lab.cluster import Lab

# The first node goes on, so that the cluster can still run a Pod.
NAME = "lab-2"


def unknown(lab: Lab, name: str) -> str | None:
    """The node controller's word that the node does not report any more."""
    found = lab.get(f"/api/v1/nodes/{name}")
    for condition in found["status"].get("conditions", []) if found else []:
        if condition["type"] == "Ready" and condition["status"] == "Unknown":
            return f"Ready is Unknown: {condition['message']}"
    return None


def restore(lab: Lab, name: str) -> None:
    """Bring up what does not run, and wait until the node is Ready."""
    node = lab.node(name)
    node.restore()
    lab.wait(lambda: node.kubelet_pid is not None and lab.node_ready(name), 90, f"node {name} Ready")
