"""The scheduler's inputs, from a server's lists."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kube.cluster import cluster, make_list
from tests.scheduling.make import make_container, make_node, make_pod
from unstuck.collect.kube.questions.placing import placing
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import facts_of
from unstuck.engine import diagnose, list_causes
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Fact, Ref, Refused, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.scheduling.cluster import ClusterView
from unstuck.scheduling.decide import decide

NOW = datetime(2026, 11, 21, 3, 0, 0, tzinfo=UTC)
WANT = Want(PlacingInputs, Ref("Cluster"))
STORAGE, DEVICES = "/apis/storage.k8s.io/v1", "/apis/resource.k8s.io"
NOT_SERVED = (404, {"kind": "Status", "message": "the server could not find the requested resource"})


CLAIM = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
DEVICE = [{"name": "gpu", "resourceClaimName": "gpu"}]


def pages(waits: dict[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    waiting = waits or make_pod("waits", containers=[make_container(cpu="9")])
    laid = {
        "/api/v1/nodes": make_list(make_node("a"), make_node("b", cordoned=True)),
        "/api/v1/pods": make_list(make_pod("q", on="a", containers=[make_container(cpu="1")]), waiting),
        **{
            f"/api/v1/{what}": make_list()
            for what in ("namespaces", "persistentvolumeclaims", "persistentvolumes")
        },
        **{
            f"{STORAGE}/{what}": make_list()
            for what in ("storageclasses", "csinodes", "csidrivers", "volumeattachments")
        },
        f"{STORAGE}/csistoragecapacities": make_list(),
        **{
            f"{DEVICES}/{v}/{what}": NOT_SERVED for v in ("v1", "v1beta2", "v1beta1") for what in DEVICE_KINDS
        },
    }
    return {**laid, **changed}


DEVICE_KINDS = ("resourceclaims", "resourceslices", "deviceclasses")


def answer(laid: dict[str, Any]) -> tuple[list[Fact], list[str]]:
    with cluster(laid) as c:
        return placing(Session(c.client, "shop"), WANT), c.asked()


def test_a_pod_is_decided_from_what_the_server_lists() -> None:
    (found,), asked = answer(pages())
    assert isinstance(found, PlacingInputs) and found.whole and not found.unlisted
    view = ClusterView.of(found)
    wanted = view.pod("default", "waits")
    assert (
        wanted
        and decide(wanted, view).message
        == "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable."
    )
    assert view.nodes["a"].requested == {"cpu": 1000}
    assert len(asked) == len(set(asked))
    assert found.src.quote == "2 Nodes, Pods of 2 shapes"


def test_pods_are_read_page_by_page_and_ended_ones_left_to_the_server() -> None:
    def listing(query: dict[str, str]) -> tuple[int, Any]:
        assert query["fieldSelector"] == "status.phase!=Succeeded,status.phase!=Failed"
        if "continue" in query:
            return 200, make_list(make_pod("second", on="a"))
        return 200, make_list(make_pod("first", on="a"), **{"continue": "more"})

    (found,), _ = answer(pages(**{"/api/v1/pods": listing}))
    assert isinstance(found, PlacingInputs) and found.placed == (("a", "0*2"),)


def test_what_no_waiting_pod_depends_on_is_not_asked() -> None:
    (found,), asked = answer(pages())
    assert asked == ["/api/v1/nodes", "/api/v1/pods"]
    assert isinstance(found, PlacingInputs) and {"PersistentVolume", "ResourceClaim", "Namespace"} < set(
        found.unasked
    )


def test_what_a_waiting_pod_depends_on_is_asked() -> None:
    _, asked = answer(pages(make_pod("waits", volumes=CLAIM)))
    assert f"{STORAGE}/csistoragecapacities" in asked and "/api/v1/namespaces" not in asked
    near = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": "a"}}}
    _, asked = answer(
        pages(
            make_pod(
                "waits", affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
            )
        )
    )
    assert asked[2:] == ["/api/v1/namespaces"]


def test_a_list_that_is_refused_is_named_and_why() -> None:
    laid = pages(make_pod("waits", volumes=CLAIM))
    del laid["/api/v1/persistentvolumes"]
    (found, open_), _ = answer(laid)
    assert isinstance(found, PlacingInputs) and found.unlisted == ("PersistentVolume",) and not found.whole
    assert found.src.quote.endswith("not listed: PersistentVolume")
    assert isinstance(open_, Refused) and open_.why == "denied" and "persistentvolumes" in open_.detail


def test_a_list_that_breaks_off_is_not_whole() -> None:
    def listing(query: dict[str, str]) -> tuple[int, Any]:
        return (
            (410, {"kind": "Status", "message": "expired"})
            if "continue" in query
            else (200, make_list(make_node("a"), **{"continue": "x"}))
        )

    (found, _), _ = answer(pages(**{"/api/v1/nodes": listing}))
    assert (
        isinstance(found, PlacingInputs)
        and found.unlisted == ("Node",)
        and [n.name for n in found.nodes] == ["a"]
    )


@pytest.mark.parametrize("what", ["nodes", "pods"])
def test_without_nodes_or_pods_the_question_stays_open(what: str) -> None:
    laid = pages()
    del laid[f"/api/v1/{what}"]
    (found,), asked = answer(laid)
    assert isinstance(found, Refused) and found.want == "PlacingInputs" and found.why == "denied"
    assert asked[-1] == f"/api/v1/{what}"


def test_older_versions_are_asked_where_the_newest_is_not_served() -> None:
    claim = {"metadata": {"name": "gpu", "namespace": "default"}}
    laid = pages(
        make_pod("waits", resourceClaims=DEVICE), **{f"{DEVICES}/v1beta1/resourceclaims": make_list(claim)}
    )
    (found,), _ = answer(laid)
    assert isinstance(found, PlacingInputs) and [c.name for c in found.resource_claims] == ["gpu"]


def test_what_a_claim_asks_of_a_device_stands_beside_what_the_devices_have() -> None:
    term = "device.capacity['a.io'].memory.compareTo(quantity('40Gi')) >= 0"
    asked = {
        "name": "gpu",
        "exactly": {"deviceClassName": "a.io", "selectors": [{"cel": {"expression": term}}]},
    }
    claim = {"metadata": {"name": "gpu", "namespace": "default"}, "spec": {"devices": {"requests": [asked]}}}
    card = {
        "name": "gpu-0",
        "capacity": {"memory": {"value": "24Gi"}},
        "attributes": {"model": {"string": "A10"}, "odd": 7},
    }
    slice_ = {
        "metadata": {"name": "s"},
        "spec": {"driver": "a.io", "pool": {"name": "p"}, "nodeName": "a", "devices": [card]},
    }
    laid = pages(
        make_pod("waits", resourceClaims=DEVICE),
        **{
            f"{DEVICES}/v1/{plural}": make_list(one)
            for plural, one in (("resourceclaims", claim), ("resourceslices", slice_))
        },
        **{
            f"{DEVICES}/v1/deviceclasses": make_list(
                {"metadata": {"name": "a.io"}, "spec": {"selectors": [{"cel": {"expression": "true"}}]}}
            )
        },
    )
    (found,), _ = answer(laid)
    assert isinstance(found, PlacingInputs)
    assert found.slices[0].traits == (("gpu-0", (("memory", "24Gi"), ("model", "A10"))),)
    waits = Ref("Pod", "default", "waits")
    said = "0/1 nodes are available: 1 cannot allocate all claims."
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
    shown = {
        "apiVersion": "v1",
        "kind": "Pod",
        **make_pod("waits", resourceClaims=DEVICE),
        "status": {"phase": "Pending", "conditions": [condition]},
    }
    causes = diagnose(waits, Snapshot((found, *facts_of(shown, "/x", NOW)), NOW), list_causes()).causes
    notes = [
        n.en for c in causes if c.id == "scheduling.dynamic-resource-unavailable" for n in c.finding.notes
    ]
    assert (
        f"request gpu takes a device for which {term}" in notes
        and "offered are gpu-0 (a): memory 24Gi, model A10" in notes
    )


def test_of_objects_only_what_counts_is_kept() -> None:
    heavy = make_node("a")
    heavy["status"]["images"] = [{"names": ["x" * 100]}] * 50
    heavy["metadata"]["managedFields"] = [{"manager": "kubelet"}]
    (found,), _ = answer(pages(**{"/api/v1/nodes": make_list(heavy)}))
    assert isinstance(found, PlacingInputs) and dict(found.nodes[0].allocatable or ())["cpu"] == 4000
