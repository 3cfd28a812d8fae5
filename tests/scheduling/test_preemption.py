"""The reasons against preemption, and the Nodes where it would help."""

from __future__ import annotations

from tests.scheduling.case import read_case
from tests.scheduling.make import Obj, make_container, make_node, make_pod
from unstuck.scheduling.decide import decide
from unstuck.scheduling.preemption import MOST_TRIED, Preemption, preemption, whole_message


def tried(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = ()) -> tuple[Preemption | None, str]:
    cluster, one = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods)})
    decision = decide(one, cluster)
    return preemption(one, cluster, decision), whole_message(one, cluster, decision)


def test_why_no_pod_makes_room() -> None:
    """As the real scheduler says it of a Pod that is too large, beside others and a tainted Node."""
    busy = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=10)
    _, message = tried(
        make_pod(containers=[make_container(cpu="2")], priority=10),
        make_node("a"),
        make_node("b", taints=("k=:NoSchedule",)),
        pods=(busy,),
    )
    assert message == (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to "
        "deallocate, "
        "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )


def test_of_many_nodes_only_those_with_lesser_pods_need_a_try() -> None:
    same = [
        make_pod(f"s{i}", on=f"s{i}", containers=[make_container(cpu="3")], priority=10)
        for i in range(MOST_TRIED + 5)
    ]
    less = [
        make_pod(f"l{i}", on=f"l{i}", containers=[make_container(cpu="3")], priority=1)
        for i in range(MOST_TRIED + 5)
    ]
    nodes = [make_node(p["metadata"]["name"]) for p in (*same, *less)]
    found, message = tried(
        make_pod(containers=[make_container(cpu="2")], priority=10), *nodes, pods=(*same, *less)
    )
    assert found and (len(found.opens), found.untried, len(found.refused or {})) == (MOST_TRIED, 5, len(same))
    assert message == ""
    found, message = tried(
        make_pod(containers=[make_container(cpu="2")], priority=1), *nodes, pods=(*same, *less)
    )
    assert (
        found
        and found.untried == 0
        and message.endswith(f" {len(nodes)} No preemption victims found for incoming pod.")
    )


def test_a_pod_of_lower_priority_is_a_victim() -> None:
    busy = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=1)
    found, message = tried(
        make_pod(containers=[make_container(cpu="2")], priority=10), make_node("a"), pods=(busy,)
    )
    assert found and found.opens == ("a",) and message == ""


def test_not_even_without_the_lesser_ones() -> None:
    pods = (
        make_pod("low", on="a", containers=[make_container(cpu="1")], priority=1),
        make_pod("high", on="a", containers=[make_container(cpu="3")], priority=99),
    )
    found, message = tried(
        make_pod(containers=[make_container(cpu="2")], priority=10), make_node("a"), pods=pods
    )
    assert found and not found.opens
    assert message.endswith("preemption: 0/1 nodes are available: 1 Insufficient cpu.")


def test_more_than_the_node_offers_is_not_tried() -> None:
    busy = make_pod("q", on="a", containers=[make_container(cpu="1")], priority=1)
    found, _ = tried(
        make_pod(containers=[make_container(cpu="9")], priority=10), make_node("a"), pods=(busy,)
    )
    assert found and (found.unhelpful, found.opens, found.refused) == (1, (), {})


def test_a_neighbour_that_keeps_away_counts_no_more_when_it_is_gone() -> None:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    away = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    other = make_pod("q", on="a", labels={"app": "web"}, priority=1)
    found, _ = tried(
        make_pod(labels={"app": "web"}, affinity=away, priority=10), make_node("a"), pods=(other,)
    )
    assert found and found.opens == ("a",)


def test_a_pod_that_never_preempts() -> None:
    busy = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=1)
    wanted = make_pod(containers=[make_container(cpu="2")], priority=10, preemptionPolicy="Never")
    _, message = tried(wanted, make_node("a"), pods=(busy,))
    assert message.endswith(
        "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    )


def test_a_pod_waits_for_those_that_it_has_driven_out() -> None:
    def leaving(reason: str) -> Obj:
        status = {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]}
        found = make_pod("q", on="a", containers=[make_container(cpu="3")], priority=1, status=status)
        found["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
        return found

    wanted = make_pod(containers=[make_container(cpu="2")], priority=10, status={"nominatedNodeName": "a"})
    _, message = tried(wanted, make_node("a"), pods=(leaving("PreemptionByScheduler"),))
    assert message.endswith("preemption: not eligible due to a terminating pod on the nominated node.")
    found, _ = tried(wanted, make_node("a"), pods=(leaving("EvictionByEvictionAPI"),))
    assert found and found.opens == ("a",)


def test_a_refusal_before_any_node_ends_the_message() -> None:
    volume = [{"name": "d", "persistentVolumeClaim": {"claimName": "gone"}}]
    found, message = tried(make_pod(volumes=volume), make_node("a"))
    assert message == '0/1 nodes are available: persistentvolumeclaim "gone" not found. not found'
    assert found and found.unhelpful == 1


def test_a_pod_that_fits_and_one_that_is_not_known_to_be_refused() -> None:
    assert tried(make_pod(), make_node("a")) == (None, "")
    assert tried(make_pod(containers=[make_container(cpu="?")]), make_node("a")) == (None, "")
    assert tried(make_pod(schedulingGates=[{"name": "g"}]), make_node("a")) == (None, "")
