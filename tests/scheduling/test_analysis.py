"""The blame for a waiting Pod, and the agreement with the scheduler's message."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.case import read_case
from tests.scheduling.make import Obj, make_container, make_node, make_pod
from tests.scheduling.volumes import make_claim, use_claims
from unstuck.collect.objects.placing import read_placing
from unstuck.facts.core import Source
from unstuck.scheduling.analysis import PlacementAnalysis, cluster_of, find_analysis, unknown_of
from unstuck.scheduling.decide import decide_and_explain


def of(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = (), **more: Any) -> PlacementAnalysis:
    cluster, one = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods), **more})
    return PlacementAnalysis(one, cluster, *decide_and_explain(one, cluster))


def test_a_node_that_the_pod_does_not_want_is_not_to_blame_while_there_is_one_that_it_wants() -> None:
    at = of(
        make_pod(nodeSelector={"disk": "ssd"}, containers=[make_container(cpu="9")]),
        make_node("ssd", labels={"disk": "ssd"}),
        make_node("plain"),
        make_node("tainted", labels={"disk": "ssd"}, taints=("k=:NoSchedule",)),
    )
    assert at.blamed == {"insufficient-cpu": ("ssd",)}
    assert [r.reason.message for r in at.of_kind("insufficient-cpu")] == ["Insufficient cpu"] and at.of_kind(
        "taint-not-tolerated"
    ) == ()


@pytest.mark.parametrize(
    ("nodes", "blamed"),
    [
        # No Node is chosen: the selector itself is to blame.
        ((make_node("a"), make_node("b", cordoned=True)), {"node-selector-mismatch": ("a", "b")}),
        # The chosen Nodes are reserved for others.
        (
            (
                make_node("a", labels={"disk": "ssd"}, taints=("k=:NoSchedule",), cordoned=True),
                make_node("b"),
            ),
            {"node-cordoned": ("a",), "taint-not-tolerated": ("a",)},
        ),
        # The open Nodes are out of service.
        ((make_node("a", labels={"disk": "ssd"}, cordoned=True), make_node("b")), {"node-cordoned": ("a",)}),
    ],
)
def test_levels(nodes: tuple[Obj, ...], blamed: dict[str, tuple[str, ...]]) -> None:
    assert of(make_pod(nodeSelector={"disk": "ssd"}), *nodes).blamed == blamed


def test_the_largest_group_and_the_one_that_lacks_least_in_the_order_of_nodes() -> None:
    busy = tuple(
        make_pod(f"q{i}", on=f"n{i}", containers=[make_container(cpu="4", memory="8Gi")]) for i in (0, 2)
    )
    at = of(
        make_pod(containers=[make_container(cpu="2", memory="1Gi")]),
        make_node("n0"),
        make_node("n1", cpu="1"),
        make_node("n2"),
        pods=busy,
    )
    assert at.blamed == {"insufficient-cpu": ("n0", "n1", "n2"), "insufficient-memory": ("n0", "n2")}
    assert at.most_offered("insufficient-cpu", "cpu") == (4000, "n2") and at.most_offered(
        "host-port-taken", "cpu"
    ) == (0, "")
    assert list(at.groups.values()) == [("n0", "n2"), ("n1",)]
    assert at.rejections_by_node["n0"] is at.rejections_by_node["n2"]


def test_what_refuses_every_node_is_blamed_for_all_and_a_pod_that_fits_on_none() -> None:
    gated = of(make_pod(schedulingGates=[{"name": "g"}]), make_node("a"), make_node("b"))
    assert gated.blamed == {"gated": ("a", "b")} and gated.certain
    assert of(make_pod(), make_node("a")).blamed == {}


def test_beside_a_claim_that_is_not_bound_the_nodes_are_blamed_if_none_would_take_the_pod() -> None:
    wanted = make_pod(nodeSelector={"disk": "ssd"}, volumes=use_claims("data"))
    unbound = {"pvcs": [make_claim("data", storageClassName="gone")]}
    both = of(wanted, make_node("a"), make_node("b"), **unbound)
    assert both.certain and set(both.blamed) == {"storage.claim-unbound", "node-selector-mismatch"}
    assert both.blamed["node-selector-mismatch"] == ("a", "b")
    one = of(wanted, make_node("a"), make_node("b", labels={"disk": "ssd"}), **unbound)
    assert set(one.blamed) == {"storage.claim-unbound"}


@pytest.mark.parametrize(
    ("said", "agrees"),
    [
        (("Insufficient cpu", "node(s) had untolerated taint {k: }"), True),
        (("Insufficient cpu", "node(s) had taints that the pod didn't tolerate"), True),
        (("Insufficient cpu",), False),
        (("Insufficient cpu", "node(s) had untolerated taint(s)", "Insufficient memory"), False),
    ],
)
def test_the_scheduler_s_words_of_any_age_are_compared_without_their_numbers(
    said: tuple[str, ...], agrees: bool
) -> None:
    at = of(
        make_pod(containers=[make_container(cpu="9")]),
        make_node("a"),
        make_node("b"),
        make_node("c", taints=("k=:NoSchedule",)),
    )
    assert at.agrees(said) is agrees


def test_nothing_is_certain_while_something_that_decides_is_not_known() -> None:
    at = of(make_pod(containers=[make_container(cpu="?")]), make_node("a"), make_node("b"))
    assert not at.certain and len(unknown_of(at)) == 1
    assert of(make_pod(containers=[make_container(cpu="9")]), make_node("a")).certain


def test_pods_of_one_shape_are_worked_out_once_and_a_nominated_one_by_itself() -> None:
    waiting = [make_pod(f"p{i}", containers=[make_container(cpu="9")]) for i in range(2)]
    chosen = make_pod("n", containers=[make_container(cpu="9")], status={"nominatedNodeName": "a"})
    inputs = read_placing({"nodes": [make_node("a")], "pods": [*waiting, chosen]}, Source("x"))
    first, second, third = (find_analysis(inputs, "default", name) for name in ("p0", "p1", "n"))
    assert first is second and third is not None and third is not first
    assert find_analysis(inputs, "default", "gone") is None and cluster_of(inputs) is cluster_of(inputs)
