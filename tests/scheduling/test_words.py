"""Rejections and preemption in plain language."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.case import read_case
from tests.scheduling.make import Obj, make_container, make_node, make_pod
from tests.scheduling.volumes import make_claim, make_volume, use_claims
from unstuck.scheduling.analysis import PlacementAnalysis
from unstuck.scheduling.decide import decide_and_explain
from unstuck.scheduling.preemption import preemption
from unstuck.scheduling.words import preemption_text, refusal_text


def found(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = (), **more: Any) -> PlacementAnalysis:
    cluster, one = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods), **more})
    return PlacementAnalysis(one, cluster, *decide_and_explain(one, cluster))


def told(at: PlacementAnalysis) -> list[tuple[str, tuple[str, ...]]]:
    """Return each set of reasons in words, with its Nodes."""
    rows = [(tuple(refusal_text(r, at, names).en for r in rs), names) for rs, names in at.groups.items()]
    return [("; ".join(words), names) for words, names in rows]


@pytest.mark.parametrize(
    ("wanted", "offered", "words"),
    [
        (
            make_pod(containers=[make_container(cpu="3")]),
            make_node("a"),
            "2 CPU free, the Pod asks for 3 CPU",
        ),
        (
            make_pod(containers=[make_container(cpu="9")]),
            make_node("a"),
            "offers 4 CPU in all, the Pod asks for 9 CPU",
        ),
        (make_pod(containers=[make_container(**{"x.io/gpu": "1"})]), make_node("a"), "offers no x.io/gpu"),
        (make_pod(), make_node("a", pods="1"), "has reached its Pod limit"),
        (
            make_pod(containers=[make_container(cpu="9")]),
            {"metadata": {"name": "a"}},
            "has no status yet, so offers nothing",
        ),
        (make_pod(), make_node("a", cordoned=True), "cordoned"),
        (make_pod(), make_node("a", taints=("k=v:NoSchedule",)), "taint k=v:NoSchedule is not tolerated"),
        (
            make_pod(),
            make_node("a", taints=("node.kubernetes.io/not-ready=:NoExecute",)),
            "not ready (node.kubernetes.io/not-ready:NoExecute)",
        ),
        (make_pod(nodeSelector={"disk": "ssd"}), make_node("a"), "lacks label disk=ssd of the nodeSelector"),
    ],
)
def test_what_one_node_lacks(wanted: Obj, offered: Obj, words: str) -> None:
    at = found(wanted, offered, pods=(make_pod("q", on="a", containers=[make_container(cpu="2")]),))
    ((text, names),) = told(at)
    assert (text, names) == (words, ("a",))


def test_of_several_nodes_the_one_with_most_left_is_named() -> None:
    at = found(
        make_pod(containers=[make_container(cpu="3")]), make_node("a", cpu="2"), make_node("b", cpu="2500m")
    )
    assert told(at) == [("offers 2.5 CPU in all, the Pod asks for 3 CPU", ("a", "b"))]
    busy = (
        make_pod("q", on="a", containers=[make_container(cpu="3")]),
        make_pod("r", on="b", containers=[make_container(cpu="2")]),
    )
    at = found(make_pod(containers=[make_container(cpu="3")]), make_node("a"), make_node("b"), pods=busy)
    assert told(at) == [("2 CPU free (at most, on b), the Pod asks for 3 CPU", ("a", "b"))]


def test_room_that_is_kept_for_a_nominated_pod_is_not_called_free() -> None:
    other = make_pod(
        "first", containers=[make_container(cpu="3")], priority=5, status={"nominatedNodeName": "a"}
    )
    at = found(make_pod(containers=[make_container(cpu="2")]), make_node("a"), pods=(other,))
    assert told(at) == [
        (
            "1 CPU free, without what is kept for default/first, nominated there, the Pod asks for 2 CPU",
            ("a",),
        )
    ]


def test_a_volume_in_use_and_one_that_is_gone() -> None:
    alone = make_claim(to="pv", accessModes=["ReadWriteOncePod"])
    at = found(
        make_pod(volumes=use_claims("data")),
        make_node("a"),
        pods=(make_pod("q", on="a", volumes=use_claims("data")),),
        pvcs=[alone],
        pvs=[make_volume("pv")],
    )
    assert told(at) == [("a volume is in use by another Pod", ("a",))] and list(at.blamed) == [
        "volume-in-use"
    ]
    at = found(make_pod(volumes=use_claims("data")), make_node("a"), pvcs=[make_claim(to="pv")])
    (gone,) = at.everywhere
    assert gone.kind == "storage.volume-missing" and "does not exist" in refusal_text(gone, at, ["a"]).en


def preempted(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = ()) -> str:
    at = found(wanted, *nodes, pods=pods)
    room = preemption(at.pod, at.cluster, at.decision)
    assert room
    text = preemption_text(room, at)
    assert text.zh != text.en
    return text.en


def test_whether_removing_pods_would_help() -> None:
    low = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=1)
    wants: dict[str, Any] = {"containers": [make_container(cpu="2")], "priority": 10}
    assert preempted(make_pod(**wants), make_node("a"), pods=(low,)).startswith("helps on 1 of 1 Nodes (a)")
    assert (
        preempted(make_pod(**wants, preemptionPolicy="Never"), make_node("a"), pods=(low,))
        == "is ruled out by preemptionPolicy: Never"
    )
    same = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=10)
    assert preempted(make_pod(**wants), make_node("a"), make_node("b", cordoned=True), pods=(same,)) == (
        "does not help: on 1 of 2 nodes other Pods are not the reason; on 1 of 2 nodes no Pod has a lower "
        "priority"
    )


def test_for_which_node_the_pod_is_nominated_and_who_is_leaving_it() -> None:
    driven = {
        "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]
    }
    leaving = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=1, status=driven)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    wants = make_pod(containers=[make_container(cpu="2")], priority=10, status={"nominatedNodeName": "a"})
    assert (
        preempted(wants, make_node("a"), pods=(leaving,))
        == "is under way; it is nominated for a, where 1 Pods are being deleted"
    )
    gone = make_pod(containers=[make_container(cpu="9")], priority=10, status={"nominatedNodeName": "b"})
    assert preempted(gone, make_node("a")).endswith("; it is nominated for b, which does not exist")
