"""Each plugin leaves open results that depend on an unreadable field, independent of other plugins."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.case import read_case
from tests.scheduling.make import Obj, make_node, make_pod
from tests.scheduling.volumes import HOST, ZONE, make_claim, make_storage_class, make_volume, use_claims
from unstuck.scheduling.decide import explain

WEB = {"matchLabels": {"app": "web"}}
AWAY = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": HOST, "labelSelector": WEB}]
    }
}
SPREAD = [{"topologyKey": ZONE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": WEB}]


def open_(wanted: Obj, *nodes: Obj, **more: Any) -> dict[str, set[str]]:
    """Return the undecided plugins by Node, "" for before any Node."""
    cluster, found = read_case({"pod": wanted, "nodes": list(nodes), **more})
    told = explain(found, cluster)
    out = {"": told.rejected, **told.nodes}
    return {
        where: names
        for where, rows in out.items()
        if (names := {r.plugin for r in rows if r.outcome == "unknown"})
    }


def without_labels(name: str) -> Obj:
    made = make_node(name)
    made["metadata"]["labels"] = ["zone"]
    return made


VOLUME_PLUGINS = {"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"}


def test_a_pod_s_volumes() -> None:
    assert open_(make_pod(volumes="data"), make_node("a")) == {"": VOLUME_PLUGINS}
    assert (
        open_(make_pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": 5}}]), make_node("a"))[
            ""
        ]
        >= VOLUME_PLUGINS
    )


def test_a_node_s_labels() -> None:
    """They decide for all who look at topology, and nothing is open for a Pod that does not."""
    bound = {"pvcs": [make_claim(to="pv")], "pvs": [make_volume("pv", labels={ZONE: "z1"})]}
    assert open_(make_pod(volumes=use_claims("data")), without_labels("a"), **bound) == {
        "a": {"VolumeBinding", "VolumeZone"}
    }
    assert open_(make_pod(affinity=AWAY), without_labels("a")) == {"a": {"InterPodAffinity"}}
    assert open_(make_pod(), without_labels("a")) == {}


def test_a_node_s_labels_leave_open_what_its_pods_count_for_elsewhere() -> None:
    web = make_pod("q", on="a", labels={"app": "web"})
    nodes = (without_labels("a"), make_node("b", labels={ZONE: "z1"}))
    assert open_(make_pod(affinity=AWAY), *nodes, pods=[web]) == {
        "a": {"InterPodAffinity"},
        "b": {"InterPodAffinity"},
    }
    guard = make_pod("q", on="a", affinity=AWAY)
    assert open_(make_pod(labels={"app": "web"}), *nodes, pods=[guard]) == {
        "a": {"InterPodAffinity"},
        "b": {"InterPodAffinity"},
    }
    assert open_(make_pod(), *nodes, pods=[web]) == {}
    assert open_(make_pod(topologySpreadConstraints=SPREAD), *nodes)["b"] == {"PodTopologySpread"}


@pytest.mark.parametrize(
    ("more", "plugins"),
    [
        (
            {"pvcs": [make_claim(to="pv")], "pvs": [make_volume("pv", capacity="much")]},
            {"NodeVolumeLimits", "VolumeBinding", "VolumeZone"},
        ),
        (
            {"pvcs": [make_claim()], "classes": [make_storage_class(allowedTopologies={})]},
            {"VolumeBinding", "VolumeZone"},
        ),
        ({"pvcs": [make_claim(size="lots")]}, VOLUME_PLUGINS),
    ],
)
def test_objects_of_storage(more: dict[str, Any], plugins: set[str]) -> None:
    nodes = make_node("a"), make_node("b")
    found = open_(
        make_pod(volumes=use_claims("data")), *nodes, csinodes=[{"metadata": {"name": "a"}}], **more
    )
    assert set().union(*found.values()) == plugins


def test_one_class_that_does_not_read_says_nothing_of_another() -> None:
    more = {"pvcs": [make_claim(to="pv")], "pvs": [make_volume("pv"), make_volume("odd", capacity="much")]}
    assert open_(make_pod(volumes=use_claims("data")), make_node("a"), **more) == {}
