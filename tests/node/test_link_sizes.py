"""The MTU of a node's uplink, the MTU of its interfaces to Pods, and the rules that hide the former from a
sender.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.test_recorded import node_at
from tests.node.tree import V2, Tree
from unstuck.collect.node import link_sizes as module
from unstuck.collect.node.link_sizes import link_sizes
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import LinkSizes

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
ROUTES = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0100DE0A\t0003\t0\t0\t0\t00000000\t0\t0\t0
"""
RULES = (
    "*filter",
    ":INPUT ACCEPT [0:0]",
    ":OUTPUT ACCEPT [0:0]",
    "-A INPUT -p icmp -m icmp --icmp-type 8 -j DROP",
    "-A INPUT -p tcp -j REJECT --reject-with icmp-port-unreachable",
    "-A OUTPUT -p icmp -m icmp --icmp-type 3/4 -j DROP",
    "COMMIT",
)


def _link(tree: Tree, name: str, mtu: int, index: int, other: int, kind: str = "") -> None:
    for file, text in {
        "mtu": str(mtu),
        "ifindex": str(index),
        "iflink": str(other),
        "uevent": f"{kind}INTERFACE={name}",
    }.items():
        tree.write(f"/sys/class/net/{name}/{file}", text + "\n")


def _look(tree: Tree, monkeypatch: pytest.MonkeyPatch, rules: tuple[str, ...] = RULES) -> LinkSizes | None:
    monkeypatch.setattr(module, "read_rules", lambda _view: rules)
    return link_sizes(NodeView(Root(str(tree.root)), NOW))


def test_sizes_and_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = node_at(tmp_path, V2)
    assert _look(tree, monkeypatch) is None, "no route is seen"
    for pid in (1, 600, 700):
        tree.write(f"/proc/{pid}/net/route", ROUTES)
    _link(tree, "eth0", 1280, 2, 4)
    _link(tree, "veth1", 1500, 3, 2)
    _link(tree, "eth0.7", 9000, 5, 2, "DEVTYPE=vlan\n")
    _link(tree, "lo", 65536, 1, 1)
    found = _look(tree, monkeypatch)
    assert found is not None
    assert (found.uplink, found.size, found.pods) == ("eth0", 1280, 1500)
    assert [(r.chain, r.target) for r in found.silent] == [("OUTPUT", "DROP")], (
        "a ping and a REJECT of TCP are something else"
    )
    bare = _look(tree, monkeypatch, ())
    assert bare is not None
    assert not bare.whole
