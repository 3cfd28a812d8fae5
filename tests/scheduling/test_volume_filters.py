"""The volume plugins' rejections and messages. `check` verifies the agreement with kube-scheduler on random
cases.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import Obj, decide_on, list_reasons, make_node, make_pod
from tests.scheduling.volumes import (
    HOST,
    ZONE,
    make_affinity,
    make_claim,
    make_csi_node,
    make_storage_class,
    make_volume,
    use_claims,
)
from unstuck.scheduling.decide import Decision

NODES = (make_node("a", labels={ZONE: "z1"}), make_node("b", labels={ZONE: "z2"}))


def placed(*claims: Obj, pods: tuple[Obj, ...] = (), nodes: tuple[Obj, ...] = NODES, **more: Any) -> Decision:
    """Return the decision about a Pod with all of these claims."""
    more.setdefault("classes", [make_storage_class()])
    wanted = make_pod(volumes=use_claims(*(c["metadata"]["name"] for c in claims)))
    return decide_on(wanted, *nodes, pods=pods, pvcs=list(claims), **more)


def all_nodes(reason: str) -> str:
    return f"0/2 nodes are available: {reason}."


# Before any Node is checked.


def test_a_claim_that_is_not_there() -> None:
    found = decide_on(make_pod(volumes=use_claims("gone")), *NODES)
    assert found.message == all_nodes('persistentvolumeclaim "gone" not found')


def test_a_claim_of_a_generic_ephemeral_volume_is_waited_for() -> None:
    volumes = [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]
    waiting = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"'
    assert decide_on(make_pod(volumes=volumes), *NODES).message == all_nodes(waiting)
    foreign = "PVC default/p-v was not created for pod default/p (pod is not owner)"
    assert decide_on(make_pod(volumes=volumes), *NODES, pvcs=[make_claim("p-v")]).message == all_nodes(
        foreign
    )
    own = make_claim("p-v", to="pv")
    own["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}]
    assert decide_on(make_pod(volumes=volumes), *NODES, pvcs=[own], pvs=[make_volume("pv")]).fits == (
        "a",
        "b",
    )


def test_a_claim_that_is_going_or_has_lost_its_volume() -> None:
    going = make_claim(to="pv")
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    assert placed(going, pvs=[make_volume("pv")]).message == all_nodes(
        'persistentvolumeclaim "data" is being deleted'
    )
    lost = placed(make_claim(to="pv", phase="Lost"))
    assert lost.message == all_nodes(
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"'
    )


@pytest.mark.parametrize(
    ("unbound", "classes"),
    [
        (make_claim(), [make_storage_class(binding="Immediate")]),
        (make_claim(), []),
        (make_claim(storageClassName=""), [make_storage_class()]),
        (make_claim(volumeName="pv"), [make_storage_class()]),
    ],
)
def test_claims_that_should_be_bound_already(unbound: Obj, classes: list[Obj]) -> None:
    assert placed(unbound, classes=classes).message == all_nodes(
        "pod has unbound immediate PersistentVolumeClaims"
    )


def test_a_class_without_a_binding_mode_stops_the_scheduler() -> None:
    found = placed(make_claim(), classes=[{"metadata": {"name": "fast"}, "provisioner": "x"}])
    assert found.stopped and found.stopped.message.endswith(
        'VolumeBindingMode not set for StorageClass "fast"'
    )


# VolumeRestrictions

READ_ONE = {"readOnly": True}


@pytest.mark.parametrize(
    ("kind", "mine", "theirs", "clash"),
    [
        ("gcePersistentDisk", {"pdName": "d"}, {"pdName": "d"}, True),
        ("gcePersistentDisk", {"pdName": "d"}, {"pdName": "e"}, False),
        ("gcePersistentDisk", {"pdName": "d", **READ_ONE}, {"pdName": "d", **READ_ONE}, False),
        ("gcePersistentDisk", {"pdName": "d", **READ_ONE}, {"pdName": "d"}, True),
        ("awsElasticBlockStore", {"volumeID": "v", **READ_ONE}, {"volumeID": "v", **READ_ONE}, True),
        ("iscsi", {"iqn": "i", "lun": 0}, {"iqn": "i", "lun": 1}, True),
        ("iscsi", {"iqn": "i", "lun": 0}, {"iqn": "j", "lun": 0}, False),
        (
            "rbd",
            {"monitors": ["m"], "image": "i", **READ_ONE},
            {"monitors": ["m"], "image": "i", **READ_ONE},
            False,
        ),
        ("iscsi", {"iqn": "i", **READ_ONE}, {"iqn": "i", **READ_ONE}, False),
        (
            "rbd",
            {"monitors": ["m", "n"], "pool": "p", "image": "i"},
            {"monitors": ["n"], "pool": "p", "image": "i"},
            True,
        ),
        (
            "rbd",
            {"monitors": ["m"], "pool": "p", "image": "i"},
            {"monitors": ["n"], "pool": "p", "image": "i"},
            False,
        ),
        (
            "rbd",
            {"monitors": ["m"], "pool": "p", "image": "i"},
            {"monitors": ["m"], "pool": "q", "image": "i"},
            False,
        ),
        ("nfs", {"server": "s", "path": "/"}, {"server": "s", "path": "/"}, False),
    ],
)
def test_disks_that_only_one_pod_of_a_node_may_hold(kind: str, mine: Obj, theirs: Obj, clash: bool) -> None:
    other = make_pod("q", on="a", volumes=[{"name": "v", kind: theirs}])
    found = decide_on(make_pod(volumes=[{"name": "v", kind: mine}]), *NODES, pods=(other,))
    assert list_reasons(found, "a") == (["node(s) had no available disk"] if clash else [])
    assert "b" in found.fits


def test_a_claim_for_one_pod_alone_keeps_the_pod_from_every_node() -> None:
    one = make_claim(to="pv", accessModes=["ReadWriteOncePod"])
    in_use = (
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
        "by another pod"
    )
    found = placed(one, pvs=[make_volume("pv")], pods=(make_pod("q", on="a", volumes=use_claims("data")),))
    assert found.message == all_nodes(f"2 {in_use}")
    assert {r.outcome for rs in found.refused.values() for r in rs} == {"unschedulable"}
    elsewhere = make_pod("q", on="a", volumes=use_claims("data"))
    elsewhere["metadata"]["namespace"] = "other"
    assert placed(one, pvs=[make_volume("pv")], pods=(elsewhere,)).fits == ("a", "b")


def test_a_nominated_pod_is_compared_by_the_claim_s_name_alone() -> None:
    """As the scheduler does it: in whatever Namespace that claim is. Only where something is in use is it
    looked at.
    """
    one = make_claim(to="pv", accessModes=["ReadWriteOncePod"])
    elsewhere = make_pod("q", volumes=use_claims("data"), status={"nominatedNodeName": "a"})
    elsewhere["metadata"]["namespace"] = "other"
    disk = {"name": "d", "gcePersistentDisk": {"pdName": "d"}}
    found = decide_on(
        make_pod(volumes=[*use_claims("data"), disk]),
        *NODES,
        pods=(elsewhere,),
        pvcs=[one],
        pvs=[make_volume("pv")],
        classes=[make_storage_class()],
    )
    assert found.fits == ("b",)


# NodeVolumeLimits


def _full(**more: Any) -> Decision:
    """Return the decision about a Pod with a claim of a driver that already has a volume on node a."""
    others = (make_pod("q", on="a", volumes=use_claims("old")),)
    pvs = [make_volume("pv"), make_volume("pw")]
    return placed(
        make_claim(to="pv"),
        make_claim("old", to="pw"),
        **{"pods": others, "pvs": pvs, "csinodes": [make_csi_node("a", disk_example_com=2)], **more},
    )


def test_no_more_volumes_than_the_driver_allows() -> None:
    exceeded = ["node(s) exceed max volume count"]
    # The Pod uses both claims, one of them already on node a.
    assert _full().fits == ("a", "b")
    assert list_reasons(_full(csinodes=[make_csi_node("a", disk_example_com=1)]), "a") == exceeded
    assert _full(csinodes=[make_csi_node("a", another_example_com=1)]).fits == ("a", "b")
    attached = [
        {
            "metadata": {"name": "x"},
            "spec": {
                "attacher": "disk.example.com",
                "nodeName": "a",
                "source": {"persistentVolumeName": "px"},
            },
        }
    ]
    three = [make_volume("pv"), make_volume("pw"), make_volume("px")]
    assert list_reasons(_full(attachments=attached, pvs=three), "a") == exceeded
    assert _full(attachments=attached).fits == ("a", "b")


def test_a_claim_without_a_volume_counts_for_its_class_s_driver() -> None:
    classes = [make_storage_class(provisioner="disk.example.com")]
    assert list_reasons(
        placed(make_claim(), classes=classes, csinodes=[make_csi_node("a", disk_example_com=0)]), "a"
    ) == ["node(s) exceed max volume count"]


def test_in_tree_disks_count_for_the_driver_that_took_them_over() -> None:
    ebs = make_volume("pv", awsElasticBlockStore={"volumeID": "aws://z1/vol-1"})
    assert list_reasons(
        placed(make_claim(to="pv"), pvs=[ebs], csinodes=[make_csi_node("a", ebs_csi_aws_com=0)]), "a"
    ) == ["node(s) exceed max volume count"]


# VolumeBinding


def test_a_bound_volume_is_reached_from_some_nodes_only() -> None:
    found = placed(make_claim(to="pv"), pvs=[make_volume("pv", nodeAffinity=make_affinity(ZONE, "z2"))])
    assert found.fits == ("b",) and list_reasons(found, "a") == [
        "node(s) didn't match PersistentVolume's node affinity"
    ]


def test_a_bound_volume_that_is_gone() -> None:
    reason = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
    # VolumeZone rejects a Pod with such a claim before any Node, so the test uses a generic ephemeral volume.
    own = make_claim("p-v", to="pv")
    own["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}]
    found = decide_on(make_pod(volumes=[{"name": "v", "ephemeral": {}}]), *NODES, pvcs=[own])
    assert found.message == all_nodes(f"2 {reason}")
    assert placed(make_claim(to="pv")).message == all_nodes('persistentvolume "pv" not found')


ON_A, ON_B = (make_affinity(HOST, n)["required"]["nodeSelectorTerms"] for n in ("a", "b"))
NOT_ON_A = [{"matchExpressions": [{"key": HOST, "operator": "NotIn", "values": ["a"]}]}]
BOTH = [
    {
        "matchExpressions": [
            {"key": HOST, "operator": "In", "values": ["a", "b"]},
            {"key": ZONE, "operator": "In", "values": ["z1"]},
        ]
    }
]
NO_VOLUME = "node(s) didn't find available persistent volumes to bind"


@pytest.mark.parametrize(
    ("there", "fits"),
    [
        (make_volume("pv", nodeAffinity=make_affinity(HOST, "b")), ("b",)),
        (make_volume("pv"), ("a", "b")),
        (make_volume("pv", size="1023Mi"), ()),
        (make_volume("pv", storageClassName="slow"), ()),
        (make_volume("pv", accessModes=["ReadOnlyMany"]), ()),
        (make_volume("pv", volumeMode="Block"), ()),
        (make_volume("pv", volumeAttributesClassName="gold"), ()),
        (make_volume("pv", phase="Released"), ()),
        (make_volume("pv", claimRef={"namespace": "default", "name": "other"}), ()),
        (make_volume("pv", claimRef={"namespace": "default", "name": "data", "uid": "another"}), ()),
        (
            make_volume(
                "pv", claimRef={"namespace": "default", "name": "data"}, phase="Released", accessModes=[]
            ),
            ("a", "b"),
        ),
        (make_volume("pv", claimRef={"namespace": "default", "name": "data"}, storageClassName="slow"), ()),
        (make_volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": [*ON_A, *ON_B]}}), ("a", "b")),
        (make_volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": ON_A, "x": ON_B}}), ("a",)),
        (make_volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": NOT_ON_A}}), ("b",)),
        (make_volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": BOTH}}), ("a",)),
        (make_volume("pv", capacity={}), ()),
    ],
)
def test_a_claim_that_waits_is_bound_to_a_volume_that_fits_it(there: Obj, fits: tuple[str, ...]) -> None:
    found = placed(make_claim(), pvs=[there])
    assert found.fits == fits
    assert all(list_reasons(found, n) == [NO_VOLUME] for n in ("a", "b") if n not in fits)


def test_a_volume_that_names_the_claim_is_taken_even_where_another_would_do() -> None:
    own = make_volume(
        "own",
        size="9Gi",
        claimRef={"namespace": "default", "name": "data"},
        nodeAffinity=make_affinity(HOST, "b"),
    )
    assert placed(make_claim(), pvs=[own, make_volume("pv")]).fits == ("b",)


def test_each_claim_takes_the_smallest_volume_that_is_left() -> None:
    local = [
        make_volume("one", size="1Gi", nodeAffinity=make_affinity(HOST, "a")),
        make_volume("ten", size="10Gi", nodeAffinity=make_affinity(HOST, "a")),
    ]
    assert placed(make_claim("x", size="5Gi"), make_claim("y", size="1Gi"), pvs=local).fits == ("a",)
    assert placed(make_claim("x", size="5Gi"), make_claim("y", size="2Gi"), pvs=local).fits == ()


def test_a_volume_that_is_going_is_not_taken() -> None:
    going = make_volume("pv")
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    assert placed(make_claim(), pvs=[going]).message == all_nodes(f"2 {NO_VOLUME}")


def test_modes_and_sizes_that_are_not_given() -> None:
    assert placed(make_claim(volumeMode="Block"), pvs=[make_volume("pv", volumeMode="Block")]).fits == (
        "a",
        "b",
    )
    assert placed(make_claim(volumeMode="Filesystem"), pvs=[make_volume("pv")]).fits == ("a", "b")
    assert placed(make_claim(resources={}), pvs=[make_volume("pv", capacity={})]).fits == ("a", "b")


def test_a_selector_of_a_claim() -> None:
    wanted = make_claim(selector={"matchLabels": {"disk": "ssd"}})
    assert placed(wanted, pvs=[make_volume("pv", labels={"disk": "ssd"})]).fits == ("a", "b")
    assert placed(wanted, pvs=[make_volume("pv", labels={"disk": "hdd"})]).message == all_nodes(
        f"2 {NO_VOLUME}"
    )
    odd = placed(
        make_claim(selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}), pvs=[make_volume("pv")]
    )
    assert odd.stopped and "internal label selector for claim: default/data" in odd.stopped.message


def test_a_node_was_chosen_for_the_claim_already() -> None:
    chosen = make_claim(notes={"volume.kubernetes.io/selected-node": "b"})
    found = placed(chosen, classes=[make_storage_class(provisioner="disk.example.com")])
    assert found.fits == ("b",) and list_reasons(found, "a") == [NO_VOLUME]


def test_volumes_are_made_where_the_class_allows_it() -> None:
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["z2"]}]}]
    found = placed(
        make_claim(),
        classes=[make_storage_class(provisioner="disk.example.com", allowedTopologies=topologies)],
    )
    assert found.fits == ("b",) and list_reasons(found, "a") == [NO_VOLUME]


def _capacity(size: str, zone: str, **more: Any) -> Obj:
    return {
        "metadata": {"name": zone},
        "storageClassName": "fast",
        "nodeTopology": {"matchLabels": {ZONE: zone}},
        "capacity": size,
        **more,
    }


def test_volumes_are_made_where_the_driver_has_room() -> None:
    tells = [{"metadata": {"name": "disk.example.com"}, "spec": {"storageCapacity": True}}]
    silent = [{"metadata": {"name": "disk.example.com"}, "spec": {}}]
    classes = [make_storage_class(provisioner="disk.example.com")]
    rooms = [_capacity("10Gi", "z1"), _capacity("1Gi", "z2")]
    found = placed(make_claim(size="2Gi"), classes=classes, csidrivers=tells, capacities=rooms)
    assert found.fits == ("a",) and list_reasons(found, "b") == ["node(s) did not have enough free storage"]
    assert placed(make_claim(size="2Gi"), classes=classes, csidrivers=silent, capacities=rooms).fits == (
        "a",
        "b",
    )
    narrow = [_capacity("10Gi", "z1", maximumVolumeSize="1Gi")]
    assert placed(make_claim(size="2Gi"), classes=classes, csidrivers=tells, capacities=narrow).fits == ()


def test_in_tree_disks_are_reached_by_their_driver_s_zone() -> None:
    disk = make_volume("pv", labels={ZONE: "z1"}, gcePersistentDisk={"pdName": "d"})
    nodes = (
        make_node("a", labels={"topology.gke.io/zone": "z1"}),
        make_node("b", labels={"topology.gke.io/zone": "z2"}),
    )
    took_over = [make_csi_node(n, migrated="kubernetes.io/gce-pd") for n in ("a", "b")]
    found = placed(make_claim(to="pv"), pvs=[disk], nodes=nodes, csinodes=took_over)
    assert found.fits == ("a",) and list_reasons(found, "b") == [
        "node(s) didn't match PersistentVolume's node affinity"
    ]
    assert placed(make_claim(to="pv"), pvs=[disk], nodes=nodes).fits == ("a", "b")


# VolumeZone


@pytest.mark.parametrize(
    ("label", "value", "fits"),
    [
        (ZONE, "z1", ("a",)),
        (ZONE, "z1__z2", ("a", "b")),
        (ZONE, "z1__", ("a", "b")),
        ("failure-domain.beta.kubernetes.io/zone", "z2", ("b",)),
        ("topology.kubernetes.io/region", "r1", ()),
        ("rack", "1", ("a", "b")),
    ],
)
def test_a_volume_s_zone(label: str, value: str, fits: tuple[str, ...]) -> None:
    found = placed(make_claim(to="pv"), pvs=[make_volume("pv", labels={label: value})])
    assert found.fits == fits
    assert all(
        list_reasons(found, n) == ["node(s) had no available volume zone"]
        for n in ("a", "b")
        if n not in fits
    )


def test_a_node_that_tells_no_zone_is_in_every_zone() -> None:
    assert placed(
        make_claim(to="pv"), pvs=[make_volume("pv", labels={ZONE: "z9"})], nodes=(make_node("a"),)
    ).fits == ("a",)


# Unreadable fields


@pytest.mark.parametrize(
    ("claims", "more"),
    [
        ([make_claim(size="lots")], {"pvs": [make_volume("pv")]}),
        ([make_claim(to="pv")], {"pvs": [make_volume("pv", nodeAffinity="here")]}),
        ([make_claim()], {"pvs": [make_volume("pv", size="much")]}),
        ([make_claim()], {"classes": [make_storage_class(allowedTopologies="z1")]}),
        (
            [make_claim(to="pv")],
            {"pvs": [make_volume("pv")], "csinodes": [make_csi_node("a", disk_example_com="no")]},
        ),
    ],
)
def test_what_does_not_read_is_named_and_is_no_fit(claims: list[Obj], more: dict[str, Any]) -> None:
    found = placed(*claims, **more)
    assert "a" not in found.fits and not found.message
    told = [found.rejected] if found.rejected else [r for rs in (found.undecided or {}).values() for r in rs]
    assert told and all(r.outcome == "unknown" and " is " in r.message for r in told)
