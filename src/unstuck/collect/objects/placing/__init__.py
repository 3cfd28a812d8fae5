"""Kubernetes objects, reduced to the parts that placing a Pod depends on.

Lists are read as the API returns them. Nothing here raises for any input: unreadable parts are named in the
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing import storage
from unstuck.collect.objects.placing.devices import device_class_input, resource_claim_input, slice_input
from unstuck.collect.objects.placing.nodes import namespace_input, node_input
from unstuck.collect.objects.placing.pods import Pods
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref, Source

# The keys of a cluster written as one document, and the kinds that they hold.
KINDS: Mapping[str, str] = {
    "nodes": "Node",
    "pods": "Pod",
    "namespaces": "Namespace",
    "pvcs": "PersistentVolumeClaim",
    "pvs": "PersistentVolume",
    "classes": "StorageClass",
    "csinodes": "CSINode",
    "csidrivers": "CSIDriver",
    "capacities": "CSIStorageCapacity",
    "attachments": "VolumeAttachment",
    "resourceclaims": "ResourceClaim",
    "deviceclasses": "DeviceClass",
    "resourceslices": "ResourceSlice",
}

_DEVICES = ("ResourceClaim", "DeviceClass", "ResourceSlice")
_STORAGE = tuple(kind for kind in KINDS.values() if kind not in ("Node", "Pod", "Namespace", *_DEVICES))


def read_placing(
    cluster: doc.Doc,
    src: Source,
    unlisted: Iterable[str] = (),
    pods: Pods | None = None,
    unasked: Iterable[str] = (),
) -> PlacingInputs:
    """Return the cluster's objects, given as lists under the keys of `KINDS`; a key that is missing is an
    empty list.

    unlisted: kinds that could not be listed; kinds with an unreadable object are added to them. pods: the
    ones gathered already. unasked: kinds that no waiting Pod depends on (`needed_kinds`) and that were not
    listed.
    """
    pods = pods or Pods()
    for row in doc.rows(cluster, "pods"):
        pods.add(row)
    lost = {
        *unlisted,
        *(() if pods.whole else ("Pod",)),
        *(kind for key, kind in KINDS.items() if not _readable(cluster.get(key))),
    }
    return PlacingInputs(
        about=Ref("Cluster"),
        src=src,
        nodes=tuple(map(node_input, doc.rows(cluster, "nodes"))),
        shapes=pods.shapes,
        placed=pods.placed,
        pending=pods.pending,
        namespaces=tuple(map(namespace_input, doc.rows(cluster, "namespaces"))),
        claims=tuple(map(storage.claim_input, doc.rows(cluster, "pvcs"))),
        volumes=tuple(map(storage.volume_input, doc.rows(cluster, "pvs"))),
        classes=tuple(map(storage.class_input, doc.rows(cluster, "classes"))),
        csi_nodes=tuple(map(storage.csi_node_input, doc.rows(cluster, "csinodes"))),
        csi_drivers=tuple(map(storage.csi_driver_input, doc.rows(cluster, "csidrivers"))),
        capacities=tuple(map(storage.capacity_input, doc.rows(cluster, "capacities"))),
        attachments=tuple(map(storage.attachment_input, doc.rows(cluster, "attachments"))),
        resource_claims=tuple(map(resource_claim_input, doc.rows(cluster, "resourceclaims"))),
        device_classes=tuple(map(device_class_input, doc.rows(cluster, "deviceclasses"))),
        slices=tuple(map(slice_input, doc.rows(cluster, "resourceslices"))),
        unlisted=tuple(sorted(lost)),
        unasked=tuple(sorted(unasked)),
        whole=not lost,
    )


def needed_kinds(pods: Pods) -> frozenset[str]:
    """Return the kinds on which the placement of the waiting Pods depends, beside Nodes and Pods.

    Storage only if one of them has a volume that not every Node can hold, devices if one has a ResourceClaim,
    and the labels of Namespaces if a Pod's terms, waiting or placed, select Namespaces by them.
    """
    shapes = pods.shapes
    waiting = [shapes[p.shape] for p in pods.pending]
    terms = (t for s in shapes for t in (*s.affinity, *s.anti_affinity))
    return frozenset(
        (
            *(_STORAGE if any(s.volumes for s in waiting) else ()),
            *(_DEVICES if any(s.resource_claims for s in waiting) else ()),
            *(
                ("Namespace",)
                if any(t.namespace_selector and t.namespace_selector.requirements for t in terms)
                else ()
            ),
        )
    )


def _readable(rows: object) -> bool:
    """Tell whether this is a list of objects, each with a name, or no list at all."""
    return rows is None or (
        isinstance(rows, list)
        and all(isinstance(r, Mapping) and doc.text(r, "metadata", "name") for r in rows)
    )
