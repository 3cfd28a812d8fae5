"""The daemon that assigns the addresses of a network (`dhcp` of the CNI project) does not run on the node."""

from unstuck_lab.faults import _cni, _handler
from unstuck_lab.node import Node

_DAEMON = [f"{_cni.BIN_DIR}/dhcp", "daemon"]
_SOCKET = "/run/cni/dhcp.sock"


def _start(node: Node) -> None:
    # Without it the network of a deleted Pod is not torn down.
    if node.find(_DAEMON) is None:
        node.run(["rm", "-f", _SOCKET])
        node.spawn(_DAEMON, "dhcp")


def _end(node: Node) -> None:
    node.kill(_DAEMON)
    node.run(["rm", "-f", _SOCKET])


FAULT = _handler.make_fault(
    "cni-daemon-down",
    "a Pod does not start because the daemon of its network plugin does not run",
    handler="by-daemon",
    pod="asks-the-daemon",
    says=f"dial unix {_SOCKET}: connect: no such file or directory",
    accepts="network.cni-agent-down",
    fix=_start,
    spoil=(_end, _end),
)
