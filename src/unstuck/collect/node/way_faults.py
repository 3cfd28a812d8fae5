"""Finds faults on a node that stop packets to an address: unreachable routes, policy rules that lead to them,
permanent neighbour entries, interfaces without forwarding, delays.

Sources: ip-route(8), ip-rule(8), ip-neighbour(8), tc(8), arp(7); Linux net/ipv4/arp.c
(arp_format_neigh_entry), Documentation/networking/ip-sysctl.rst (`conf/DEV/forwarding`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network

from unstuck.collect.node.network_tools import is_own_network, read_output
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import Route, WayFault

_REFUSE = ("unreachable", "prohibit", "blackhole")
# Tables that every machine has.
_USUAL = ("local", "main", "default")
_PERMANENT = 0x4
_DELAYS = ("netem", "tbf")


def find_faults(view: NodeView, address: str, route: Route | None, neighbours: str) -> tuple[WayFault, ...]:
    """Return the faults. route: the way to the address by the main table. neighbours: `/proc/PID/net/arp` of
    the node's own network.
    """
    routes, rules = read_output(view, "ip-route"), read_output(view, "ip-rule")
    to = IPv4Address(address) if address else None
    device = route.device if route else ""
    hop = route.gateway if route and route.gateway else address
    return (
        *(_list_refusing(routes, "main", to) if to else ()),
        *(_list_by_rules(rules, routes, to) if to else ()),
        *_list_fixed(neighbours, hop),
        *_list_own(routes, address),
        *_list_unforwarding(view, device),
        *_list_unfiltered(view),
        *_list_delays(read_output(view, "tc-qdisc"), device),
    )


def is_own(view: NodeView, address: str) -> bool | None:
    """Tell whether the address is one of the node's own; None if that cannot be seen."""
    routes = read_output(view, "ip-route")
    local = [w[1] for line in routes if len(w := line.split()) > 1 and w[0] == "local"]
    return address in local if local else None


def _list_refusing(routes: Sequence[str], table: str, to: IPv4Address) -> list[WayFault]:
    """Return the route of a table that holds the address, if it refuses."""
    best: tuple[int, int, str] | None = None
    for line in routes:
        words = line.split()
        of = _find_after(words, "table") or "main"
        if not words or of != table:
            continue
        kind, where = (words[0], words[1:2]) if words[0] in _REFUSE else ("", words[:1])
        range_ = _range(where[0]) if where else None
        if range_ is None or to not in range_:
            continue
        metric = int(m) if (m := _find_after(words, "metric")).isdigit() else 0
        rank = (range_.prefixlen, -metric)
        if best is None or rank > best[:2]:
            best = (*rank, " ".join(words) if kind else "")
    return [WayFault("refusing-route", best[2])] if best and best[2] else []


def _find_after(words: Sequence[str], key: str) -> str:
    """Return the word after this one, "" if there is none."""
    return words[words.index(key) + 1] if key in words[:-1] else ""


def _range(word: str) -> IPv4Network | None:
    try:
        return IPv4Network("0.0.0.0/0" if word == "default" else word, strict=False)
    except ValueError:
        return None


def _list_by_rules(rules: Sequence[str], routes: Sequence[str], to: IPv4Address) -> Iterator[WayFault]:
    """Yield the rules that lead to a route that refuses, or refuse themselves."""
    for line in rules:
        _, _, rule = line.partition(":")
        words = rule.split()
        into = _find_after(words, "to")
        if into and ((range_ := _range(into)) is None or to not in range_):
            continue
        source = "" if (sender := _find_after(words, "from")) == "all" else sender
        if any(word in _REFUSE for word in words):
            yield WayFault("refusing-rule", " ".join(words), source=source)
        table = _find_after(words, "lookup")
        if table and table not in _USUAL:
            for found in _list_refusing(routes, table, to):
                yield WayFault("refusing-rule", f"{' '.join(words)}: {found.detail}", source=source)


def _list_fixed(table: str, hop: str) -> Iterator[WayFault]:
    """Yield the next hop's neighbour entry if it is permanent: the kernel sends no ARP request for it."""
    for line in table.splitlines()[1:]:
        words = line.split()
        told = len(words) >= 6 and words[0] == hop and words[2].startswith("0x")
        if told and int(words[2], 16) & _PERMANENT:
            yield WayFault("fixed-neighbour", f"{words[0]} lladdr {words[3]}", words[5])


def _list_own(routes: Sequence[str], address: str) -> Iterator[WayFault]:
    """Yield the interface that has the address, if it is not that of the default route."""
    rows = [line.split() for line in routes]
    outer = {_find_after(words, "dev") for words in rows if words[:1] == ["default"]}
    for words in rows:
        device = _find_after(words, "dev")
        if words[:2] == ["local", address] and device and device not in outer:
            yield WayFault("own-address", f"{address} dev {device}", device)
            return


def _list_unforwarding(view: NodeView, device: str) -> Iterator[WayFault]:
    """Yield the interface that does not forward, where the machine does."""
    at = "/proc/sys/net/ipv4"
    if not device or "/" in device or (view.root.live and not is_own_network(view)):
        return
    every = (view.root.text(f"{at}/ip_forward", 64) or "").strip()
    own = (view.root.text(f"{at}/conf/{device}/forwarding", 64) or "").strip()
    if every == "1" and own == "0":
        yield WayFault("no-forwarding", f"net.ipv4.conf.{device}.forwarding = 0", device)


def _list_unfiltered(view: NodeView) -> Iterator[WayFault]:
    """Yield the setting that lets the packets of a bridge bypass the packet filter."""
    at = "/proc/sys/net/bridge/bridge-nf-call-iptables"
    if (not view.root.live or is_own_network(view)) and (view.root.text(at, 64) or "").strip() == "0":
        yield WayFault("unfiltered-bridge", "net.bridge.bridge-nf-call-iptables = 0")


def _list_delays(lines: Sequence[str], device: str) -> Iterator[WayFault]:
    """Yield the queueing discipline that delays or drops packets sent by the interface."""
    for line in lines:
        words = line.split()
        of_it = _find_after(words, "dev") == device
        if len(words) > 2 and words[0] == "qdisc" and words[1] in _DELAYS and of_it:
            yield WayFault("delay", " ".join(words), device)
