"""Looks up a node's path for packets to an address: its routes, the neighbour on the link, and the rules of
its packet filter.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from unstuck.collect.node.packet_filter import has_unseen_rules, read_rules
from unstuck.collect.node.packet_rules import find_rules, parse_tables
from unstuck.collect.node.view import NodeView
from unstuck.collect.node.way_faults import find_faults, is_own
from unstuck.facts.aspects.packet_way import PacketWay, PortRule, Route, WayFault
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import Record, record

_TABLE = 1 << 20
_UP, _REJECT = 0x1, 0x200
_ANSWERED = 0x2
_WIDER = 5


@record()
class _Row(Record):
    range: IPv4Network
    metric: int
    route: Route


def packet_way(view: NodeView, about: Ref) -> PacketWay | None:
    """Return the way to `ADDRESS:PORT` or `ADDRESS:PORT/udp` from the node's own network; None for
    another address, or if nothing can be seen.
    """
    host, _, number = (about.name or "").rpartition(":")
    number, _, protocol = number.partition("/")
    if protocol not in ("", "udp"):
        return None
    try:
        address = IPv4Address(host) if host else None
        port = int(number)
    except ValueError:
        return None
    pid = view.kubelet.process.pid if view.kubelet.process else 1
    text = view.root.text(f"/proc/{pid}/net/route", _TABLE)
    rows = _read_routes(view, text or "")
    holding = (
        sorted((r for r in rows if address in r.range), key=lambda r: (-r.range.prefixlen, r.metric))
        if address
        else []
    )
    lines = read_rules(view)
    rules = find_rules(parse_tables(lines), host, port, protocol or "tcp") if lines else None
    if text is None and rules is None:
        return None
    route = holding[0].route if holding else None
    neighbours = view.root.text(f"/proc/{pid}/net/arp", _TABLE) or ""
    faults = find_faults(view, host, route, neighbours)
    return PacketWay(
        about=about,
        src=Source(f"{view.name} /proc/{pid}/net/route, iptables-save", _quote(route, rules, faults)),
        whole=view.sees_node and text is not None and rules is not None and not has_unseen_rules(view, lines),
        address=host,
        port=port,
        route=route,
        wider=tuple(r.route for r in holding[1 : 1 + _WIDER]),
        unanswered=_is_unanswered(neighbours, host),
        rules=rules,
        faults=faults,
        own=is_own(view, host),
    )


def _quote(route: Route | None, rules: tuple[PortRule, ...] | None, faults: tuple[WayFault, ...]) -> str:
    told = (
        [
            f"{route.to} via {route.gateway} dev {route.device}"
            if route.gateway
            else f"{route.to} dev {route.device}"
        ]
        if route
        else []
    )
    return "; ".join(
        [
            *(f.detail for f in faults[:2]),
            *told,
            *(f"-t {r.table} -A {r.chain} {r.rule}" for r in (rules or ())[:1]),
        ]
    )


def _read_routes(view: NodeView, text: str) -> list[_Row]:
    """Return the routes of the main table that lead somewhere. Source: Linux net/ipv4/fib_trie.c
    (fib_route_seq_show).
    """
    out = []
    for line in text.splitlines()[1:]:
        words = line.split()
        try:
            device, to, gateway, flags, metric, mask = (
                words[0],
                words[1],
                words[2],
                int(words[3], 16),
                int(words[6]),
                words[7],
            )
            range_ = IPv4Network(f"{_address(to)}/{_address(mask)}", strict=False)
        except (ValueError, IndexError):
            continue
        if flags & _UP and not flags & _REJECT:
            via = "" if int(gateway, 16) == 0 else str(_address(gateway))
            out.append(_Row(range_, metric, Route(str(range_), device, via, _find_ports(view, device))))
    return out


def _address(word: str) -> IPv4Address:
    """Return the address of a word in the machine's own order (little-endian on all that run Nodes but
    s390x).
    """
    return IPv4Address(int.from_bytes(bytes.fromhex(word)[::-1]))


def _find_ports(view: NodeView, device: str) -> int | None:
    names = view.root.names(f"/sys/class/net/{device}/brif")
    return None if names is None else len(names)


def _is_unanswered(text: str, address: str) -> bool | None:
    """Tell whether the node's ARP requests for the address got no reply; None without an entry. Source: Linux
    net/ipv4/arp.c (arp_format_neigh_entry).
    """
    rows = [
        words for line in text.splitlines()[1:] if len(words := line.split()) >= 3 and words[0] == address
    ]
    flags = [int(words[2], 16) for words in rows if words[2].startswith("0x")]
    return not any(f & _ANSWERED for f in flags) if flags else None
