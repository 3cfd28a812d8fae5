"""Claims, volumes, classes and drivers, as far as placing a Pod depends on them."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import read_list, rounded
from unstuck.collect.objects.placing.pods import fields
from unstuck.collect.objects.placing.selectors import node_terms, selector
from unstuck.facts.aspects.placing import (
    AttachmentInput,
    CapacityInput,
    ClaimInput,
    ClassInput,
    CsiDriverInput,
    CsiNodeInput,
    ResourceClaimInput,
    Unread,
    VolumeInput,
)

_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


def claim_input(obj: doc.Doc) -> ClaimInput:
    """A PersistentVolumeClaim."""
    unread: list[Unread] = []
    notes = doc.section(obj, "metadata", "annotations")
    size = dict(rounded(read_list(obj, ("spec", "resources", "requests"), "spec.resources.requests", unread))).get("storage")
    beta = notes.get(_BETA_CLASS)
    written = beta if isinstance(beta, str) else doc.at(obj, "spec", "storageClassName")
    attributes = doc.at(obj, "spec", "volumeAttributesClassName")
    return ClaimInput(
        namespace=doc.text(obj, "metadata", "namespace") or "default",
        name=doc.text(obj, "metadata", "name"),
        uid=doc.text(obj, "metadata", "uid"),
        storage_class=written if isinstance(written, str) else None,
        volume=doc.text(obj, "spec", "volumeName"),
        modes=doc.strings(obj, "spec", "accessModes"),
        mode=doc.text(obj, "spec", "volumeMode"),
        size=size,
        selector=selector(doc.section(obj, "spec"), "selector"),
        phase=doc.text(obj, "status", "phase"),
        bind_completed="pv.kubernetes.io/bind-completed" in notes,
        selected_node=doc.text(notes, "volume.kubernetes.io/selected-node"),
        owner=_controller(obj),
        terminating=bool(doc.at(obj, "metadata", "deletionTimestamp")),
        attributes_class=attributes if isinstance(attributes, str) else None,
        unreadable=tuple(unread),
    )


def _controller(obj: doc.Doc) -> str:
    return next((doc.text(o, "uid") for o in doc.rows(obj, "metadata", "ownerReferences") if doc.flag(o, "controller")), "")


# Fields of a PersistentVolume's spec that are mappings and no source.
_NO_SOURCE = ("capacity", "claimRef", "nodeAffinity")


def volume_input(obj: doc.Doc) -> VolumeInput:
    """A PersistentVolume."""
    unread: list[Unread] = []
    spec = doc.section(obj, "spec")
    kind = next((k for k, v in spec.items() if isinstance(k, str) and isinstance(v, Mapping) and k not in _NO_SOURCE), "")
    ref = doc.section(spec, "claimRef")
    beta = doc.at(obj, "metadata", "annotations", _BETA_CLASS)
    attributes = spec.get("volumeAttributesClassName")
    return VolumeInput(
        name=doc.text(obj, "metadata", "name"),
        labels=doc.pairs(obj, "metadata", "labels"),
        storage_class=beta if isinstance(beta, str) else doc.text(spec, "storageClassName"),
        capacity=dict(rounded(read_list(spec, ("capacity",), "spec.capacity", unread))).get("storage"),
        modes=doc.strings(spec, "accessModes"),
        mode=doc.text(spec, "volumeMode"),
        claim=(doc.text(ref, "namespace"), doc.text(ref, "name"), doc.text(ref, "uid")) if ref else None,
        node_affinity=node_terms(doc.section(spec, "nodeAffinity"), "required"),
        phase=doc.text(obj, "status", "phase"),
        type=kind,
        source=fields(doc.section(spec, kind)) if kind else (),
        terminating=bool(doc.at(obj, "metadata", "deletionTimestamp")),
        attributes_class=attributes if isinstance(attributes, str) else None,
        unreadable=tuple(unread),
    )


def class_input(obj: doc.Doc) -> ClassInput:
    """A StorageClass."""
    notes = doc.section(obj, "metadata", "annotations")
    default = any(notes.get(f"storageclass.{prefix}kubernetes.io/is-default-class") == "true" for prefix in ("", "beta."))
    return ClassInput(
        name=doc.text(obj, "metadata", "name"),
        provisioner=doc.text(obj, "provisioner"),
        waits=doc.text(obj, "volumeBindingMode") == "WaitForFirstConsumer",
        default=default,
        topologies=tuple(
            tuple((doc.text(e, "key"), doc.strings(e, "values")) for e in doc.rows(t, "matchLabelExpressions"))
            for t in doc.rows(obj, "allowedTopologies")
        ),
    )


def csi_node_input(obj: doc.Doc) -> CsiNodeInput:
    """A CSINode."""
    migrated = doc.text(obj, "metadata", "annotations", "storage.alpha.kubernetes.io/migrated-plugins")
    return CsiNodeInput(
        name=doc.text(obj, "metadata", "name"),
        drivers=tuple((doc.text(d, "name"), doc.whole_number(d, "allocatable", "count")) for d in doc.rows(obj, "spec", "drivers")),
        migrated=tuple(p for p in migrated.split(",") if p),
    )


def csi_driver_input(obj: doc.Doc) -> CsiDriverInput:
    """A CSIDriver."""
    return CsiDriverInput(doc.text(obj, "metadata", "name"), doc.flag(obj, "spec", "storageCapacity"))


def capacity_input(obj: doc.Doc) -> CapacityInput:
    """A CSIStorageCapacity."""
    amounts = dict(rounded(read_list({"it": {k: obj[k] for k in ("capacity", "maximumVolumeSize") if k in obj}}, ("it",), "", [])))
    return CapacityInput(
        name=doc.text(obj, "metadata", "name"),
        storage_class=doc.text(obj, "storageClassName"),
        topology=selector(obj, "nodeTopology"),
        capacity=amounts.get("capacity"),
        largest=amounts.get("maximumVolumeSize"),
    )


def attachment_input(obj: doc.Doc) -> AttachmentInput:
    """A VolumeAttachment."""
    return AttachmentInput(
        name=doc.text(obj, "metadata", "name"),
        node=doc.text(obj, "spec", "nodeName"),
        attacher=doc.text(obj, "spec", "attacher"),
        volume=doc.text(obj, "spec", "source", "persistentVolumeName"),
    )


def resource_claim_input(obj: doc.Doc) -> ResourceClaimInput:
    """A ResourceClaim."""
    allocation = doc.at(obj, "status", "allocation")
    return ResourceClaimInput(
        namespace=doc.text(obj, "metadata", "namespace") or "default",
        name=doc.text(obj, "metadata", "name"),
        uid=doc.text(obj, "metadata", "uid"),
        allocated=isinstance(allocation, Mapping),
        nodes=node_terms(allocation, "nodeSelector") if isinstance(allocation, Mapping) else None,
        reserved=tuple(doc.text(r, "uid") for r in doc.rows(obj, "status", "reservedFor")),
        classes=tuple(
            (doc.text(r, "name"), doc.text(r, "exactly", "deviceClassName") or doc.text(r, "deviceClassName"))
            for r in doc.rows(obj, "spec", "devices", "requests")
        ),
        owner=_controller(obj),
        terminating=bool(doc.at(obj, "metadata", "deletionTimestamp")),
    )
