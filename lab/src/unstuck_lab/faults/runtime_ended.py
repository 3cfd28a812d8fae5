"""A node's containerd has exited: its socket accepts no connections, and the Node is no longer Ready."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _node

NODE = "lab-3"


def observe(lab: Lab) -> str | None:
    ended = lab.get_node(NODE).containerd_pid is None
    said = _checks.find_condition(lab.get(f"/api/v1/nodes/{NODE}"), "Ready", "False")
    return f"containerd has ended; {said}" if ended and said else None


FAULT = Fault(
    name="runtime-ended",
    summary="a Node is not Ready because its container runtime has exited",
    scope="node",
    node=NODE,
    subject=f"node/{NODE}",
    namespace=None,
    accepts=("runtime.down",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=lambda lab: lab.get_node(NODE).stop_containerd(),
    observe=observe,
    heal=lambda lab: _node.restore(lab, NODE),
    settle=120,
    ripe=5,
)
