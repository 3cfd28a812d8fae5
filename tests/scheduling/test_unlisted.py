"""If a kind could not be listed, dependent results are unknown: neither a rejection nor a fit."""

from __future__ import annotations

import pytest

from tests.scheduling.make import Obj, make_node, make_pod
from tests.scheduling.test_device_filter import GPU, resource_claim
from tests.scheduling.volumes import (
    ZONE,
    make_claim,
    make_csi_node,
    make_storage_class,
    make_volume,
    use_claims,
)
from unstuck.collect.objects.placing import read_placing
from unstuck.facts.core import Source
from unstuck.scheduling.cluster import ClusterView
from unstuck.scheduling.decide import Decision, decide, explain

MADE = [make_storage_class(provisioner="disk.example.com")]
DRIVER = [{"metadata": {"name": "disk.example.com"}, "spec": {"storageCapacity": True}}]
DATA = make_pod(volumes=use_claims("data"))
DEVICE = make_pod(resourceClaims=[{"name": "c", "resourceClaimName": "mine"}])
TERM = {"topologyKey": ZONE, "labelSelector": {}, "namespaceSelector": {"matchLabels": {"team": "r"}}}
AWAY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}


def _placed(wanted: Obj, unlisted: str, **more: object) -> Decision:
    doc = {"nodes": [make_node("a", labels={ZONE: "z1"})], **more, "pods": [*more.get("pods", []), wanted]}
    cluster = ClusterView.of(read_placing(doc, Source("x"), [unlisted]))
    found = cluster.pod("default", "p")
    assert found
    explain(found, cluster)
    return decide(found, cluster)


@pytest.mark.parametrize(
    ("kind", "wanted", "more"),
    [
        ("PersistentVolumeClaim", DATA, {}),
        ("PersistentVolume", DATA, {"pvcs": [make_claim(to="pv")]}),
        ("StorageClass", DATA, {"pvcs": [make_claim()]}),
        ("CSINode", DATA, {"pvcs": [make_claim(to="pv")], "pvs": [make_volume("pv")]}),
        (
            "VolumeAttachment",
            DATA,
            {
                "pvcs": [make_claim(to="pv")],
                "pvs": [make_volume("pv")],
                "csinodes": [make_csi_node("a", disk_example_com=1)],
            },
        ),
        ("CSIDriver", DATA, {"pvcs": [make_claim()], "classes": MADE}),
        ("CSIStorageCapacity", DATA, {"pvcs": [make_claim()], "classes": MADE, "csidrivers": DRIVER}),
        ("Namespace", make_pod(affinity=AWAY), {}),
        ("Namespace", make_pod(), {"pods": [{**make_pod("q", on="a", affinity=AWAY)}]}),
        ("ResourceClaim", DEVICE, {}),
        ("DeviceClass", DEVICE, {"resourceclaims": [resource_claim()]}),
        ("ResourceSlice", DEVICE, {"resourceclaims": [resource_claim()], "deviceclasses": [GPU]}),
    ],
)
def test_each_kind(kind: str, wanted: Obj, more: dict[str, object]) -> None:
    found = _placed(wanted, kind, **more)
    assert not found.fits and not found.message and not found.held
    told = [found.rejected] if found.rejected else [r for rs in (found.undecided or {}).values() for r in rs]
    assert [r.outcome for r in told] == ["unknown"] * len(told) and any(kind in r.message for r in told)


def test_a_pod_that_needs_none_of_a_kind_is_decided_without_it() -> None:
    for kind in ("PersistentVolume", "CSIDriver", "Namespace", "ResourceSlice"):
        assert _placed(make_pod(), kind).fits == ("a",)
