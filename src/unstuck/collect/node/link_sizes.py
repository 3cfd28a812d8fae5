"""Reads the MTU of a node's way to others and of its interfaces to Pods, and the rules that hide it from a
sender.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.node.packet_filter import has_unseen_rules, read_rules
from unstuck.collect.node.packet_rules import Tables, parse_tables
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import LinkSizes, PortRule
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

_TABLE = 1 << 20
_LINKS = "/sys/class/net"
_MOST_LINKS, _MOST_RULES = 2_000, 10
_DEFAULT = "00000000"
_ICMP = regex(r"-p icmp\b")
_TYPE = regex(r"--icmp-type (?:3(?:/4)?|any|destination-unreachable|fragmentation-needed)(?![\w/-])")
_SILENCES = regex(r"-j (DROP|REJECT)\b")


def link_sizes(view: NodeView) -> LinkSizes | None:
    """Return the sizes; None where no default route or no interface can be seen."""
    pid = view.kubelet.process.pid if view.kubelet.process else 1
    rows = [
        line.split() for line in (view.root.text(f"/proc/{pid}/net/route", _TABLE) or "").splitlines()[1:]
    ]
    uplink = next((words[0] for words in rows if len(words) > 7 and words[1] == words[7] == _DEFAULT), "")
    size = _number(view, uplink, "mtu") if uplink else 0
    if not size:
        return None
    names = [
        name
        for name in (view.root.names(_LINKS) or ())[:_MOST_LINKS]
        if name != uplink and _leads_to_pod(view, name)
    ]
    pods = max((_number(view, name, "mtu") for name in names), default=0)
    lines = read_rules(view)
    return LinkSizes(
        about=view.ref,
        src=Source(f"{view.name} {_LINKS}/{uplink}/mtu", f"{uplink} {size}, interfaces to Pods {pods}"),
        whole=view.sees_node and bool(lines) and not has_unseen_rules(view, lines),
        uplink=uplink,
        size=size,
        pods=pods,
        silent=tuple(_find_silencing(parse_tables(lines)))[:_MOST_RULES],
    )


def _number(view: NodeView, name: str, file: str) -> int:
    text = (view.root.brief(f"{_LINKS}/{name}/{file}") or "").strip()
    return int(text) if text.isascii() and text.isdigit() else 0


def _leads_to_pod(view: NodeView, name: str) -> bool:
    """Tell whether a link is one end of a veth pair whose other end is in another network; tunnels and VLANs
    have other types.
    """
    other = _number(view, name, "iflink")
    return other not in (0, _number(view, name, "ifindex")) and "DEVTYPE=" not in (
        view.root.brief(f"{_LINKS}/{name}/uevent") or ""
    )


def _find_silencing(tables: Tables) -> Iterator[PortRule]:
    """Yield the rules that drop such messages, regardless of their other matches; a rule for ICMP without a
    type covers all types.
    """
    for table in ("raw", "mangle", "filter"):
        for name, chain in tables.get(table, {}).items():
            for rule in chain.rules:
                target = _SILENCES.search(rule)
                if target and _ICMP.search(rule) and ("--icmp-type" not in rule or _TYPE.search(rule)):
                    yield PortRule(name, table, name, rule, target[1], False)
