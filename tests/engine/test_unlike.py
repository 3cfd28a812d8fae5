"""Nodes of one kind are compared: what differs and may matter is told beside an answer that no node proves."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, State
from unstuck.diagnosis.text import same_in_both
from unstuck.diagnosis.verdict import Confidence, Evidence, Finding
from unstuck.engine.unlike import list_peers, rank_differences, tell_unlike
from unstuck.facts.aspects.cluster import NodeInfo, NodeNames
from unstuck.facts.aspects.node_settings import NodeSetting, NodeSettings
from unstuck.facts.aspects.objects import Events, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref, Source, Want
from unstuck.facts.derive.unlike_nodes import list_differences
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
POD = Ref("Pod", "f", "web-7c9f8d5b6-x2x4q", "u")
ONE, TWO = Ref("Node", None, "east"), Ref("Node", None, "west")
ADDRESSES = {"east": "10.1.0.4", "west": "10.1.0.5"}
TTL = "net.ipv4.ip_default_ttl"


def settings(node: Ref, *items: NodeSetting) -> NodeSettings:
    own = NodeSetting("address", "", "eth0", "", ADDRESSES[node.name or ""])
    areas = tuple(dict.fromkeys(("address", "filter", "sysctl", *(i.area for i in items))))
    return NodeSettings(about=node, src=Source(f"{node.name} /proc/sys"), items=(own, *items), areas=areas)


def sysctl(name: str, value: str) -> NodeSetting:
    return NodeSetting("sysctl", name, value, f"/proc/sys/{name}")


def rule(text: str) -> NodeSetting:
    return NodeSetting("filter", "", "", "iptables-save", text)


def notes(quote: str, *facts: Fact, confidence: Confidence = "likely") -> list[str]:
    seen = Presence(about=POD, src=Source("api", quote), exists=True)
    placed = Placement(about=POD, src=Source("api"), node=ONE)
    cause = CauseMatch(
        "a.b",
        same_in_both("b"),
        confidence,
        Finding(same_in_both("it"), POD, (POD,)),
        (Evidence("supporting", seen),),
    )
    d = Diagnosis(POD, State("stuck", same_in_both("stuck")), (), (cause,), (), ())
    told = tell_unlike(d, Snapshot((seen, placed, *facts), NOW, ("node:east",)))
    return [n.en for n in told.causes[0].finding.notes]


def test_a_value_that_another_node_has_otherwise_is_told_with_both() -> None:
    here, there = settings(ONE, sysctl(TTL, "1")), settings(TWO, sysctl(TTL, "64"))
    assert notes("dial tcp 192.0.2.1:99: i/o timeout", here, there) == [
        f"unlike Node west: {TTL} is 1 on Node east, and 64 on west"
    ]


def test_a_rule_that_only_the_other_node_has_is_told() -> None:
    masquerade = rule("-t nat -A POSTROUTING -s 10.9.0.0/16 -j MASQUERADE")
    (note,) = notes("dial tcp 192.0.2.1:99: i/o timeout", settings(ONE), settings(TWO, masquerade))
    assert "east lacks" in note and "MASQUERADE" in note


def test_what_has_nothing_to_do_with_the_error_is_not_told() -> None:
    here, there = settings(ONE, sysctl("vm.swappiness", "1")), settings(TWO, sysctl("vm.swappiness", "60"))
    assert notes("dial tcp 192.0.2.1:99: i/o timeout", here, there) == []


def test_settings_that_follow_from_own_addresses_and_size_are_alike() -> None:
    one = settings(ONE, rule("-t nat -A X -d 10.1.0.4/32 -j ACCEPT"), sysctl("fs.file-max", "1"))
    two = settings(TWO, rule("-t nat -A X -d 10.1.0.5/32 -j ACCEPT"), sysctl("fs.file-max", "2"))
    assert [d.area for d in list_differences(one, two) if d.area != "address"] == []


def test_an_area_that_was_not_read_shows_no_lack() -> None:
    here = NodeSettings(about=ONE, src=Source("east"), items=(), areas=("sysctl",))
    assert list_differences(here, settings(TWO, rule("-t filter -A INPUT -j DROP"))) == ()


def test_a_difference_that_names_the_port_comes_first() -> None:
    found = list_differences(
        settings(ONE, sysctl(TTL, "1"), rule("-t filter -A FORWARD -p tcp --dport 99 -j DROP")),
        settings(TWO, sysctl(TTL, "64")),
    )
    first, second = rank_differences(found, "dial tcp 192.0.2.1:99: i/o timeout")
    assert "--dport 99" in first.name and second.name == TTL


def test_a_node_is_compared_with_a_ready_one_of_its_kind() -> None:
    info = [
        NodeInfo(about=Ref("Node", None, name), src=Source("api"), kernel=kernel)
        for name, kernel in (("east", "6.1"), ("north", "5.4"), ("west", "6.1"))
    ]
    refs = tuple(f.about for f in info)
    names = NodeNames(about=Ref("Cluster"), src=Source("api"), refs=refs, whole=True)
    placed = Placement(about=POD, src=Source("api"), node=ONE)
    snap = Snapshot((placed, settings(ONE), names, *info), NOW)
    assert list_peers([POD], snap) == (Want(NodeSettings, TWO),)
    assert list_peers([POD], Snapshot((placed, settings(ONE)), NOW)) == (Want(NodeNames, Ref("Cluster")),)
    assert list_peers([POD], snap.plus((settings(TWO),))) == ()
    assert list_peers([POD], Snapshot((placed,), NOW)) == ()


def test_without_a_cause_the_first_difference_stands_behind_the_state() -> None:
    placed = Placement(about=POD, src=Source("api"), node=ONE)
    here, there = settings(ONE, sysctl(TTL, "1")), settings(TWO, sysctl(TTL, "64"))
    said = Events(about=POD, src=Source("api", "dial tcp 192.0.2.1:99: i/o timeout"), items=())
    state = State("stuck", same_in_both("Pod f/web"), evidence=(said,))
    d = Diagnosis(POD, state, (), (), (), (), node=ONE)
    told = tell_unlike(d, Snapshot((placed, said, here, there), NOW, ("node:east",)))
    assert told.state.headline.en == f"Pod f/web; unlike Node west: {TTL} is 1 on Node east, and 64 on west"
