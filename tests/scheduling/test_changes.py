"""The single changes that make a Pod fit, each verified by the filters; and the holders of the room."""

from __future__ import annotations

from typing import Any

from tests.scheduling.case import read_case
from tests.scheduling.make import Obj, make_container, make_node, make_pod
from unstuck.scheduling.changes import Change, changes
from unstuck.scheduling.holders import holders


def found(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = (), **more: Any) -> dict[str, tuple[str, ...]]:
    cluster, one = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods), **more})
    return {c.says.en: c.opens for c in changes(one, cluster)}


def first(wanted: Obj, *nodes: Obj, pods: tuple[Obj, ...] = ()) -> Change:
    cluster, one = read_case({"pod": wanted, "nodes": list(nodes), "pods": list(pods)})
    return changes(one, cluster)[0]


def test_a_smaller_request_is_named_with_all_that_it_opens() -> None:
    wanted = make_pod(containers=[make_container(memory="8Gi", cpu="1")])
    nodes = (
        make_node("a", memory="7000Mi"),
        make_node("b", memory="7000Mi"),
        make_node("c", memory="6Gi"),
        make_node("d", memory="7Gi", cpu="500m"),
    )
    change = first(wanted, *nodes)
    assert (change.kind, change.says.en, change.opens) == (
        "request",
        "asking for at most memory: 7000Mi (1.2 GiB of memory less)",
        ("a", "b"),
    )
    assert "7000Mi" in change.says.zh


def test_a_request_is_rounded_down_to_what_can_be_written() -> None:
    odd = make_node("a", memory=str((1 << 30) + 12345))
    assert list(found(make_pod(containers=[make_container(memory="2Gi")]), odd)) == [
        "asking for at most memory: 1024Mi (1 GiB of memory less)"
    ]


def test_a_node_that_lacks_more_than_one_thing_is_opened_by_neither() -> None:
    assert found(make_pod(containers=[make_container(cpu="5", memory="9Gi")]), make_node("a")) == {}


def test_a_toleration_and_only_for_what_is_no_trouble_of_the_node() -> None:
    nodes = (
        make_node("a", taints=("dedicated=gpu:NoSchedule",)),
        make_node("b", taints=("node.kubernetes.io/not-ready=:NoExecute",)),
    )
    told = found(make_pod(), *nodes)
    assert told["tolerating dedicated=gpu:NoSchedule"] == ("a",)
    assert not any("not-ready" in says for says in told)


def test_a_taint_beside_another_is_opened_by_no_single_toleration() -> None:
    told = found(make_pod(), make_node("a", taints=("k=1:NoSchedule", "l=1:NoSchedule")))
    assert not any(says.startswith("tolerating") for says in told)


def test_the_label_that_was_meant() -> None:
    wanted = make_pod(nodeSelector={"disk": "ssd"})
    told = found(
        wanted, *(make_node(f"n{i}", labels={"disktype": "ssd"}) for i in range(4)), make_node("other")
    )
    assert told["with nodeSelector disktype=ssd in place of disk=ssd, which no Node has"] == (
        "n0",
        "n1",
        "n2",
        "n3",
    )
    assert len(told["without nodeSelector disk=ssd"]) == 5
    assert first(wanted, make_node("n", labels={"disktype": "ssd"})).effort < 0.5


def test_each_requirement_of_node_affinity_is_tried_without() -> None:
    lines = [{"key": "zone", "operator": "In", "values": ["a"]}, {"key": "gpu", "operator": "Exists"}]
    required = {"nodeSelectorTerms": [{"matchExpressions": lines}]}
    wanted = make_pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})
    told = found(
        wanted, make_node("a", labels={"zone": "a"}), make_node("b", labels={"zone": "b", "gpu": "x"})
    )
    assert told["without the required node affinity gpu"] == ("a",)
    assert told["without the required node affinity zone=a"] == ("b",)


def test_the_only_requirement_of_the_only_term_goes_with_it() -> None:
    required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}]}
    wanted = make_pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})
    assert found(wanted, make_node("a"))["without the required node affinity gpu"] == ("a",)


def test_a_cordoned_node_and_not_one_that_is_full_too() -> None:
    told = found(
        make_pod(containers=[make_container(cpu="2")]),
        make_node("a", cordoned=True),
        make_node("b", cordoned=True, cpu="1"),
    )
    assert told["uncordoning the Node"] == ("a",)


def test_two_constraints_of_which_either_may_go() -> None:
    anti = [{"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}]
    wanted = make_pod(
        labels={"app": "web"},
        nodeSelector={"disk": "ssd"},
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": anti}},
    )
    told = found(
        wanted,
        make_node("a", labels={"disk": "ssd"}),
        make_node("b", labels={"disk": "hdd"}),
        pods=(make_pod("q", on="a", labels={"app": "web"}),),
    )
    assert told["without its Pod anti-affinity over kubernetes.io/hostname"] == ("a",)
    assert told["without nodeSelector disk=ssd"] == ("b",)
    assert told["with a new Node like this one"] == ("a",)


def test_a_new_node_carries_what_daemon_sets_put_on_it() -> None:
    daemon = make_pod("d", on="a", containers=[make_container(cpu="1")])
    daemon["metadata"]["ownerReferences"] = [{"kind": "DaemonSet", "name": "log", "controller": True}]
    other = make_pod("q", on="a", containers=[make_container(cpu="3")])
    assert found(make_pod(containers=[make_container(cpu="3")]), make_node("a"), pods=(daemon, other))[
        "with a new Node like this one"
    ] == ("a",)
    assert found(make_pod(containers=[make_container(cpu="3500m")]), make_node("a"), pods=(daemon,)) == {
        "asking for at most cpu: 3 (0.5 CPU less)": ("a",)
    }


def test_a_port_a_spread_constraint_and_a_claim() -> None:
    port = {"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}
    using = make_pod("q", on="a", containers=[port], labels={"app": "web"})
    assert found(make_pod(containers=[port]), make_node("a"), pods=(using,))["without host port 80"] == ("a",)
    spread = [
        {
            "topologyKey": "kubernetes.io/hostname",
            "maxSkew": 1,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ]
    wanted = make_pod(
        labels={"app": "web"}, topologySpreadConstraints=spread, containers=[make_container(cpu="1")]
    )
    told = found(wanted, make_node("a"), make_node("b", cpu="500m"), pods=(using,))
    assert told["without its topology spread constraint over kubernetes.io/hostname"] == ("a",)
    assert told["asking for at most cpu: 500m (0.5 CPU less)"] == ("b",)


def test_no_change_is_told_for_a_pod_that_fits_or_that_nothing_alone_lets_in() -> None:
    assert set(found(make_pod(), make_node("a"))) <= {"with a new Node like this one"}
    assert found(make_pod(schedulingGates=[{"name": "g"}]), make_node("a", cordoned=True)) == {}


def test_who_holds_the_room() -> None:
    def of(name: str, owner: str, cpu: str) -> Obj:
        made = make_pod(name, on="a", containers=[make_container(cpu=cpu)])
        made["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": owner, "controller": True}]
        return made

    pods = [
        of("x", "web", "1"),
        of("y", "web", "1"),
        of("z", "db", "1500m"),
        make_pod("bare", on="a", containers=[make_container(cpu="100m")]),
    ]
    cluster, _ = read_case({"pod": make_pod(), "nodes": [make_node("a")], "pods": pods})
    assert [(h.owner, h.amount, h.pods) for h in holders(cluster, ["a"], "cpu")] == [
        ("ReplicaSet/web", 2000, 2),
        ("ReplicaSet/db", 1500, 1),
        ("", 100, 1),
    ]
    assert holders(cluster, ["a"], "pods")[0].pods == 2
