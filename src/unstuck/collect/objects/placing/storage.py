"""Claims, volumes, classes and drivers, as far as placing a Pod depends on them."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.objects import doc
from unstuck.collect.objects.placing.amounts import read_list, round_up
from unstuck.collect.objects.placing.pods import fields
from unstuck.collect.objects.placing.selectors import node_terms, selector
from unstuck.collect.objects.placing.strict import StrictPart
from unstuck.facts.aspects.placing import (
    AttachmentInput,
    CapacityInput,
    ClaimInput,
    ClassInput,
    CsiDriverInput,
    CsiNodeInput,
    VolumeInput,
)
from unstuck.facts.aspects.placing_terms import UnreadableField

_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
_MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"


class WholeStorage:
    """An object in its parts, with its unreadable fields."""

    __slots__ = ("meta", "notes", "root", "spec", "status", "unread")

    def __init__(self, obj: doc.Doc, kind: str) -> None:
        self.unread: list[UnreadableField] = []
        self.root = StrictPart(obj, kind, self.unread)
        self.meta, self.spec, self.status = (
            self.root.part(k) or StrictPart({}, k, self.unread) for k in ("metadata", "spec", "status")
        )
        self.notes = doc.section(obj, "metadata", "annotations")

    @property
    def terminating(self) -> bool:
        """Whether it has a deletionTimestamp."""
        return bool(self.meta.row.get("deletionTimestamp"))

    @property
    def controller(self) -> str:
        """The uid of the owner that controls it."""
        return next((o.text("uid") for o in self.meta.parts("ownerReferences") if o.flag("controller")), "")

    def amounts(self, path: tuple[str, ...]) -> dict[str, int]:
        """Return the resource list at this path of the object."""
        return dict(round_up(read_list(self.root.row, path, ".".join(path), self.unread)))

    def given(self, part: StrictPart, key: str) -> str | None:
        """Return the string in this field, None if it is not given at all."""
        return part.text(key) if part.row.get(key) is not None else None

    def storage_class(self) -> str | None:
        """Return the name of the class; the beta annotation takes precedence over the field."""
        beta = self.notes.get(_BETA_CLASS)
        return beta if isinstance(beta, str) else self.given(self.spec, "storageClassName")


def claim_input(obj: doc.Doc) -> ClaimInput:
    """Return a PersistentVolumeClaim."""
    it = WholeStorage(obj, "PersistentVolumeClaim")
    selected = it.notes.get("volume.kubernetes.io/selected-node")
    return ClaimInput(
        namespace=it.meta.text("namespace") or "default",
        name=it.meta.text("name"),
        uid=it.meta.text("uid"),
        storage_class=it.storage_class(),
        volume=it.spec.text("volumeName"),
        modes=it.spec.strings("accessModes"),
        mode=it.spec.text("volumeMode"),
        size=it.amounts(("spec", "resources", "requests")).get("storage"),
        selector=selector(it.spec, "selector"),
        phase=it.status.text("phase"),
        bind_completed="pv.kubernetes.io/bind-completed" in it.notes,
        selected_node=selected if isinstance(selected, str) else None,
        owner=it.controller,
        terminating=it.terminating,
        attributes_class=it.spec.text("volumeAttributesClassName"),
        unreadable=tuple(it.unread),
    )


# Fields of a PersistentVolume's spec that are mappings and no source.
_NO_SOURCE = ("capacity", "claimRef", "nodeAffinity")


def volume_input(obj: doc.Doc) -> VolumeInput:
    """Return a PersistentVolume."""
    it = WholeStorage(obj, "PersistentVolume")
    kind = next(
        (
            k
            for k, v in it.spec.row.items()
            if isinstance(k, str) and isinstance(v, Mapping) and k not in _NO_SOURCE
        ),
        "",
    )
    ref = it.spec.part("claimRef")
    return VolumeInput(
        name=it.meta.text("name"),
        labels=it.meta.pairs("labels"),
        storage_class=it.storage_class() or "",
        capacity=it.amounts(("spec", "capacity")).get("storage"),
        modes=it.spec.strings("accessModes"),
        mode=it.spec.text("volumeMode"),
        claim=(ref.text("namespace"), ref.text("name"), ref.text("uid")) if ref else None,
        node_affinity=node_terms(it.spec.part("nodeAffinity"), "required"),
        phase=it.status.text("phase"),
        type=kind,
        source=fields(doc.section(it.spec.row, kind)) if kind else (),
        terminating=it.terminating,
        attributes_class=it.spec.text("volumeAttributesClassName"),
        unreadable=tuple(it.unread),
    )


def class_input(obj: doc.Doc) -> ClassInput:
    """Return a StorageClass."""
    it = WholeStorage(obj, "StorageClass")
    default = any(
        it.notes.get(f"storageclass.{prefix}kubernetes.io/is-default-class") == "true"
        for prefix in ("", "beta.")
    )
    return ClassInput(
        name=it.meta.text("name"),
        provisioner=it.root.text("provisioner"),
        binding=it.root.text("volumeBindingMode"),
        default=default,
        topologies=tuple(
            tuple((e.text("key"), e.strings("values")) for e in t.parts("matchLabelExpressions"))
            for t in it.root.parts("allowedTopologies")
        ),
        unreadable=tuple(it.unread),
    )


def csi_node_input(obj: doc.Doc) -> CsiNodeInput:
    """Return a CSINode."""
    it = WholeStorage(obj, "CSINode")
    drivers = []
    for d in it.spec.parts("drivers"):
        room = d.part("allocatable")
        drivers.append((d.text("name"), room.number("count") if room else None))
    return CsiNodeInput(
        name=it.meta.text("name"),
        drivers=tuple(drivers),
        migrated=tuple(p for p in doc.text(it.notes, _MIGRATED).split(",") if p),
        unreadable=tuple(it.unread),
    )


def csi_driver_input(obj: doc.Doc) -> CsiDriverInput:
    """Return a CSIDriver."""
    it = WholeStorage(obj, "CSIDriver")
    return CsiDriverInput(it.meta.text("name"), it.spec.flag("storageCapacity"), tuple(it.unread))


def capacity_input(obj: doc.Doc) -> CapacityInput:
    """Return a CSIStorageCapacity."""
    it = WholeStorage(obj, "CSIStorageCapacity")
    kept = {k: obj[k] for k in ("capacity", "maximumVolumeSize") if obj.get(k) is not None}
    amounts = dict(
        round_up(
            read_list({"CSIStorageCapacity": kept}, ("CSIStorageCapacity",), "CSIStorageCapacity", it.unread)
        )
    )
    return CapacityInput(
        name=it.meta.text("name"),
        storage_class=it.root.text("storageClassName"),
        topology=selector(it.root, "nodeTopology"),
        capacity=amounts.get("capacity"),
        largest=amounts.get("maximumVolumeSize"),
        unreadable=tuple(it.unread),
    )


def attachment_input(obj: doc.Doc) -> AttachmentInput:
    """Return a VolumeAttachment."""
    it = WholeStorage(obj, "VolumeAttachment")
    source = it.spec.part("source")
    return AttachmentInput(
        name=it.meta.text("name"),
        node=it.spec.text("nodeName"),
        attacher=it.spec.text("attacher"),
        volume=source.text("persistentVolumeName") if source else "",
        unreadable=tuple(it.unread),
    )
