"""In-tree volumes as their CSI drivers see them after migration: driver, volume handle, topology.

Sources (1.34): csi-translation-lib/plugins (aws_ebs.go, azure_disk.go, gce_pd.go, openstack_cinder.go,
portworx.go, in_tree_volume.go), plugins/nodevolumelimits/utils.go, plugins/volumebinding/binder.go
(`tryTranslatePVToCSI`). Azure Files and vSphere are migrated too, but the scheduler never treats them so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from unstuck.facts.aspects.placing import CsiNodeInput, VolumeInput
from unstuck.facts.aspects.placing_terms import NodeTerm, Requirement
from unstuck.facts.record import Record, record

_ZONE, _REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
_OLD_ZONE, _OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
_BETWEEN_ZONES = "__"
_UNSPECIFIED = "UNSPECIFIED"
_EBS_VOLUME = re.compile(r"vol-[^/]*", re.ASCII)


class TranslationError(ValueError):
    """An untranslatable volume, with the translation's message."""


@record()
class Plugin(Record):
    """An in-tree plugin. zone: the label by which its driver names a zone, "" if that is not translated.

    by_annotation: it counts as migrated on a Node only by the CSINode's annotation, even for volume limits.
    """

    name: str
    driver: str
    zone: str = ""
    by_annotation: bool = False


PLUGINS: Mapping[str, Plugin] = {
    "awsElasticBlockStore": Plugin(
        "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"
    ),
    "gcePersistentDisk": Plugin("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"),
    "azureDisk": Plugin("kubernetes.io/azure-disk", "disk.csi.azure.com"),
    "cinder": Plugin(
        "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"
    ),
    "portworxVolume": Plugin("kubernetes.io/portworx-volume", "pxd.portworx.com", by_annotation=True),
}
# In-tree plugins by provisioner name, as in a StorageClass; plugins whose volumes never count have no driver.
PROVISIONERS: Mapping[str, Plugin] = {
    **{p.name: p for p in PLUGINS.values()},
    **{name: Plugin(name, "") for name in ("kubernetes.io/azure-file", "kubernetes.io/vsphere-volume")},
}
# Migrated types of volumes, including some that the scheduler never treats so.
MIGRATABLE = frozenset((*PLUGINS, "azureFile", "vsphereVolume"))


def is_counted(plugin: Plugin, node: CsiNodeInput | None) -> bool:
    """Tell whether its volumes count against the driver's limit on this Node."""
    if node is None or not plugin.driver:
        return False
    return not plugin.by_annotation or plugin.name in node.migrated


def handle(type_: str, source: Mapping[str, str], zones: str | None = None) -> str:
    """Return the driver's handle of a volume. zones: the zone label of a PersistentVolume, None for an inline
    volume of a Pod.

    Errors: TranslationError.
    """
    match type_:
        case "awsElasticBlockStore":
            return _ebs(source.get("volumeID", ""))
        case "gcePersistentDisk":
            return _gce(source.get("pdName", ""), zones)
        case "azureDisk":
            kind = source.get("kind")
            if kind is not None and kind.lower() != "managed":
                raise TranslationError(f"kind({kind}) is not supported in csi migration")
            return source.get("diskURI", "")
    return source.get("volumeID", "")


def _ebs(id_: str) -> str:
    if not id_.startswith("aws://"):
        return id_
    try:
        found = urlsplit(id_).path.strip("/")
    except ValueError as bad:
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid disk name ({id_}): {bad}"
        ) from bad
    if not _EBS_VOLUME.fullmatch(found):
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({id_})"
        )
    return found


def _gce(disk: str, zones: str | None) -> str:
    names = (zones or "").split(_BETWEEN_ZONES)
    if len(names) > 1:
        return f"projects/{_UNSPECIFIED}/regions/{_gce_region(names)}/disks/{disk}"
    return f"projects/{_UNSPECIFIED}/zones/{names[0] or _UNSPECIFIED}/disks/{disk}"


def _gce_region(zones: list[str]) -> str:
    parts = [z.split("-") for z in zones]
    odd = next((z for z, p in zip(zones, parts, strict=True) if len(p) != 3), None)
    if odd is not None:
        said = f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {odd}"
        raise TranslationError(f"failed to get region from zones: {said}")
    regions = {f"{p[0]}-{p[1]}" for p in parts}
    if len(regions) != 1:
        shown = " ".join(f"{r}:{{}}" for r in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{shown}]"
        )
    return regions.pop()


def volume_handle(volume: VolumeInput) -> str:
    """Return the driver's handle of an in-tree PersistentVolume. Errors: TranslationError."""
    labels = dict(volume.labels)
    return handle(volume.type, dict(volume.source), labels.get(_OLD_ZONE) or labels.get(_ZONE, ""))


def reached_from(volume: VolumeInput) -> tuple[NodeTerm, ...] | None:
    """Return the Nodes with access to an in-tree PersistentVolume through its driver, None for all. Errors:
    TranslationError.
    """
    volume_handle(volume)
    terms, zone = volume.node_affinity, PLUGINS[volume.type].zone
    if not zone:
        return terms
    labels = dict(volume.labels)
    zone_key, region_key = _keys(terms or (), labels)
    if _lists(terms, zone_key):
        terms = _rename(terms or (), zone_key, zone)
    elif zones := sorted({z.strip() for z in labels.get(zone_key, "").split(_BETWEEN_ZONES)} - {""}):
        more = Requirement(zone, "In", tuple(zones))
        terms = tuple(NodeTerm((*t.expressions, more), t.fields) for t in terms or (NodeTerm(),))
    if region_key == _OLD_REGION and _lists(terms, region_key):
        terms = _rename(terms or (), region_key, _REGION)
    return terms


def _lists(terms: tuple[NodeTerm, ...] | None, key: str) -> bool:
    """Tell whether any term has values for this label."""
    return any(r.key == key and r.values for t in terms or () for r in t.expressions)


def _keys(terms: tuple[NodeTerm, ...], labels: Mapping[str, str]) -> tuple[str, str]:
    """Return a volume's zone and region labels: the current ones, or the deprecated ones."""
    named = {r.key for t in terms for r in t.expressions}
    for keys in (named, labels):
        if _ZONE in keys:
            return _ZONE, _REGION
        if _OLD_ZONE in keys:
            return _OLD_ZONE, _OLD_REGION
    return _ZONE, _REGION


def _rename(terms: tuple[NodeTerm, ...], old: str, new: str) -> tuple[NodeTerm, ...]:
    return tuple(
        NodeTerm(
            tuple(Requirement(new if r.key == old else r.key, r.operator, r.values) for r in t.expressions),
            t.fields,
        )
        for t in terms
    )
