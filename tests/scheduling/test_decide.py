"""The scheduler's decision from the filters' results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.scheduling.case import read_case
from tests.scheduling.make import decide_on, list_reasons, make_container, make_node, make_pod
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref, Source
from unstuck.scheduling.cluster import ClusterView, NodeState, PlacedPods, Pod
from unstuck.scheduling.decide import decide, decide_and_explain, decide_pending, explain
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state


def test_a_pod_that_names_its_node_fits_there_alone() -> None:
    found = decide_on(make_pod(nodeName="x"), make_node("a"), make_node("b"), make_node("c"))
    assert found.message == "0/3 nodes are available: 3 node(s) didn't match the requested node name."


def test_no_nodes() -> None:
    assert decide_on(make_pod()).message == "no nodes available to schedule pods"


def test_nothing_is_said_of_a_pod_that_fits() -> None:
    found = decide_on(make_pod(), make_node("a"), make_node("b", cordoned=True))
    assert (found.fits, found.message) == (("a",), "")


def test_reasons_are_counted_and_sorted_as_text() -> None:
    full = [make_node(f"full-{i}", cpu="100m") for i in range(10)]
    tainted = [make_node(f"tainted-{i}", taints=("k=v:NoSchedule",)) for i in range(2)]
    found = decide_on(
        make_pod(containers=[make_container(cpu="1")]), *full, *tainted, make_node("off", cordoned=True)
    )
    assert found.message == (
        "0/13 nodes are available: 1 node(s) were unschedulable, 10 Insufficient cpu, 2 node(s) had "
        "untolerated taint(s)."
    )


def test_the_first_refusal_of_a_node_is_reported_and_every_one_explained() -> None:
    case = {
        "pod": make_pod(containers=[make_container(cpu="9")]),
        "nodes": [make_node("a", cordoned=True, taints=("k=:NoSchedule",))],
    }
    cluster, wanted = read_case(case)
    assert list_reasons(decide(wanted, cluster), "a") == ["node(s) were unschedulable"]
    assert [r.plugin for r in explain(wanted, cluster).nodes["a"]] == [
        "NodeUnschedulable",
        "TaintToleration",
        "NodeResourcesFit",
    ]


def test_what_every_filter_says_gives_the_same_decision_and_asks_each_once() -> None:
    asked = []

    def counting(one: Pod, _: ClusterView) -> PreparedFilter[str]:
        asked.append(one.name)
        return bind_state(one.name)

    def refuses(_state: str, node: NodeState) -> tuple[Reason, ...]:
        return {"a": (Reason("Odd", "x", "unknown"),), "b": (Reason("Odd", "y"),)}.get(node.name, ())

    filters = (Filter("Odd", counting, refuses), Filter("Even", counting, refuses))
    waiting = make_pod("n", status={"nominatedNodeName": "b"}, priority=9)
    cluster, one = read_case(
        {"pod": make_pod(), "nodes": [make_node("a"), make_node("b"), make_node("c")], "pods": [waiting]}
    )
    decision, told = decide_and_explain(one, cluster, filters)
    assert asked == ["p", "p"]
    assert decision == decide(one, cluster, filters) and told == explain(one, cluster, filters)
    assert (decision.fits, [len(told.nodes[n]) for n in "ab"]) == (("c",), [2, 2])
    assert [len((decision.undecided or decision.refused)[n]) for n in "a"] == [2] and len(
        decision.refused["b"]
    ) == 1


def test_pods_of_a_shape_stand_where_the_nodes_say_also_where_some_are_changed() -> None:
    web = [make_pod(f"w{i}", on=on) for i, on in enumerate("aab")]
    cluster, _ = read_case({"pod": make_pod(), "nodes": [make_node("a"), make_node("b")], "pods": web})
    shape = cluster.nodes["a"].placed[0].shape

    def standing(of: ClusterView) -> dict[str, int]:
        return {on.name: count for on, count in of.nodes_with_shape(shape)}

    assert standing(cluster) == {"a": 2, "b": 1}
    emptied = cluster.changed(
        {
            "a": NodeState.of(cluster.nodes["a"].spec),
            "c": NodeState.of(replace(cluster.nodes["b"].spec, name="c"), (PlacedPods(shape, 5),)),
        }
    )
    assert standing(emptied) == {"b": 1, "c": 5}
    again = emptied.changed({"a": cluster.nodes["a"]})
    assert standing(again) == {"a": 2, "b": 1, "c": 5}


def _by_name(*names: str) -> dict[str, object]:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": list(names)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def test_of_nodes_outside_the_named_ones_the_plugin_is_told() -> None:
    """As every DaemonSet's Pod has it."""
    found = decide_on(
        make_pod(affinity=_by_name("a")), make_node("a", cordoned=True), make_node("b"), make_node("c")
    )
    assert found.message == (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) "
        "[NodeAffinity]."
    )


def test_a_named_node_that_is_not_there() -> None:
    found = decide_on(make_pod(affinity=_by_name("gone")), make_node("a"))
    assert found.message == "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."


def test_names_that_exclude_each_other_are_refused_at_once() -> None:
    field = [{"key": "metadata.name", "operator": "In", "values": [n]} for n in ("a", "b")]
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": field}]}
        }
    }
    found = decide_on(make_pod(affinity=affinity), make_node("a"), make_node("b"))
    assert found.message == "0/2 nodes are available: pod affinity terms conflict."


def test_room_that_a_nominated_pod_waits_for_is_taken() -> None:
    def nominated(priority: int) -> dict[str, object]:
        return make_pod(
            "n", containers=[make_container(cpu="3")], priority=priority, status={"nominatedNodeName": "a"}
        )

    wanted = make_pod(containers=[make_container(cpu="2")], priority=5)
    assert (
        decide_on(wanted, make_node("a"), pods=(nominated(5),)).message
        == "0/1 nodes are available: 1 Insufficient cpu."
    )
    assert decide_on(wanted, make_node("a"), pods=(nominated(4),)).fits == ("a",)


@pytest.mark.parametrize("other", [{"schedulerName": "another"}, {"schedulingGates": [{"name": "later"}]}])
def test_a_nominated_pod_that_is_not_in_the_same_queue_takes_nothing(other: dict[str, Any]) -> None:
    waiting = make_pod("n", containers=[make_container(cpu="3")], status={"nominatedNodeName": "a"}, **other)
    assert decide_on(
        make_pod(containers=[make_container(cpu="2")]), make_node("a"), pods=(waiting,)
    ).fits == ("a",)


def test_a_gated_pod_is_not_tried() -> None:
    found = decide_on(make_pod(schedulingGates=[{"name": "a"}, {"name": "b"}]), make_node("n", cordoned=True))
    assert found.held and found.held.message == "waiting for scheduling gates: [a b]"
    assert found.message == "" and not found.fits and not found.refused


def test_the_node_that_a_pod_is_nominated_for_is_tried_first() -> None:
    found = decide_on(make_pod(status={"nominatedNodeName": "b"}), make_node("a"), make_node("b"))
    assert found.fits == ("b",)
    assert decide_on(
        make_pod(status={"nominatedNodeName": "b"}), make_node("a"), make_node("b", cordoned=True)
    ).fits == ("a",)


def test_without_a_list_of_nodes_nothing_is_decided() -> None:
    cluster, wanted = read_case({"pod": make_pod(), "nodes": [make_node("a")]})
    inputs = PlacingInputs(
        about=Ref("Cluster"), src=Source("x"), nodes=cluster.inputs.nodes, unlisted=("Node",)
    )
    found = decide(wanted, ClusterView.of(inputs))
    assert found.message == "" and not found.fits and found.rejected and found.rejected.outcome == "unknown"


def test_without_a_list_of_pods_no_node_is_known_to_fit() -> None:
    cluster, wanted = read_case(
        {
            "pod": make_pod(containers=[make_container(cpu="1")]),
            "nodes": [make_node("a"), make_node("b", cpu="500m")],
        }
    )
    inputs = PlacingInputs(
        about=Ref("Cluster"), src=Source("x"), nodes=cluster.inputs.nodes, unlisted=("Pod",)
    )
    found = decide(wanted, ClusterView.of(inputs))
    assert not found.fits and found.message == ""
    assert list_reasons(found, "a") == ["not every Pod is known"]
    assert list_reasons(found, "b")[0] == "Insufficient cpu"


def test_every_pod_that_waits_is_decided_and_alike_ones_once() -> None:
    asked = []

    def counting(one: Pod, _: ClusterView) -> PreparedFilter[str]:
        asked.append(one.name)
        return bind_state(one.wanted_node)

    def passes(_state: str, _node: NodeState) -> tuple[Reason, ...]:
        return ()

    waiting = [make_pod(f"p{i}", priority=i % 2) for i in range(6)] + [
        make_pod("n", status={"nominatedNodeName": "a"})
    ]
    cluster, _ = read_case({"pod": make_pod(), "nodes": [make_node("a")], "pods": waiting})
    found = list(decide_pending(cluster, (Filter("Counting", counting, passes),)))
    assert [p.name for p, _ in found] == ["p0", "p1", "p2", "p3", "p4", "p5", "n"] and all(
        d.fits == ("a",) for _, d in found
    )
    assert asked == ["p0", "p1", "n"]
