"""A Pod's requests, a Node's remaining room, and its ports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import decide_on, list_reasons, make_container, make_node, make_pod
from unstuck.collect.objects.placing.pods import pod_shape


def requests(wanted: dict[str, Any], *, bound: bool = False) -> dict[str, int]:
    return dict(pod_shape(wanted, bound=bound).requests)


def sidecar(name: str, **amounts: str) -> dict[str, Any]:
    return {**make_container(name, **amounts), "restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("spec", "total"),
    [
        (
            {"containers": [make_container("a", cpu="1"), make_container("b", cpu="250m", memory="1Gi")]},
            {"cpu": 1250, "memory": 1 << 30},
        ),
        (
            {"containers": [make_container("a", cpu="1")], "initContainers": [make_container("i", cpu="3")]},
            {"cpu": 3000},
        ),
        (
            {
                "containers": [make_container("a", cpu="1")],
                "initContainers": [sidecar("s", cpu="1"), make_container("i", cpu="2")],
            },
            {"cpu": 3000},
        ),
        (
            {
                "containers": [make_container("a", cpu="1")],
                "initContainers": [make_container("i", cpu="2"), sidecar("s", cpu="1")],
            },
            {"cpu": 2000},
        ),
        (
            {"containers": [make_container("a", cpu="1")], "overhead": {"cpu": "100m", "memory": "1"}},
            {"cpu": 1100, "memory": 1},
        ),
        (
            {
                "containers": [make_container("a", cpu="3")],
                "resources": {"requests": {"cpu": "1", "gpu/x": "1"}},
            },
            {"cpu": 1000},
        ),
        ({"containers": [make_container("a", cpu="0.5m"), make_container("b", cpu="0.5m")]}, {"cpu": 1}),
        ({"containers": [make_container("a", memory="1.5")]}, {"memory": 2}),
        ({"containers": [{"name": "a", "resources": {"limits": {"cpu": "1"}}}]}, {}),
    ],
)
def test_the_sum_of_requests(spec: dict[str, Any], total: dict[str, int]) -> None:
    assert requests(make_pod(**spec)) == total


def _resized(reason: str, **status: dict[str, str]) -> dict[str, Any]:
    told = {"name": "c", "resources": {"requests": status["now"]}, "allocatedResources": status["allocated"]}
    return {"containerStatuses": [told], "conditions": [{"type": "PodResizePending", "reason": reason}]}


def test_a_pod_that_is_being_resized_counts_by_the_largest_of_what_is_wanted_and_what_it_has() -> None:
    status = _resized("Deferred", now={"cpu": "2"}, allocated={"cpu": "1"})
    assert requests(make_pod(containers=[make_container(cpu="3")], status=status), bound=True) == {
        "cpu": 3000
    }
    assert requests(make_pod(containers=[make_container(cpu="1")], status=status), bound=True) == {
        "cpu": 2000
    }


def test_a_resize_that_is_infeasible_does_not_count() -> None:
    status = _resized("Infeasible", now={"cpu": "1"}, allocated={"cpu": "2"})
    assert requests(make_pod(containers=[make_container(cpu="9")], status=status), bound=True) == {
        "cpu": 2000
    }


def test_room_is_allocatable_less_what_is_requested() -> None:
    other = make_pod("q", on="a", containers=[make_container(cpu="3")])
    done = make_pod("r", on="a", containers=[make_container(cpu="3")], status={"phase": "Succeeded"})
    assert decide_on(
        make_pod(containers=[make_container(cpu="1")]), make_node("a"), pods=(other, done)
    ).fits == ("a",)
    found = decide_on(make_pod(containers=[make_container(cpu="1001m")]), make_node("a"), pods=(other,))
    assert [(r.message, r.outcome) for r in found.refused["a"]] == [("Insufficient cpu", "unschedulable")]


def test_more_than_the_whole_node_is_never_resolved_by_preemption() -> None:
    found = decide_on(
        make_pod(containers=[make_container(cpu="5", memory="1Gi")]), make_node("a", memory="500Mi")
    )
    assert [(r.message, r.outcome) for r in found.refused["a"]] == [
        ("Insufficient cpu", "unresolvable"),
        ("Insufficient memory", "unresolvable"),
    ]


def test_too_many_pods_is_told_beside_the_others() -> None:
    other = make_pod("q", on="a", containers=[make_container(cpu="3")])
    found = decide_on(make_pod(containers=[make_container(cpu="2")]), make_node("a", pods="1"), pods=(other,))
    assert [(r.message, r.outcome) for r in found.refused["a"]] == [
        ("Too many pods", "unschedulable"),
        ("Insufficient cpu", "unschedulable"),
    ]


def test_a_pod_without_requests_needs_a_place_alone() -> None:
    assert list_reasons(decide_on(make_pod(), make_node("a", pods="0")), "a") == ["Too many pods"]


@pytest.mark.parametrize(
    "name", ["nvidia.com/gpu", "hugepages-2Mi", "attachable-volumes-x", "x.kubernetes.io/y"]
)
def test_other_resources_that_count(name: str) -> None:
    wanted = make_pod(containers=[make_container(**{name: "2"})])
    assert list_reasons(decide_on(wanted, make_node("a", also={name: "1"})), "a") == [f"Insufficient {name}"]
    assert decide_on(wanted, make_node("a", also={name: "2"})).fits == ("a",)


@pytest.mark.parametrize("name", ["gpu", "requests.nvidia.com/gpu", "bad prefix/gpu", "a/" + "x" * 64])
def test_names_that_the_scheduler_passes_over(name: str) -> None:
    assert decide_on(make_pod(containers=[make_container(**{name: "2"})]), make_node("a")).fits == ("a",)


def test_a_node_without_status_has_no_room() -> None:
    bare = {"metadata": {"name": "a"}}
    assert list_reasons(decide_on(make_pod(containers=[make_container(cpu="1")]), bare), "a") == [
        "Too many pods",
        "Insufficient cpu",
    ]


def test_an_amount_that_is_no_quantity_leaves_its_question_open() -> None:
    unread = make_pod(containers=[make_container(cpu="lots")])
    found = decide_on(unread, make_node("a"), make_node("b", pods="0"))
    assert not found.fits and found.message == ""
    assert list_reasons(found, "a") == ["spec.containers[c].resources.requests.cpu: 'lots' is no quantity"]
    assert list_reasons(found, "b")[0] == "Too many pods"


def test_what_a_node_offers_and_does_not_read_is_open_only_for_who_wants_it() -> None:
    odd = make_node("a", memory="8GB?")
    assert decide_on(make_pod(containers=[make_container(cpu="1")]), odd).fits == ("a",)
    found = decide_on(make_pod(containers=[make_container(memory="1")]), odd)
    assert list_reasons(found, "a") == ["status.allocatable.memory: '8GB?' is no quantity"]


def test_a_neighbour_that_does_not_read_takes_at_least_nothing() -> None:
    odd = make_pod("q", on="a", containers=[make_container(cpu="??"), make_container("d", memory="1Gi")])
    assert decide_on(
        make_pod(containers=[make_container(memory="1Gi")]), make_node("a"), pods=(odd,)
    ).fits == ("a",)
    assert list_reasons(
        decide_on(make_pod(containers=[make_container(memory="8Gi")]), make_node("a"), pods=(odd,)), "a"
    ) == ["Insufficient memory"]
    found = decide_on(make_pod(containers=[make_container(cpu="1")]), make_node("a"), pods=(odd,))
    assert list_reasons(found, "a") == ["spec.containers[c].resources.requests.cpu: '??' is no quantity"]


def _port(number: int, protocol: str = "TCP", ip: str = "") -> dict[str, Any]:
    return {
        "name": "c",
        "ports": [{"containerPort": 80, "hostPort": number, "protocol": protocol, "hostIP": ip}],
    }


@pytest.mark.parametrize(
    ("used", "wanted", "fits"),
    [
        (_port(80), _port(80), False),
        (_port(80), _port(81), True),
        (_port(80), _port(80, "UDP"), True),
        (_port(80, ip="10.0.0.1"), _port(80), False),
        (_port(80, ip="10.0.0.1"), _port(80, ip="10.0.0.2"), True),
        (_port(80), _port(80, ip="10.0.0.2"), False),
        (_port(80, ip="10.0.0.1"), _port(80, ip="10.0.0.1"), False),
        (_port(80, protocol=""), _port(80, ip="0.0.0.0"), False),  # noqa: S104
    ],
)
def test_ports_of_the_node(used: dict[str, Any], wanted: dict[str, Any], fits: bool) -> None:
    found = decide_on(
        make_pod(containers=[wanted]), make_node("a"), pods=(make_pod("q", on="a", containers=[used]),)
    )
    assert list_reasons(found, "a") == (
        [] if fits else ["node(s) didn't have free ports for the requested pod ports"]
    )
    assert all(r.outcome == "unschedulable" for r in found.refused.get("a", ()))


def test_ports_of_sidecars_count_and_of_init_containers_do_not() -> None:
    using = make_pod(
        "q",
        on="a",
        containers=[make_container()],
        initContainers=[{**_port(80), "restartPolicy": "Always"}, _port(81)],
    )
    assert list_reasons(decide_on(make_pod(containers=[_port(80)]), make_node("a"), pods=(using,)), "a")
    assert decide_on(make_pod(containers=[_port(81)]), make_node("a"), pods=(using,)).fits == ("a",)


def test_a_port_that_does_not_read_leaves_the_question_open() -> None:
    odd = {"name": "c", "ports": [{"hostPort": "http"}]}
    found = decide_on(make_pod(containers=[odd]), make_node("a"))
    assert (
        found.rejected
        and found.rejected.message == "spec.containers[0].ports[0].hostPort: \"'http'\" is no integer"
    )


@pytest.mark.parametrize("spec", [None, [], "x"])
def test_a_pod_without_spec_is_left_open(spec: object) -> None:
    broken = {"metadata": {"name": "p"}} if spec is None else {"metadata": {"name": "p"}, "spec": spec}
    found = decide_on(broken, make_node("a"))
    assert not found.fits and found.message == ""


def test_a_neighbour_whose_requests_are_no_mapping_may_take_anything() -> None:
    odd = make_pod("q", on="a", containers=[{"name": "c", "resources": {"requests": "1"}}])
    found = decide_on(make_pod(containers=[make_container(cpu="1")]), make_node("a"), pods=(odd,))
    assert list_reasons(found, "a") == ["spec.containers[c].resources.requests: \"'1'\" is no mapping"]


def test_a_node_whose_list_of_what_it_offers_does_not_read() -> None:
    odd = make_node("a")
    odd["status"]["allocatable"] = ["cpu"]
    assert list_reasons(decide_on(make_pod(containers=[make_container(cpu="1")]), odd), "a") == [
        "status.allocatable: \"['cpu']\" is no mapping"
    ]


@pytest.mark.parametrize(
    "status", ["x", {"containerStatuses": [7]}, {"containerStatuses": [{"name": "c", "resources": []}]}]
)
def test_a_neighbour_whose_status_does_not_read_may_take_anything(status: Any) -> None:
    odd = make_pod("q", on="a", containers=[make_container(cpu="1")], status=status)
    found = decide_on(make_pod(containers=[make_container(cpu="1")]), make_node("a"), pods=(odd,))
    assert not found.fits and list_reasons(found, "a")[0].startswith("status")
