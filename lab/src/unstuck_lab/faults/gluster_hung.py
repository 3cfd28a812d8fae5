"""A real glusterfs with a brick that stops answering while a Pod looks up a name on it.

No glusterd: brick and client are started with volume files, on the node's loopback.
"""

import signal

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _hung, _signals, _steps
from unstuck_lab.node import Node

NS, NAME = "f-gluster-hung", "index-task"
HOME, MOUNT = "/run/unstuck-lab-gluster", "/run/unstuck-lab-logs"
PORT = 24999
# Their logs are beside the node's, which are kept after a failed test.
BRICK_LOG, CLIENT_LOG = "/var/log/gluster-brick-own.log", "/var/log/gluster-client-own.log"
BRICK = [
    "/usr/sbin/glusterfsd",
    "-N",
    "-f",
    f"{HOME}/server.vol",
    "-l",
    BRICK_LOG,
    "-p",
    f"{HOME}/server.pid",
]
CLIENT = [
    "/usr/sbin/glusterfs",
    "-N",
    "--fs-display-name=127.0.0.1:/logs",
    "-f",
    f"{HOME}/client.vol",
    "-l",
    CLIENT_LOG,
    MOUNT,
]

SERVER_VOLUME = f"""\
volume posix
  type storage/posix
  option directory {HOME}/brick
end-volume
volume locks
  type features/locks
  subvolumes posix
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port {PORT}
  option auth.addr.locks.allow *
  subvolumes locks
end-volume
"""
# The client gives up on its own after ping-timeout seconds without an answer (at most 1013).
CLIENT_VOLUME = f"""\
volume remote
  type protocol/client
  option transport-type tcp
  option remote-host 127.0.0.1
  option remote-port {PORT}
  option remote-subvolume locks
  option ping-timeout 1000
end-volume
"""


def apply(lab: Lab) -> None:
    node = _hung.find_last_node(lab)
    _hung.mount_connections(node)
    _serve(lab, node)
    _steps.run(lab, _hung.make_pod(NS, NAME, node, MOUNT))
    silence(lab, node)
    _steps.delete_pod(lab, NS, NAME, grace=1)


def _serve(lab: Lab, node: Node) -> None:
    # A brick has extended attributes, which a tmpfs supports only from Linux 6.6 on:
    # it is in the node's own part of the disk.
    node.check(
        [
            "sh",
            "-ec",
            (
                f"mkdir -p {HOME} {MOUNT} /var/log/unstuck-lab-brick; ln -sfn /var/log/unstuck-lab-brick "
                f"{HOME}/brick"
            ),
        ]
    )
    node.check(["tee", f"{HOME}/server.vol"], stdin=SERVER_VOLUME)
    node.check(["tee", f"{HOME}/client.vol"], stdin=CLIENT_VOLUME)
    if node.find(BRICK) is None:
        node.spawn(BRICK, log="gluster-brick")
    _signal(node, signal.SIGCONT)
    listening = ["sh", "-c", f"ss -Hltn 'sport = :{PORT}' | grep -q ."]
    lab.wait(lambda: node.run(listening).returncode == 0, 15, f"brick on port {PORT}")
    if node.find(CLIENT) is None:
        node.spawn(CLIENT, log="gluster-client")
    # A successful listing proves that client and brick communicate.
    lab.wait(
        lambda: node.run(["sh", "-c", f"mountpoint -q {MOUNT} && ls {MOUNT}"], timeout=5).returncode == 0,
        20,
        f"mount {MOUNT}",
    )


def silence(lab: Lab, node: Node) -> None:
    """Suspend the brick, and wait until it is suspended. Raises `LabError` if it does not run."""
    brick = node.find(BRICK)
    if brick is None:
        raise LabError("the brick does not run", f"node {node.name}", f"its log is {BRICK_LOG} on the node")
    _signals.stop(brick)
    lab.wait(lambda: _signals.read_state(brick) == "T", 15, "a stopped brick")


def _signal(node: Node, number: signal.Signals) -> None:
    found = node.box.find(BRICK)
    if found is not None:
        found.signal(number)


def observe(lab: Lab) -> str | None:
    return _hung.find_blocked_process(lab, NS, NAME, _hung.find_last_node(lab))


def heal(lab: Lab) -> None:
    running = [node for node in lab.nodes if node.running]
    for node in running:
        _signal(node, signal.SIGCONT)
    # The runtime checks the process again once the kubelet's call has timed out.
    _steps.remove_namespace(lab, NS, timeout=180)
    for node in running:
        _hung.unmount(node, MOUNT)
        for program in (CLIENT, BRICK):
            node.kill(program)
        node.check(["rm", "-rf", HOME, "/var/log/unstuck-lab-brick"])


FAULT = Fault(
    name="gluster-hung",
    summary="a Pod stays because the brick of its glusterfs does not answer",
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
