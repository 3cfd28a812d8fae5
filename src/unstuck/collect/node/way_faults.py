"""Finds faults on a node that stop packets to an address: unreachable routes, policy rules that lead to them,
permanent neighbour entries, interfaces without forwarding, delays.

Sources: ip-route(8), ip-rule(8), ip-neighbour(8), tc(8), arp(7); Linux net/ipv4/arp.c
(arp_format_neigh_entry), Documentation/networking/ip-sysctl.rst (`conf/DEV/forwarding`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network

from unstuck.collect.node.children import read_lines
from unstuck.collect.node.packet_filter import is_own_network
from unstuck.collect.node.recorded_tree import TOP
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import Route, WayFault

_TABLE = 1 << 20
_SECONDS = 1.0
_PATH = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
_REFUSE = ("unreachable", "prohibit", "blackhole")
# Tables that every machine has.
_USUAL = ("local", "main", "default")
_PERMANENT = 0x4
_DELAYS = ("netem", "tbf")
# File names in a recorded tree, and the programs whose output they hold.
TOOLS = {
    "ip-route": ("ip", "-4", "route", "show", "table", "all"),
    "ip-rule": ("ip", "-4", "rule", "show"),
    "tc-qdisc": ("tc", "qdisc", "show"),
}


def find_faults(view: NodeView, pid: int, address: str, route: Route | None) -> tuple[WayFault, ...]:
    """Return them. pid: of a process in the node's own network. route: the way to the address by the main
    table.
    """
    routes, rules = _run(view, "ip-route"), _run(view, "ip-rule")
    to = IPv4Address(address) if address else None
    device = route.device if route else ""
    hop = route.gateway if route and route.gateway else address
    return (
        *(_list_refusing(routes, "main", to) if to else ()),
        *(_list_by_rules(rules, routes, to) if to else ()),
        *_list_fixed(view.root.text(f"/proc/{pid}/net/arp", _TABLE) or "", hop),
        *_list_unforwarding(view, device),
        *_list_delays(_run(view, "tc-qdisc"), device),
    )


def is_own(view: NodeView, address: str) -> bool | None:
    """Tell whether the address is one of the node's own; None if that cannot be seen."""
    routes = _run(view, "ip-route")
    local = [w[1] for line in routes if len(w := line.split()) > 1 and w[0] == "local"]
    return address in local if local else None


def _run(view: NodeView, name: str) -> tuple[str, ...]:
    """Return the lines of a program's output in the node's own network."""
    if not view.root.live:
        return tuple((view.root.text(f"{TOP}/{name}", _TABLE) or "").splitlines())
    if view.root.path != "/" or not is_own_network(view):
        return ()
    if name not in view.outputs:
        try:
            env = {"PATH": _PATH, "LC_ALL": "C"}
            lines = read_lines(list(TOOLS[name]), seconds=_SECONDS, cap=_TABLE, env=env)
            view.outputs[name] = tuple(line.decode("utf-8", "replace") for line in lines)
        except (OSError, TimeoutError):
            view.outputs[name] = ()
    return view.outputs[name]


def _list_refusing(routes: Sequence[str], table: str, to: IPv4Address) -> list[WayFault]:
    """Return the route of a table that holds the address, if it refuses."""
    best: tuple[int, int, str] | None = None
    for line in routes:
        words = line.split()
        of = words[words.index("table") + 1] if "table" in words[:-1] else "main"
        if not words or of != table:
            continue
        kind, where = (words[0], words[1:2]) if words[0] in _REFUSE else ("", words[:1])
        range_ = _range(where[0]) if where else None
        if range_ is None or to not in range_:
            continue
        metric = int(m) if "metric" in words[:-1] and (m := words[words.index("metric") + 1]).isdigit() else 0
        rank = (range_.prefixlen, -metric)
        if best is None or rank > best[:2]:
            best = (*rank, " ".join(words) if kind else "")
    return [WayFault("refusing-route", best[2])] if best and best[2] else []


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
        into = words[words.index("to") + 1] if "to" in words[:-1] else ""
        if into and ((range_ := _range(into)) is None or to not in range_):
            continue
        source = words[words.index("from") + 1] if "from" in words[:-1] else "all"
        source = "" if source == "all" else source
        if any(word in _REFUSE for word in words):
            yield WayFault("refusing-rule", " ".join(words), source=source)
        table = words[words.index("lookup") + 1] if "lookup" in words[:-1] else ""
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


def _list_unforwarding(view: NodeView, device: str) -> Iterator[WayFault]:
    """Yield the interface that does not forward, where the machine does."""
    at = "/proc/sys/net/ipv4"
    if not device or "/" in device or (view.root.live and not is_own_network(view)):
        return
    every = (view.root.text(f"{at}/ip_forward", 64) or "").strip()
    own = (view.root.text(f"{at}/conf/{device}/forwarding", 64) or "").strip()
    if every == "1" and own == "0":
        yield WayFault("no-forwarding", f"net.ipv4.conf.{device}.forwarding = 0", device)


def _list_delays(lines: Sequence[str], device: str) -> Iterator[WayFault]:
    """Yield the queueing discipline that delays or drops packets sent by the interface."""
    for line in lines:
        words = line.split()
        named = words[words.index("dev") + 1] if "dev" in words[:-1] else ""
        if len(words) > 2 and words[0] == "qdisc" and words[1] in _DELAYS and named == device:
            yield WayFault("delay", " ".join(words), device)
