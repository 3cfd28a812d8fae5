"""PersistentVolumeClaims and StorageClasses; ConfigMaps and Secrets by their keys alone."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.addresses import find_addresses
from unstuck.collect.objects.generic import SeenObject, status_facts
from unstuck.collect.objects.placing.selectors import node_terms
from unstuck.collect.objects.placing.strict import StrictPart
from unstuck.collect.objects.pulls import pull_server_facts
from unstuck.collect.objects.shapes import decode_values, find_shapes
from unstuck.collect.objects.tls import certificate_facts
from unstuck.collect.objects.value_paths import find_paths_in
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.storage import Attached, Attachment, CsiDrivers, CsiSource, Reserved
from unstuck.facts.core import Fact, Ref
from unstuck.facts.quantity import parse_amount

_CLASS = (
    "volume.beta.kubernetes.io/storage-class"  # before 1.6 the field was this annotation; it still counts
)
_BLOCK = "Block"
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def claim_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Claim, Phase and Conditions of a PersistentVolumeClaim."""
    spec = doc.section(seen.obj, "spec")
    if spec:
        given = doc.at(spec, "storageClassName")
        class_ = (
            given if isinstance(given, str) else doc.text(seen.obj, "metadata", "annotations", _CLASS) or None
        )
        volume = doc.text(spec, "volumeName") or None
        size = doc.scalar(spec, "resources", "requests", "storage")
        yield Claim(
            about=seen.ref,
            src=seen.src(
                f"storageClassName {class_ if class_ is not None else 'not given'}, volumeName "
                f"{volume or 'none'}"
            ),
            storage_class=class_,
            volume=volume,
            modes=doc.strings(spec, "accessModes"),
            size=parse_amount("storage", size) if size else None,
            capacity=_parse_bytes(seen.obj, "status", "capacity", "storage"),
            block=doc.text(spec, "volumeMode") == _BLOCK,
            whole=seen.observed,
        )
    yield from status_facts(seen)


def volume_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the users, Phase and Conditions of a PersistentVolume. Its protection depends on the phase alone:
    Bound means in use, for any claim.
    """
    phase = doc.text(seen.obj, "status", "phase")
    if phase:
        claim = doc.section(seen.obj, "spec", "claimRef")
        ref = Ref(
            "PersistentVolumeClaim",
            doc.text(claim, "namespace") or None,
            doc.text(claim, "name") or None,
            doc.text(claim, "uid") or None,
        )
        bound = phase == "Bound" and ref.name is not None
        quote = (
            f"phase {phase}, claimRef {ref.within}/{ref.name}" if ref.name else f"phase {phase}, no claimRef"
        )
        yield Users(about=seen.ref, src=seen.src(quote), refs=(ref,) if bound else (), whole=seen.observed)
    if spec := doc.section(seen.obj, "spec"):
        yield _read_reserved(seen, spec)
        driver, handle = doc.text(spec, "csi", "driver"), doc.text(spec, "csi", "volumeHandle")
        yield CsiSource(
            about=seen.ref,
            src=seen.src(f"csi driver {driver}" if driver else "no CSI volume"),
            driver=driver,
            handle=handle,
            local=doc.text(spec, "local", "path"),
            host=doc.text(spec, "hostPath", "path"),
            whole=seen.observed,
        )
    yield from status_facts(seen)


def _parse_bytes(obj: doc.Doc, *path: str) -> int | None:
    text = doc.scalar(obj, *path)
    return parse_amount("storage", text) if text else None


def _read_reserved(seen: SeenObject, spec: doc.Doc) -> Reserved:
    ref = doc.section(spec, "claimRef")
    claim = (
        (doc.text(ref, "namespace"), doc.text(ref, "name"), doc.text(ref, "uid"))
        if doc.text(ref, "name")
        else None
    )
    return Reserved(
        about=seen.ref,
        src=seen.src(
            f"claimRef {claim[0]}/{claim[1]} uid {claim[2] or 'not given'}" if claim else "no claimRef"
        ),
        claim=claim,
        policy=doc.text(spec, "persistentVolumeReclaimPolicy"),
        storage_class=doc.text(spec, "storageClassName"),
        size=_parse_bytes(spec, "capacity", "storage"),
        modes=doc.strings(spec, "accessModes"),
        block=doc.text(spec, "volumeMode") == _BLOCK,
        places=node_terms(StrictPart(spec, "spec", []).part("nodeAffinity"), "required") or (),
        whole=seen.observed,
    )


def csi_node_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield the drivers of a CSINode, about the Node of its name."""
    names = tuple(doc.text(row, "name") for row in doc.rows(seen.obj, "spec", "drivers"))
    src = seen.src(f"drivers {', '.join(names) or 'none'}")
    yield CsiDrivers(about=Ref("Node", None, seen.ref.name), src=src, names=names, whole=seen.observed)


def attachment_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield a VolumeAttachment: its volume, its Node, and the error of detaching."""
    spec, error = doc.section(seen.obj, "spec"), doc.section(seen.obj, "status", "detachError")
    if not spec:
        return
    item = Attached(
        seen.ref,
        doc.text(spec, "attacher"),
        doc.text(spec, "nodeName"),
        doc.text(spec, "source", "persistentVolumeName"),
        doc.flag(seen.obj, "status", "attached"),
        mask_message(doc.text(error, "message")),
        doc.time(error, "time"),
    )
    said = f", detachError: {item.error}" if item.error else ""
    quote = f"{item.volume or 'inline volume'} on {item.node}, attached {str(item.attached).lower()}{said}"
    yield Attachment(about=seen.ref, src=seen.src(quote), item=item, whole=seen.observed)
    yield from status_facts(seen)


def storage_class_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield a StorageClass; its fields are at the object's top."""
    provisioner = doc.text(seen.obj, "provisioner")
    if provisioner and seen.observed:
        mode = doc.text(seen.obj, "volumeBindingMode")
        annotations = doc.section(seen.obj, "metadata", "annotations")
        yield StorageClass(
            about=seen.ref,
            src=seen.src(f"provisioner {provisioner}, volumeBindingMode {mode or 'Immediate'}"),
            provisioner=provisioner,
            waits=mode == "WaitForFirstConsumer",
            default=any(doc.scalar(annotations, a) == "true" for a in _DEFAULT),
        )


def config_map_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield keys of `data` and `binaryData`; of a value only the addresses and paths in it, and
    the end of its first line, if that names an interpreter.
    """
    names = tuple(sorted({*doc.keys(seen.obj, "data"), *doc.keys(seen.obj, "binaryData")}))
    returning = tuple(sorted(key for key, value in doc.pairs(seen.obj, "data") if _has_return(value)))
    yield Keys(
        about=seen.ref,
        src=seen.src(f"keys {', '.join(names) or 'none'}"),
        names=names,
        returning=returning,
        shapes=find_shapes(doc.pairs(seen.obj, "data")),
        addresses=find_addresses(doc.pairs(seen.obj, "data")),
        paths=find_paths_in(doc.pairs(seen.obj, "data")),
        whole=seen.observed,
    )


def _has_return(value: str) -> bool:
    """Tell whether a script's first line ends with CRLF, so that the kernel looks for an interpreter with the
    CR in its name.
    """
    return value.startswith("#!") and value.partition("\n")[0].endswith("\r")


def secret_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield Keys, type, registries and a certificate's public fields; no other value leaves this function."""
    names = tuple(sorted({*doc.keys(seen.obj, "data"), *doc.keys(seen.obj, "stringData")}))
    type_ = doc.text(seen.obj, "type")
    yield Keys(
        about=seen.ref,
        src=seen.src(f"type {type_}, keys {', '.join(names) or 'none'}"),
        names=names,
        secret_type=type_,
        shapes=find_shapes(decode_values(doc.pairs(seen.obj, "data"))),
        whole=seen.observed,
    )
    yield from pull_server_facts(seen)
    yield from certificate_facts(seen)
