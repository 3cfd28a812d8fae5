"""A node's handling of packets: the applicable route, and the packet filter rules for a new connection."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.test_recorded import node_at
from tests.node.tree import V2
from unstuck.collect.node.packet_rules import find_rules, parse_tables
from unstuck.collect.node.packet_way import packet_way
from unstuck.collect.node.recorded_tree import TOP
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.packet_way import PacketWay
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
NONE = ".".join("0000")
HEADER = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


def save(table: str, *rules: str, policies: str = "") -> list[str]:
    chains = dict.fromkeys(r.split()[1] for r in rules)
    policy = dict(p.split("=") for p in policies.split())
    names = dict.fromkeys([*policy, *chains])
    return [
        f"*{table}",
        *(f":{c} {policy.get(c, 'ACCEPT' if c.isupper() and '-' not in c else '-')} [0:0]" for c in names),
        *rules,
        "COMMIT",
    ]


def found(
    lines: list[str], address: str = "10.1.0.7", port: int = 8086
) -> list[tuple[str, str, str, str, bool]]:
    return [
        (r.hook, r.table, r.chain, r.target, r.sure) for r in find_rules(parse_tables(lines), address, port)
    ]


@pytest.mark.parametrize(
    ("rules", "met"),
    [
        (
            ['-A OUTPUT -p tcp -m tcp --dport 8086 -m comment --comment "no influx from hosts" -j DROP'],
            [("OUTPUT", "DROP", True)],
        ),
        (["-A OUTPUT -p tcp -m tcp --dport 8087 -j DROP"], []),
        (["-A OUTPUT -p udp -m udp --dport 8086 -j DROP"], []),
        (
            ["-A OUTPUT -p tcp -m multiport --dports 80,8000:8100 -j REJECT --reject-with tcp-reset"],
            [("OUTPUT", "REJECT", True)],
        ),
        (["-A OUTPUT -d 10.1.0.0/16 -j DROP"], [("OUTPUT", "DROP", True)]),
        (["-A OUTPUT ! -d 10.1.0.0/16 -j DROP"], []),
        (["-A OUTPUT -p tcp -m tcp ! --dport 8086 -j DROP"], []),
        (["-A INPUT -s 10.222.0.1/32 -p tcp -m tcp --dport 8086 -j DROP"], [("INPUT", "DROP", False)]),
        (["-A INPUT -s 10.222.0.1/32 -j DROP"], []),
        (["-A INPUT -m set --match-set banned src -p tcp -m tcp --dport 8086 -j DROP"], []),
        (
            ["-A INPUT -p tcp -m tcp --dport 8086 -j ACCEPT", "-A INPUT -p tcp -m tcp --dport 8086 -j DROP"],
            [],
        ),
        (
            ["-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT", "-A INPUT -j DROP"],
            [("INPUT", "DROP", True)],
        ),
        (
            ["-A INPUT -s 10.0.0.0/8 -j ACCEPT", "-A INPUT -p tcp -m tcp --dport 8086 -j DROP"],
            [("INPUT", "DROP", False)],
        ),
        (
            ["-A INPUT -j guard-in", "-A guard-in -p tcp -m tcp --dport 8086 -j DROP"],
            [("guard-in", "DROP", True)],
        ),
        (["-A INPUT -j KUBE-FIREWALL", "-A KUBE-FIREWALL -p tcp -m tcp --dport 8086 -j DROP"], []),
        (["-A INPUT -p tcp -m comment --comment 'unclosed --dport 8086 -j DROP"], []),
    ],
)
def test_a_rule_is_met_by_value(rules: list[str], met: list[tuple[str, str, bool]]) -> None:
    assert [(chain, target, sure) for _, _, chain, target, sure in found(save("filter", *rules))] == met


def test_a_policy_drops_what_no_rule_accepts() -> None:
    rules = ("-A INPUT -i lo -j ACCEPT", "-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT")
    lines = save("filter", *rules, policies="INPUT=DROP FORWARD=ACCEPT")
    assert found(lines) == [], "it may have come by lo"
    lines = save("filter", rules[1], policies="INPUT=DROP FORWARD=ACCEPT")
    assert found(lines) == [("INPUT", "filter", "INPUT", "DROP", True)]
    assert found(lines, port=22) == []


def test_a_connection_is_turned_elsewhere() -> None:
    rule = (
        '-A PREROUTING -p tcp -m tcp --dport 5432 -m comment --comment "transparent pgbouncer" -j DNAT '
        "--to-destination 10.222.0.12:6432"
    )
    published = "-A DOCKER ! -i docker0 -p tcp -m tcp --dport 5432 -j DNAT --to-destination 172.17.0.2:5432"
    lines = save(
        "nat",
        rule,
        "-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER",
        published,
        "-A PREROUTING -j KUBE-SERVICES",
    )
    (one,) = find_rules(parse_tables(lines), "10.96.128.222", 5432)
    assert (one.hook, one.target, one.sure) == ("PREROUTING", "DNAT", True)
    assert "10.222.0.12:6432" in one.rule and "transparent pgbouncer" in one.rule
    assert find_rules(parse_tables(lines[:-1]), "10.96.128.222", 5432) == (), "cut off before its end"


def _row(device: str, to: str, gateway: str, mask: str, flags: str = "0001", metric: int = 0) -> str:
    def word(address: str) -> str:
        return bytes(reversed([int(n) for n in address.split(".")])).hex().upper()

    return f"{device}\t{word(to)}\t{word(gateway)}\t{flags}\t0\t0\t{metric}\t{word(mask)}\t0\t0\t0\n"


def test_the_narrowest_route_holds_and_who_answers_on_its_link(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V2)
    routes = (
        HEADER
        + _row("eth0", NONE, "10.222.0.1", NONE, "0003")
        + _row("docker0", "172.17.0.0", NONE, "255.255.0.0")
    )
    tree.write(
        "/proc/700/net/route",
        routes + _row("eth0", "172.17.9.0", "10.222.0.1", "255.255.255.0", "0203") + "damaged\n",
    )
    arp = "IP address       HW type     Flags       HW address            Mask     Device\n"
    tree.write(
        "/proc/700/net/arp",
        arp + "172.17.8.20      0x1         0x0         00:00:00:00:00:00     *        docker0\n",
    )
    tree.write("/sys/class/net/docker0/brif/veth1", "")
    tree.write(f"{TOP}/iptables", "\n".join(save("filter", "-A OUTPUT -d 172.17.8.20/32 -j DROP")) + "\n")

    def look(name: str) -> PacketWay | None:
        return packet_way(NodeView(Root(str(tree.root)), NOW), Ref("Route", "node-1", name))

    way = look("172.17.8.20:1521")
    assert way is not None and way.route is not None and way.rules is not None
    assert (way.route.to, way.route.device, way.route.gateway, way.route.ports) == (
        "172.17.0.0/16",
        "docker0",
        "",
        1,
    )
    assert [(r.to, r.gateway, r.ports) for r in way.wider] == [("0.0.0.0/0", "10.222.0.1", None)]
    assert (way.unanswered, [r.target for r in way.rules]) == (True, ["DROP"])
    rejected = look("172.17.9.4:80")
    assert rejected is not None and rejected.route is not None and rejected.route.device == "docker0", (
        "a route that refuses leads nowhere"
    )
    named = look(":1521")
    assert named is not None and (named.route, named.address) == (None, "")
    assert look("db.example.com:1521") is None and look("nonsense") is None
