"""Pods are grouped by shape: fields irrelevant to placing are ignored, and relevant ones are never lost."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from tests.scheduling.make import make_container, make_pod
from unstuck.collect.objects.placing import read_placing
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Source
from unstuck.scheduling.cluster import ClusterView


def read(*pods: dict[str, Any]) -> PlacingInputs:
    return read_placing({"pods": list(pods)}, Source("x"))


def _as_the_api_has_it(name: str) -> dict[str, Any]:
    found = make_pod(
        name,
        on="a",
        labels={"app": "web"},
        containers=[{**make_container(cpu="1"), "image": "x", "env": [{"name": "A", "value": name}]}],
        volumes=[
            {"name": f"kube-api-access-{name}", "projected": {"sources": []}},
            {"name": "tmp", "emptyDir": {}},
        ],
        status={
            "phase": "Running",
            "podIP": f"10.0.0.{len(name)}",
            "containerStatuses": [{"name": "c", "containerID": name}],
        },
    )
    found["metadata"]["ownerReferences"] = [
        {"kind": "ReplicaSet", "name": "web-1", "uid": "u", "controller": True}
    ]
    return found


def test_pods_of_one_template_are_one_shape() -> None:
    found = read(*(_as_the_api_has_it("p" * n) for n in range(1, 5)))
    assert len(found.shapes) == 1 and found.placed == (("a", "0*4"),)
    assert found.shapes[0].owner == "ReplicaSet/web-1"


CHANGES: list[tuple[tuple[str | int, ...], object]] = [
    (("metadata", "namespace"), "other"),
    (("metadata", "labels", "app"), "db"),
    (("metadata", "deletionTimestamp"), "2026-11-21T00:00:00Z"),
    (("metadata", "ownerReferences", 0, "name"), "web-2"),
    (("spec", "priority"), 7),
    (("spec", "nodeSelector"), {"a": "b"}),
    (
        ("spec", "affinity"),
        {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "z"}]}},
    ),
    (
        ("spec", "affinity"),
        {
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": {"topologyKey": "z"}}]
            }
        },
    ),
    (("spec", "tolerations"), [{"operator": "Exists"}]),
    (("spec", "topologySpreadConstraints"), [{"topologyKey": "z"}]),
    (("spec", "resourceClaims"), [{"name": "gpu"}]),
    (("spec", "schedulingGates"), [{"name": "g"}]),
    (("spec", "schedulerName"), "mine"),
    (("spec", "preemptionPolicy"), "Never"),
    (("spec", "overhead"), {"cpu": "1"}),
    (("spec", "resources"), {"requests": {"cpu": "4"}}),
    (("spec", "containers", 0, "resources", "requests", "cpu"), "2"),
    (("spec", "containers", 0, "ports"), [{"hostPort": 80}]),
    (("spec", "initContainers"), [{**make_container("i", cpu="3"), "restartPolicy": "Always"}]),
    (("spec", "volumes", 1), {"name": "d", "persistentVolumeClaim": {"claimName": "c"}}),
    (("spec", "volumes", 1), {"name": "d", "ephemeral": {}}),
    (("status", "containerStatuses", 0, "resources"), {"requests": {"cpu": "2"}}),
    (("status", "resourceClaimStatuses"), [{"name": "gpu", "resourceClaimName": "x"}]),
    (("spec", "tolerations"), "all"),
    (("spec", "containers"), "none"),
    (("metadata", "labels"), ["app"]),
]


@pytest.mark.parametrize(
    ("path", "value"), CHANGES, ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else ""
)
def test_what_placing_depends_on_makes_another_shape(path: tuple[str | int, ...], value: object) -> None:
    plain = _as_the_api_has_it("p")
    plain["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    changed = copy.deepcopy(plain)
    at: Any = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert len(read(plain, changed).shapes) == 2


def test_a_resize_that_is_refused_makes_another_shape() -> None:
    status = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}
    plain = make_pod("p", on="a", containers=[make_container(cpu="2")], status=status)
    refused = {**status, "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}]}
    assert len(read(plain, {**plain, "status": refused}).shapes) == 2


def test_claims_made_for_each_pod_keep_their_own_names() -> None:
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}}]
    found = read(make_pod("a", on="n", volumes=volumes), make_pod("b", on="n", volumes=volumes))
    assert [(s.volumes[0].claim, s.volumes[0].owner) for s in found.shapes] == [
        ("a-scratch", "uid-a"),
        ("b-scratch", "uid-b"),
    ]


def test_a_pod_that_has_ended_is_no_neighbour() -> None:
    assert read(make_pod("p", on="a", status={"phase": "Failed"})) == read()


@pytest.mark.parametrize(
    "broken",
    [{}, {"spec": None}, {"metadata": 3, "spec": []}, {"spec": {"containers": [None], "volumes": [7]}}],
)
def test_any_object_is_read(broken: dict[str, Any]) -> None:
    assert len(read(broken).pending) == 1


@pytest.mark.parametrize(
    ("key", "rows", "kind"),
    [
        ("pods", [make_pod("p", on="a"), "?"], "Pod"),
        ("pods", [{"metadata": {"name": "p"}, "spec": {"nodeName": 7}}], "Pod"),
        ("pods", [{"metadata": "p", "spec": {}}], "Pod"),
        ("nodes", [{"metadata": []}], "Node"),
        ("nodes", "none", "Node"),
        ("pvs", [None], "PersistentVolume"),
    ],
)
def test_an_object_that_does_not_read_at_all_makes_its_list_short(key: str, rows: object, kind: str) -> None:
    found = read_placing({key: rows}, Source("x"))
    assert found.unlisted == (kind,) and not found.whole


def test_resources_that_are_no_mapping_are_named() -> None:
    found = read(make_pod(containers=[{"name": "c", "resources": "1"}]))
    assert [u.field for u in found.shapes[0].unreadable] == ["spec.containers[c].resources.requests"]


@pytest.mark.parametrize("placed", ["7", "x", "0*", "-1", "0*2*3", "9" * 40])
def test_a_saved_cluster_whose_shapes_are_lost_leaves_open_what_pods_there_are(placed: str) -> None:
    inputs = dataclasses.replace(read(make_pod("p", on="a")), placed=(("a", f"0 {placed}"),))
    assert ClusterView.of(inputs).unlisted == {"Pod"}


def test_a_saved_pending_pod_whose_shape_is_lost() -> None:
    inputs = dataclasses.replace(read(make_pod("p")), shapes=())
    assert ClusterView.of(inputs).unlisted == {"Pod"} and ClusterView.of(inputs).pod("default", "p") is None
