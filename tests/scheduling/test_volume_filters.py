"""What the volume plugins refuse and in which words. That they agree with kube-scheduler's is held by
`check`, at random.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scheduling.make import Obj, decided, node, pod, said
from tests.scheduling.volumes import HOST, ZONE, at, claim, csi_node, storage_class, uses, volume
from unstuck.scheduling.decide import Decision

NODES = (node("a", labels={ZONE: "z1"}), node("b", labels={ZONE: "z2"}))


def placed(*claims: Obj, pods: tuple[Obj, ...] = (), nodes: tuple[Obj, ...] = NODES, **more: Any) -> Decision:
    """The Pod uses all of these claims."""
    more.setdefault("classes", [storage_class()])
    wanted = pod(volumes=uses(*(c["metadata"]["name"] for c in claims)))
    return decided(wanted, *nodes, pods=pods, pvcs=list(claims), **more)


def all_nodes(reason: str) -> str:
    return f"0/2 nodes are available: {reason}."


# Before any Node is looked at.


def test_a_claim_that_is_not_there() -> None:
    found = decided(pod(volumes=uses("gone")), *NODES)
    assert found.message == all_nodes('persistentvolumeclaim "gone" not found')


def test_a_claim_of_a_generic_ephemeral_volume_is_waited_for() -> None:
    volumes = [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]
    waiting = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"'
    assert decided(pod(volumes=volumes), *NODES).message == all_nodes(waiting)
    foreign = "PVC default/p-v was not created for pod default/p (pod is not owner)"
    assert decided(pod(volumes=volumes), *NODES, pvcs=[claim("p-v")]).message == all_nodes(foreign)
    own = claim("p-v", to="pv")
    own["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}]
    assert decided(pod(volumes=volumes), *NODES, pvcs=[own], pvs=[volume("pv")]).fits == ("a", "b")


def test_a_claim_that_is_going_or_has_lost_its_volume() -> None:
    going = claim(to="pv")
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    assert placed(going, pvs=[volume("pv")]).message == all_nodes(
        'persistentvolumeclaim "data" is being deleted'
    )
    lost = placed(claim(to="pv", phase="Lost"))
    assert lost.message == all_nodes(
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"'
    )


@pytest.mark.parametrize(
    ("unbound", "classes"),
    [
        (claim(), [storage_class(binding="Immediate")]),
        (claim(), []),
        (claim(storageClassName=""), [storage_class()]),
        (claim(volumeName="pv"), [storage_class()]),
    ],
)
def test_claims_that_should_be_bound_already(unbound: Obj, classes: list[Obj]) -> None:
    assert placed(unbound, classes=classes).message == all_nodes(
        "pod has unbound immediate PersistentVolumeClaims"
    )


def test_a_class_without_a_binding_mode_stops_the_scheduler() -> None:
    found = placed(claim(), classes=[{"metadata": {"name": "fast"}, "provisioner": "x"}])
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
    other = pod("q", on="a", volumes=[{"name": "v", kind: theirs}])
    found = decided(pod(volumes=[{"name": "v", kind: mine}]), *NODES, pods=(other,))
    assert said(found, "a") == (["node(s) had no available disk"] if clash else [])
    assert "b" in found.fits


def test_a_claim_for_one_pod_alone_keeps_the_pod_from_every_node() -> None:
    one = claim(to="pv", accessModes=["ReadWriteOncePod"])
    in_use = (
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use "
        "by another pod"
    )
    found = placed(one, pvs=[volume("pv")], pods=(pod("q", on="a", volumes=uses("data")),))
    assert found.message == all_nodes(f"2 {in_use}")
    assert {r.outcome for rs in found.refused.values() for r in rs} == {"unschedulable"}
    elsewhere = pod("q", on="a", volumes=uses("data"))
    elsewhere["metadata"]["namespace"] = "other"
    assert placed(one, pvs=[volume("pv")], pods=(elsewhere,)).fits == ("a", "b")


def test_a_nominated_pod_is_compared_by_the_claim_s_name_alone() -> None:
    """As the scheduler does it: in whatever Namespace that claim is. Only where something is in use is it
    looked at.
    """
    one = claim(to="pv", accessModes=["ReadWriteOncePod"])
    elsewhere = pod("q", volumes=uses("data"), status={"nominatedNodeName": "a"})
    elsewhere["metadata"]["namespace"] = "other"
    disk = {"name": "d", "gcePersistentDisk": {"pdName": "d"}}
    found = decided(
        pod(volumes=[*uses("data"), disk]),
        *NODES,
        pods=(elsewhere,),
        pvcs=[one],
        pvs=[volume("pv")],
        classes=[storage_class()],
    )
    assert found.fits == ("b",)


# NodeVolumeLimits


def _full(**more: Any) -> Decision:
    """Node a holds one volume of a driver that may hold one."""
    others = (pod("q", on="a", volumes=uses("old")),)
    pvs = [volume("pv"), volume("pw")]
    return placed(
        claim(to="pv"),
        claim("old", to="pw"),
        **{"pods": others, "pvs": pvs, "csinodes": [csi_node("a", disk_example_com=2)], **more},
    )


def test_no_more_volumes_than_the_driver_allows() -> None:
    exceeded = ["node(s) exceed max volume count"]
    # The Pod uses both claims, one of which is on node a already.
    assert _full().fits == ("a", "b")
    assert said(_full(csinodes=[csi_node("a", disk_example_com=1)]), "a") == exceeded
    assert _full(csinodes=[csi_node("a", another_example_com=1)]).fits == ("a", "b")
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
    three = [volume("pv"), volume("pw"), volume("px")]
    assert said(_full(attachments=attached, pvs=three), "a") == exceeded
    assert _full(attachments=attached).fits == ("a", "b")


def test_a_claim_without_a_volume_counts_for_its_class_s_driver() -> None:
    classes = [storage_class(provisioner="disk.example.com")]
    assert said(placed(claim(), classes=classes, csinodes=[csi_node("a", disk_example_com=0)]), "a") == [
        "node(s) exceed max volume count"
    ]


def test_in_tree_disks_count_for_the_driver_that_took_them_over() -> None:
    ebs = volume("pv", awsElasticBlockStore={"volumeID": "aws://z1/vol-1"})
    assert said(placed(claim(to="pv"), pvs=[ebs], csinodes=[csi_node("a", ebs_csi_aws_com=0)]), "a") == [
        "node(s) exceed max volume count"
    ]


# VolumeBinding


def test_a_bound_volume_is_reached_from_some_nodes_only() -> None:
    found = placed(claim(to="pv"), pvs=[volume("pv", nodeAffinity=at(ZONE, "z2"))])
    assert found.fits == ("b",) and said(found, "a") == [
        "node(s) didn't match PersistentVolume's node affinity"
    ]


def test_a_bound_volume_that_is_gone() -> None:
    reason = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
    # VolumeZone refuses a Pod with such a claim before any Node, so a generic ephemeral volume shows it.
    own = claim("p-v", to="pv")
    own["metadata"]["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}]
    found = decided(pod(volumes=[{"name": "v", "ephemeral": {}}]), *NODES, pvcs=[own])
    assert found.message == all_nodes(f"2 {reason}")
    assert placed(claim(to="pv")).message == all_nodes('persistentvolume "pv" not found')


ON_A, ON_B = (at(HOST, n)["required"]["nodeSelectorTerms"] for n in ("a", "b"))
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
        (volume("pv", nodeAffinity=at(HOST, "b")), ("b",)),
        (volume("pv"), ("a", "b")),
        (volume("pv", size="1023Mi"), ()),
        (volume("pv", storageClassName="slow"), ()),
        (volume("pv", accessModes=["ReadOnlyMany"]), ()),
        (volume("pv", volumeMode="Block"), ()),
        (volume("pv", volumeAttributesClassName="gold"), ()),
        (volume("pv", phase="Released"), ()),
        (volume("pv", claimRef={"namespace": "default", "name": "other"}), ()),
        (volume("pv", claimRef={"namespace": "default", "name": "data", "uid": "another"}), ()),
        (
            volume("pv", claimRef={"namespace": "default", "name": "data"}, phase="Released", accessModes=[]),
            ("a", "b"),
        ),
        (volume("pv", claimRef={"namespace": "default", "name": "data"}, storageClassName="slow"), ()),
        (volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": [*ON_A, *ON_B]}}), ("a", "b")),
        (volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": ON_A, "x": ON_B}}), ("a",)),
        (volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": NOT_ON_A}}), ("b",)),
        (volume("pv", nodeAffinity={"required": {"nodeSelectorTerms": BOTH}}), ("a",)),
        (volume("pv", capacity={}), ()),
    ],
)
def test_a_claim_that_waits_is_bound_to_a_volume_that_fits_it(there: Obj, fits: tuple[str, ...]) -> None:
    found = placed(claim(), pvs=[there])
    assert found.fits == fits
    assert all(said(found, n) == [NO_VOLUME] for n in ("a", "b") if n not in fits)


def test_a_volume_that_names_the_claim_is_taken_even_where_another_would_do() -> None:
    own = volume(
        "own", size="9Gi", claimRef={"namespace": "default", "name": "data"}, nodeAffinity=at(HOST, "b")
    )
    assert placed(claim(), pvs=[own, volume("pv")]).fits == ("b",)


def test_each_claim_takes_the_smallest_volume_that_is_left() -> None:
    local = [
        volume("one", size="1Gi", nodeAffinity=at(HOST, "a")),
        volume("ten", size="10Gi", nodeAffinity=at(HOST, "a")),
    ]
    assert placed(claim("x", size="5Gi"), claim("y", size="1Gi"), pvs=local).fits == ("a",)
    assert placed(claim("x", size="5Gi"), claim("y", size="2Gi"), pvs=local).fits == ()


def test_a_volume_that_is_going_is_not_taken() -> None:
    going = volume("pv")
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    assert placed(claim(), pvs=[going]).message == all_nodes(f"2 {NO_VOLUME}")


def test_modes_and_sizes_that_are_not_given() -> None:
    assert placed(claim(volumeMode="Block"), pvs=[volume("pv", volumeMode="Block")]).fits == ("a", "b")
    assert placed(claim(volumeMode="Filesystem"), pvs=[volume("pv")]).fits == ("a", "b")
    assert placed(claim(resources={}), pvs=[volume("pv", capacity={})]).fits == ("a", "b")


def test_a_selector_of_a_claim() -> None:
    wanted = claim(selector={"matchLabels": {"disk": "ssd"}})
    assert placed(wanted, pvs=[volume("pv", labels={"disk": "ssd"})]).fits == ("a", "b")
    assert placed(wanted, pvs=[volume("pv", labels={"disk": "hdd"})]).message == all_nodes(f"2 {NO_VOLUME}")
    odd = placed(claim(selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}), pvs=[volume("pv")])
    assert odd.stopped and "internal label selector for claim: default/data" in odd.stopped.message


def test_a_node_was_chosen_for_the_claim_already() -> None:
    chosen = claim(notes={"volume.kubernetes.io/selected-node": "b"})
    found = placed(chosen, classes=[storage_class(provisioner="disk.example.com")])
    assert found.fits == ("b",) and said(found, "a") == [NO_VOLUME]


def test_volumes_are_made_where_the_class_allows_it() -> None:
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["z2"]}]}]
    found = placed(
        claim(), classes=[storage_class(provisioner="disk.example.com", allowedTopologies=topologies)]
    )
    assert found.fits == ("b",) and said(found, "a") == [NO_VOLUME]


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
    classes = [storage_class(provisioner="disk.example.com")]
    rooms = [_capacity("10Gi", "z1"), _capacity("1Gi", "z2")]
    found = placed(claim(size="2Gi"), classes=classes, csidrivers=tells, capacities=rooms)
    assert found.fits == ("a",) and said(found, "b") == ["node(s) did not have enough free storage"]
    assert placed(claim(size="2Gi"), classes=classes, csidrivers=silent, capacities=rooms).fits == ("a", "b")
    narrow = [_capacity("10Gi", "z1", maximumVolumeSize="1Gi")]
    assert placed(claim(size="2Gi"), classes=classes, csidrivers=tells, capacities=narrow).fits == ()


def test_in_tree_disks_are_reached_by_their_driver_s_zone() -> None:
    disk = volume("pv", labels={ZONE: "z1"}, gcePersistentDisk={"pdName": "d"})
    nodes = (
        node("a", labels={"topology.gke.io/zone": "z1"}),
        node("b", labels={"topology.gke.io/zone": "z2"}),
    )
    took_over = [csi_node(n, migrated="kubernetes.io/gce-pd") for n in ("a", "b")]
    found = placed(claim(to="pv"), pvs=[disk], nodes=nodes, csinodes=took_over)
    assert found.fits == ("a",) and said(found, "b") == [
        "node(s) didn't match PersistentVolume's node affinity"
    ]
    assert placed(claim(to="pv"), pvs=[disk], nodes=nodes).fits == ("a", "b")


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
    found = placed(claim(to="pv"), pvs=[volume("pv", labels={label: value})])
    assert found.fits == fits
    assert all(
        said(found, n) == ["node(s) had no available volume zone"] for n in ("a", "b") if n not in fits
    )


def test_a_node_that_tells_no_zone_is_in_every_zone() -> None:
    assert placed(claim(to="pv"), pvs=[volume("pv", labels={ZONE: "z9"})], nodes=(node("a"),)).fits == ("a",)


# What cannot be read


@pytest.mark.parametrize(
    ("claims", "more"),
    [
        ([claim(size="lots")], {"pvs": [volume("pv")]}),
        ([claim(to="pv")], {"pvs": [volume("pv", nodeAffinity="here")]}),
        ([claim()], {"pvs": [volume("pv", size="much")]}),
        ([claim()], {"classes": [storage_class(allowedTopologies="z1")]}),
        ([claim(to="pv")], {"pvs": [volume("pv")], "csinodes": [csi_node("a", disk_example_com="no")]}),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_read_is_named_and_is_no_fit(claims: list[Obj], more: dict[str, Any]) -> None:
    found = placed(*claims, **more)
    assert "a" not in found.fits and not found.message
    told = [found.rejected] if found.rejected else [r for rs in (found.undecided or {}).values() for r in rs]
    assert told and all(r.outcome == "unknown" and " is " in r.message for r in told)
