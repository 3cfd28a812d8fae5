"""Obstacles to packets are read from the node's own tables, for the address in question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import Tree
from unstuck.collect.node.packet_way import packet_way
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import WayFault
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
ROUTES = (
    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    "ens3\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    "ens3\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
)
ARP = (
    "IP address       HW type     Flags       HW address            Mask     Device\n"
    "192.168.2.1      0x1         0x2         52:54:00:00:00:01     *        ens3\n"
    "192.168.2.40     0x1         0x6         52:54:00:00:00:99     *        ens3\n"
)


def look(tmp_path: Path, address: str, **files: str) -> tuple[WayFault, ...]:
    tree = Tree(tmp_path)
    tree.write("/proc/1/net/route", ROUTES)
    tree.write("/proc/1/net/arp", ARP)
    for name, text in files.items():
        tree.write(f"/.unstuck/{name.replace('_', '-')}", text)
    found = packet_way(NodeView(Root(str(tmp_path)), NOW, "n"), Ref("Route", "n", f"{address}:443"))
    assert found is not None
    return found.faults


def test_a_route_that_refuses_is_the_narrowest_of_its_table(tmp_path: Path) -> None:
    routes = "default via 192.168.2.1 dev ens3\nunreachable 10.8.0.0/16 metric 50\n10.8.4.0/24 dev tun0\n"
    assert look(tmp_path, "10.8.9.1", ip_route=routes) == (
        WayFault("refusing-route", "unreachable 10.8.0.0/16 metric 50"),
    )
    assert look(tmp_path, "10.8.4.9", ip_route=routes) == ()
    assert look(tmp_path, "203.0.113.9", ip_route=routes) == ()


def test_a_rule_counts_where_its_table_refuses_the_address(tmp_path: Path) -> None:
    rules = (
        "0:\tfrom all lookup local\n900:\tfrom 10.1.0.0/16 lookup 77\n"
        "910:\tfrom all to 203.0.113.0/24 unreachable\n32766:\tfrom all lookup main\n"
    )
    routes = "default via 192.168.2.1 dev ens3\nblackhole default table 77\nunreachable default table local\n"
    first, second = look(tmp_path, "203.0.113.9", ip_rule=rules, ip_route=routes)
    assert (first.kind, first.source) == ("refusing-rule", "10.1.0.0/16")
    assert "lookup 77" in first.detail and "blackhole" in first.detail
    assert (second.source, second.detail) == ("", "from all to 203.0.113.0/24 unreachable")


def test_a_permanent_neighbour_counts_where_it_is_the_next_hop(tmp_path: Path) -> None:
    (fault,) = look(tmp_path, "192.168.2.40")
    assert fault == WayFault("fixed-neighbour", "192.168.2.40 lladdr 52:54:00:00:00:99", "ens3")
    assert look(tmp_path, "192.168.2.1") == () == look(tmp_path, "203.0.113.9")


@pytest.mark.parametrize(("every", "own", "found"), [("1", "0", 1), ("0", "0", 0), ("1", "1", 0)])
def test_an_interface_that_does_not_forward_counts_alone(
    tmp_path: Path, every: str, own: str, found: int
) -> None:
    tree = Tree(tmp_path)
    tree.write("/proc/sys/net/ipv4/ip_forward", f"{every}\n")
    tree.write("/proc/sys/net/ipv4/conf/ens3/forwarding", f"{own}\n")
    assert [f.kind for f in look(tmp_path, "203.0.113.9")] == ["no-forwarding"] * found


def test_a_delay_counts_on_the_interface_of_the_route(tmp_path: Path) -> None:
    lines = (
        "qdisc noqueue 0: dev lo root refcnt 2\n"
        "qdisc netem 8001: dev ens3 root refcnt 2 limit 1000 delay 3s\n"
        "qdisc netem 8002: dev tun0 root refcnt 2 limit 1000 delay 3s\n"
    )
    (fault,) = look(tmp_path, "203.0.113.9", tc_qdisc=lines)
    assert fault.device == "ens3" and "delay 3s" in fault.detail
