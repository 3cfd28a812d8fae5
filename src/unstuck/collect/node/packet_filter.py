"""The node's packet filter, from iptables-save: it loads no module, waits for no lock, and changes
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from shutil import which

from unstuck.collect.node.network_tools import PATH, read_output
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.firewall import FilterChain, PacketFilter, parse_target
from unstuck.facts.core import Source

_MOST = 500
_FORWARD = "FORWARD"


def packet_filter(view: NodeView) -> PacketFilter | None:
    """Return the rules for packets that the node forwards; None if the node's own filter cannot be asked
    from here.
    """
    lines = list(read_rules(view))
    chains, ended = parse(lines, _FORWARD, _MOST)
    if not chains or not ended:
        return None
    return PacketFilter(
        about=view.ref,
        src=Source(f"{view.name} iptables-save", f"-P {chains[0].name} {chains[0].policy}"),
        whole=not has_unseen_rules(view, lines),
        chains=chains,
    )


def parse(lines: Iterable[str], begins: str, most: int) -> tuple[tuple[FilterChain, ...], bool]:
    """Return the chains of `filter` reachable from one chain, and whether all of it was read: to its end, and
    within `most` rules.
    """
    policies: dict[str, str] = {}
    rules: dict[str, list[str]] = {}
    inside = ended = False
    for line in lines:
        if line.startswith("*"):
            inside = line.strip() == "*filter"
        elif inside and line.startswith(":"):
            name, policy, *_ = (*line[1:].split(), "", "")
            policies[name] = "" if policy == "-" else policy
        elif inside and line.startswith("-A "):
            name, _, rule = line[3:].strip().partition(" ")
            rules.setdefault(name, []).append(rule)
        elif inside and line.strip() == "COMMIT":
            inside, ended = False, True
    reached, todo = [begins], [begins]
    while todo:
        jumps = (parse_target(rule) for rule in rules.get(todo.pop(), ()))
        new = [name for name in dict.fromkeys(jumps) if name in policies and name not in reached]
        reached += new
        todo += new
    told = sum(len(rules.get(name, ())) for name in reached)
    chains = tuple(
        FilterChain(n, policies[n], tuple(rules.get(n, ()))[:most]) for n in reached if n in policies
    )
    return chains, ended and told <= most


def has_unseen_rules(view: NodeView, lines: Sequence[str]) -> bool:
    """Tell whether there are also rules of the kernel's legacy interface, which the nft tool does not show.
    Both apply.
    """
    if not view.root.live:
        return any(line.startswith("# Warning:") for line in lines)
    tool = os.path.realpath(which("iptables-save", path=PATH) or "")
    return "nft" in tool and "filter" in (view.root.text("/proc/net/ip_tables_names", 4096) or "").split()


def read_rules(view: NodeView) -> tuple[str, ...]:
    """Return the output of iptables-save for the node's own network; nothing if it cannot be run here."""
    return read_output(view, "iptables")
