"""The path of a packet on a node: the route to an address, and the packet filter rules that drop or redirect
it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class Route(Record):
    """A route of the node's main table. to: `172.17.0.0/16`, `0.0.0.0/0` for the default route. gateway: ""
    for a directly connected range.

    ports: of a bridge, the number of its interfaces; None for other devices, or if not seen.
    """

    to: str
    device: str
    gateway: str = ""
    ports: int | None = None


@record()
class PortRule(Record):
    """A rule that drops, rejects or redirects packets to an address and port. hook: the built-in chain that
    leads to it, such as `INPUT`.

    table, chain: its place. rule: in the form of `iptables-save`, without `-A CHAIN`; `-P DROP` is the policy
    of a chain. target: `DROP`, `REJECT`, `DNAT`, `REDIRECT` or `TPROXY`. sure: whether it applies regardless
    of the packet's source and interfaces.
    """

    hook: str
    table: str
    chain: str
    rule: str
    target: str
    sure: bool = True


WayFaultKind = Literal[
    "refusing-route",
    "refusing-rule",
    "fixed-neighbour",
    "no-forwarding",
    "delay",
    "own-address",
    "unfiltered-bridge",
]


@record()
class WayFault(Record):
    """An obstacle to packets on the node itself. detail: the tool's output, or the setting. source: for a
    rule of policy routing, its source range, "" for all. own-address: the node has the address itself, on
    another interface than that of its default route. unfiltered-bridge: packets between two Pods of the
    node's bridge bypass its packet filter, and so the translation of a Service's address.
    """

    kind: WayFaultKind
    detail: str
    device: str = ""
    source: str = ""


@record(kw_only=True)
class PacketWay(NodeFact):
    """A node's handling of TCP packets to an address and port, over IPv4. about: a `Route` of the node,
    `ADDRESS:PORT`.

    route: the applicable route, None without one. wider: less specific routes to the address, the narrowest
    first. unanswered: whether recent ARP requests for the address stayed unanswered; None without recent
    requests. rules: the rules for a new connection, None if the packet filter could not be read. faults:
    further obstacles on the node: refusing routes and rules, a permanent neighbour, an interface without
    forwarding, a delay. own: whether the address is the node's; None if unknown. Whole if routes and rules
    were seen. Native nft rules are not examined. Sources: proc(5) `/proc/PID/net/route`,
    `/proc/PID/net/arp`; iptables-save(8), iptables-extensions(8), ip-rule(8).
    """

    address: str
    port: int
    route: Route | None = None
    wider: tuple[Route, ...] = ()
    unanswered: bool | None = None
    rules: tuple[PortRule, ...] | None = None
    faults: tuple[WayFault, ...] = ()
    own: bool | None = None
    ask: ClassVar[str] = "ip route show table all; ip rule; ip neigh; tc qdisc; iptables-save"


@record(kw_only=True)
class LinkSizes(NodeFact):
    """The largest packet on a node's uplink, and on its interfaces to Pods. about: the Node.

    uplink: the interface of the default route. size: its MTU. pods: the largest MTU of the interfaces to
    Pods, 0 if there are none. silent: rules that drop the node's ICMP messages to senders of too large
    packets (type 3, code 4). Whole if the packet filter was seen, too. Sources: RFC 1191, ip-link(8), Linux
    Documentation/ABI/testing/sysfs-class-net.
    """

    uplink: str
    size: int
    pods: int
    silent: tuple[PortRule, ...] = ()
    ask: ClassVar[str] = "ip -o link; iptables-save | grep -w icmp"
