"""The workload behind a StorageClass, and those that a release brought, from the server's answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import cluster, make_list, make_object, pick
from tests.kube.test_near_miss import discovered, groups
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Ref, Want

APPS = "/apis/apps/v1"
CLAIM = Ref("PersistentVolumeClaim", "shop", "data")


def make_workload(name: str, space: str, ready: int, *args: str, **labels: str) -> dict[str, Any]:
    made = make_object(name, space, labels=labels)
    spec = {"replicas": 1, "template": {"spec": {"containers": [{"name": "c", "args": list(args)}]}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        **made,
        "spec": spec,
        "status": {"readyReplicas": ready},
    }


def find_work(*deployments: dict[str, Any]) -> ClassWork:
    pages: dict[str, Any] = {
        **groups(discovered("apps", "v1", ("Deployment", "deployments", "Namespaced"))),
        "/api/v1/namespaces/shop/persistentvolumeclaims/data": {
            **make_object("data", "shop"),
            "spec": {"storageClassName": "fast"},
            "status": {"phase": "Pending"},
        },
        "/api/v1/persistentvolumeclaims": make_list(),
        "/apis/storage.k8s.io/v1/storageclasses/fast": {
            **make_object("fast"),
            "provisioner": "block.csi.acme.example",
        },
        f"{APPS}/deployments": make_list(*deployments),
        f"{APPS}/statefulsets": make_list(),
        f"{APPS}/daemonsets": make_list(),
        "/apis/coordination.k8s.io/v1/leases": make_list(),
    }
    for one in deployments:
        meta = one["metadata"]
        pages[f"{APPS}/namespaces/{meta['namespace']}/deployments/{meta['name']}"] = one
    with cluster(pages) as c:
        (found,) = pick(c.collector.collect([Want(ClassWork, CLAIM)]), ClassWork)
    assert isinstance(found, ClassWork)
    return found


def test_a_template_with_the_provisioners_name_is_its_own() -> None:
    found = find_work(
        make_workload("acme-controller", "store", 0, "--driver-name=block.csi.acme.example"),
        make_workload("acme-csi-webhook", "store", 1),
    )
    assert found.controller == "block.csi.acme.example"
    assert [(c.ref.name, c.ready) for c in found.candidates] == [("acme-controller", 0)]


@pytest.mark.parametrize(
    ("name", "taken"), [("acme-csi-controller", True), ("acme-shop", False), ("other-csi", False)]
)
def test_without_it_only_a_name_of_storage_that_shares_a_word(name: str, taken: bool) -> None:
    assert bool(find_work(make_workload(name, "store", 1)).candidates) is taken


def test_a_release_owns_what_its_labels_mark() -> None:
    group = "helm.toolkit.fluxcd.io"
    labels = {f"{group}/name": "cache", f"{group}/namespace": "gitops"}
    asked: list[str] = []

    def list_deployments(query: dict[str, str]) -> dict[str, Any]:
        asked.append(query.get("labelSelector", ""))
        return make_list(make_workload("cache", "shop", 0, **labels))

    pages: dict[str, Any] = {
        **groups(discovered(group, "v2", ("HelmRelease", "helmreleases", "Namespaced"))),
        f"/apis/{group}/v2/namespaces/gitops/helmreleases/cache": {
            **make_object("cache", "gitops"),
            "spec": {"targetNamespace": "shop"},
        },
        f"{APPS}/namespaces/shop/deployments": list_deployments,
    }
    for space in ("shop", "gitops"):
        for kind in ("deployments", "statefulsets", "daemonsets"):
            pages.setdefault(f"{APPS}/namespaces/{space}/{kind}", make_list())
        pages[f"/apis/batch/v1/namespaces/{space}/jobs"] = make_list()
        pages[f"/api/v1/namespaces/{space}/pods"] = make_list()
    with cluster(pages) as c:
        (found,) = pick(
            c.collector.collect([Want(Owned, Ref(f"HelmRelease.{group}", "gitops", "cache"))]), Owned
        )
    assert [str(r) for r in found.refs] == ["Deployment shop/cache"]
    assert asked == [f"{group}/name=cache,{group}/namespace=gitops"]
