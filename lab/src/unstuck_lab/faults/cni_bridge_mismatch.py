"""The bridge of a network has an address of an earlier range, and its plugin tries to assign one of the
current range.
"""

from unstuck_lab import handlers
from unstuck_lab.faults import _handler
from unstuck_lab.node import Node


def _add_earlier_bridge(node: Node) -> None:
    add = f"ip link add {handlers.BRIDGE} type bridge && ip addr add 10.99.0.1/24 dev {handlers.BRIDGE}"
    node.check(["sh", "-c", f"ip link show {handlers.BRIDGE} || {{ {add}; }}"])


def _remove(node: Node) -> None:
    node.run(["ip", "link", "delete", handlers.BRIDGE])


FAULT = _handler.make_fault(
    "cni-bridge-mismatch",
    "a Pod does not start because the bridge of its network has an address of another range",
    handler="bridge",
    pod="other-range",
    says="already has an IP address different",
    accepts="network.bridge-address-mismatch",
    spoil=(_add_earlier_bridge, _remove),
)
