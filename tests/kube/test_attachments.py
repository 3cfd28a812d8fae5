"""The attachments of a volume, and the attacher to detach it."""

from __future__ import annotations

import pytest

from tests.kube.cluster import cluster, make_list, make_object
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.aspects.storage import Attachment, Attachments
from unstuck.facts.core import Ref, Refused, Want

ALL = "/apis/storage.k8s.io/v1/volumeattachments"
VOLUME = Ref("PersistentVolume", None, "pvc-1")
FINALIZER = "external-attacher/disk-csi-example-com"


def attachment(name: str, volume: str, node: str):
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        **make_object(name, finalizers=[FINALIZER], deletionTimestamp="2026-11-21T00:00:00Z"),
        "spec": {
            "attacher": "disk.csi.example.com",
            "nodeName": node,
            "source": {"persistentVolumeName": volume},
        },
        "status": {"attached": True, "detachError": {"message": "no"}},
    }


def ask(pages, want: Want):
    with cluster(pages) as c:
        return list(c.collector.collect([want]))


def test_those_of_a_volume_are_told_whole_and_no_others():
    facts = ask(
        {ALL: make_list(attachment("a", "pvc-1", "n-1"), attachment("b", "pvc-2", "n-2"))},
        Want(Attachments, VOLUME),
    )
    (told,) = (f for f in facts if isinstance(f, Attachments))
    assert ([(i.ref.name, i.node, i.error) for i in told.items], told.whole) == ([("a", "n-1", "no")], True)
    about = {f.about.name for f in facts if isinstance(f, Attachment | Deletion | Finalizers)}
    assert about == {"a"}


def test_a_volume_that_is_attached_nowhere_is_told_so_and_a_denied_list_is_not():
    (told,) = (f for f in ask({ALL: make_list()}, Want(Attachments, VOLUME)) if isinstance(f, Attachments))
    assert (told.items, told.whole) == ((), True)
    assert [type(f) for f in ask({}, Want(Attachments, VOLUME))] == [Refused]
    assert [type(f) for f in ask({ALL: make_list()}, Want(Attachments, Ref("PersistentVolume")))] == [Refused]


def deployment(name: str, namespace: str, ready: int):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        **make_object(name, namespace),
        "spec": {"replicas": 1},
        "status": {"readyReplicas": ready, "replicas": 1},
    }


def lease(name: str, namespace: str, holder: str, renewed: str):
    return {
        **make_object(name, namespace),
        "spec": {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 15},
    }


OWN, OTHER = "external-attacher-leader-disk-csi-example-com", "external-attacher-leader-file-csi-example-com"
EARLY, LATE = "2026-11-20T20:00:00.000000Z", "2026-11-21T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("leases", "told"),
    [
        # Another driver's attacher is alive, under the program's own name; this driver's was scaled down.
        (
            [lease(OWN, "block", "controller-7d-x", EARLY), lease(OTHER, "file", "csi-attacher-6b-y", LATE)],
            ("Deployment", "controller", 0),
        ),
        # The longest matching name is the holder's.
        ([lease(OWN, "block", "controller-two-5c-z", LATE)], ("Deployment", "controller-two", 1)),
        # It was moved here from another Namespace.
        (
            [lease(OWN, "old", "controller-1-a", EARLY), lease(OWN, "block", "controller-two-5c-z", LATE)],
            ("Deployment", "controller-two", 1),
        ),
        # The holder runs outside the cluster, or on the host's network.
        ([lease(OWN, "block", "master-1", LATE)], ("Lease", OWN, None)),
    ],
)
def test_a_drivers_attacher_is_known_by_its_own_lease_alone(leases, told):
    workloads = [
        deployment("controller", "block", 0),
        deployment("controller-two", "block", 1),
        deployment("csi-attacher", "file", 1),
    ]
    pages = {
        f"{ALL}/a": attachment("a", "pvc-1", "n-1"),
        "/apis/apps/v1/deployments": make_list(*workloads),
        "/apis/apps/v1/statefulsets": make_list(),
        "/apis/apps/v1/daemonsets": make_list(),
        "/apis/coordination.k8s.io/v1/leases": make_list(*leases),
        **{
            f"/apis/apps/v1/namespaces/{w['metadata']['namespace']}/deployments/{w['metadata']['name']}": w
            for w in workloads
        },
    }
    facts = ask(pages, Want(FinalizerOwner, Ref("VolumeAttachment", None, "a")))
    (owner,) = (f for f in facts if isinstance(f, FinalizerOwner))
    (candidate,) = owner.candidates
    assert (candidate.ref.kind, candidate.ref.name, candidate.ready) == told
    assert candidate.renewed is not None
