"""A CSI driver's DaemonSet is found by its template, with the obstacle to its Pods on a Node."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kube.cluster import DISCOVERY, ask, cluster, make_list, make_object, pick
from unstuck.causes.volume._driver_sets import find_kept_away
from unstuck.facts.aspects.cluster import NodeShape, Taint
from unstuck.facts.aspects.driver_sets import DriverSet, DriverSets
from unstuck.facts.aspects.placing_terms import Toleration
from unstuck.facts.core import Ref, Source, Want
from unstuck.facts.snapshot import Snapshot

DRIVER = "nas.csi.example.com"
NODE = Ref("Node", None, "lab-3")
RESERVED = Taint("example.com/dedicated", "render", "NoSchedule")


def daemon_set(name: str, *args: str, path: str = "/dev", **spec: object) -> dict[str, Any]:
    volumes = [{"name": "d", "hostPath": {"path": path}}]
    template = {"containers": [{"name": "c", "image": "x", "args": list(args)}], "volumes": volumes, **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        **make_object(name, "nas"),
        "spec": {"template": {"spec": template}},
    }


def test_a_template_names_the_driver_in_an_argument_or_a_path() -> None:
    tolerations = [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}]
    items = make_list(
        daemon_set("by-argument", f"--drivername={DRIVER}", tolerations=tolerations),
        daemon_set(
            "by-path", path=f"/var/lib/kubelet/plugins/{DRIVER}/", nodeSelector={"kubernetes.io/os": "linux"}
        ),
        daemon_set("of-another", f"--drivername=my-{DRIVER}", f"--log={DRIVER}-old"),
    )
    with cluster({**DISCOVERY, "/apis/apps/v1/daemonsets": items}) as c:
        [found] = pick(ask(c, Want(DriverSets, Ref("CSIDriver", None, DRIVER))), DriverSets)
    assert [
        (d.ref.name, d.tolerations, d.node_selector) for d in found.items if isinstance(d, DriverSet)
    ] == [
        ("by-argument", (Toleration("a", "Exists", "", "NoSchedule"),), ()),
        ("by-path", (), (("kubernetes.io/os", "linux"),)),
    ]


def kept_away(*sets: DriverSet, taints: tuple[Taint, ...] = (RESERVED,), whole: bool = True) -> object:
    src = Source("x", "")
    shape = NodeShape(
        about=NODE,
        src=src,
        whole=whole,
        allocatable=(),
        labels=(("kubernetes.io/os", "linux"),),
        taints=taints,
    )
    facts = (shape, DriverSets(about=Ref("CSIDriver", None, DRIVER), src=src, items=sets))
    found = find_kept_away(DRIVER, NODE, Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC)))
    return found and (found.ref.name, found.taint, found.label)


def one(name: str, **fields: Any) -> DriverSet:
    return DriverSet(Ref("DaemonSet", "nas", name), **fields)


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        ((one("a"),), ("a", RESERVED, ("", ""))),
        ((one("a", tolerations=(Toleration(operator="Exists"),)),), None),
        ((one("a"), one("b", tolerations=(Toleration(operator="Exists"),))), None),
        (
            (one("a"), one("windows", node_selector=(("kubernetes.io/os", "windows"),))),
            ("a", RESERVED, ("", "")),
        ),
        ((one("windows", node_selector=(("kubernetes.io/os", "windows"),)),), None),
        ((), None),
    ],
)
def test_a_taint_counts_where_no_daemon_set_of_the_driver_tolerates_it(
    sets: tuple[DriverSet, ...], told: object
) -> None:
    assert kept_away(*sets) == told


def test_taints_that_the_controller_tolerates_itself_keep_nobody_away() -> None:
    assert kept_away(one("a"), taints=(Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"),)) is None
    assert kept_away(one("a"), taints=(Taint("x", "", "PreferNoSchedule"),)) is None


def test_a_label_that_the_node_does_not_have_counts_after_the_taints() -> None:
    asks = one("a", node_selector=(("tier", "storage"),))
    assert kept_away(asks, taints=()) == ("a", None, ("tier", "storage"))
    assert kept_away(asks, taints=(), whole=False) is None
