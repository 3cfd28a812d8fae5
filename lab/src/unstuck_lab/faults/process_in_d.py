"""A FUSE server stops answering while a Pod looks a name up on it: the process is in state D and survives
SIGKILL. The API shows nothing for four minutes.
"""

from pathlib import Path

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _hung, _steps
from unstuck_lab.node import Node

NS, NAME = "f-process-in-d", "looks-up"
MOUNT, FLAG = "/run/unstuck-lab-fuse", "/run/unstuck-lab-fuse.hang"
SERVER = ["/usr/bin/python3", str(Path(__file__).with_name("_fusefs.py")), MOUNT, FLAG]


def apply(lab: Lab) -> None:
    node = _hung.find_last_node(lab)
    _hung.mount_connections(node)
    node.check(["rm", "-f", FLAG])
    if node.find(SERVER) is None:
        node.spawn(SERVER, log="fuse")
    lab.wait(lambda: node.run(["mountpoint", "-q", MOUNT], timeout=5).returncode == 0, 10, f"mount {MOUNT}")
    _steps.run(lab, _hung.make_pod(NS, NAME, node, MOUNT))
    node.check(["touch", FLAG])
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _hung.find_blocked_process(lab, NS, NAME, _hung.find_last_node(lab))


def _revive(node: Node) -> None:
    node.run(["rm", "-f", FLAG])


def heal(lab: Lab) -> None:
    running = [node for node in lab.nodes if node.running]
    for node in running:
        _revive(node)
    # The runtime checks the process again once the kubelet's call has timed out.
    _steps.remove_namespace(lab, NS, timeout=180)
    for node in running:
        _hung.unmount(node, MOUNT)
        node.kill(SERVER)


FAULT = Fault(
    name="process-in-d",
    summary="a Pod stays because its process waits on a FUSE mount that does not answer",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.network-filesystem-hung",),
    consequences=("process.uninterruptible",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
