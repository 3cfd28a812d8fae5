"""NodeVolumeLimits: a Node holds only as many volumes of a CSI driver as its CSINode allows
(plugins/nodevolumelimits/csi.go).

It counts each volume in use by the Node's Pods once, and other volumes attached to the Node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from unstuck.facts.aspects.placing import AttachmentInput, ClaimInput, CsiNodeInput, PodShape, PodVolumeUse
from unstuck.scheduling.claims import (
    CLAIM,
    EPHEMERAL,
    claim_of,
    explain_illegible,
    has_foreign_claim,
    unread_volumes,
)
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.filter import (
    Filter,
    PreparedFilter,
    Reason,
    bind_state,
    reject,
    skip,
    unlisted_reasons,
)
from unstuck.scheduling.memo import cache_per_cluster
from unstuck.scheduling.migration import (
    MIGRATABLE,
    PLUGINS,
    PROVISIONERS,
    Plugin,
    TranslationError,
    handle,
    is_counted,
    volume_handle,
)

_NAME = "NodeVolumeLimits"
_REFUSED = (Reason(_NAME, "node(s) exceed max volume count", "unschedulable"),)
# No in-tree plugin: the driver was CSI from the start.
_NATIVE = Plugin("", "")


@dataclass(frozen=True, slots=True)
class VolumeCount:
    """A volume that may count. id: independent of how the volume is used. plugin: the in-tree plugin, whose
    volumes count only if migrated.

    fault: the error that stops the scheduler at this volume.
    """

    driver: str
    id: str = ""
    plugin: Plugin = _NATIVE
    fault: Reason | None = None


@dataclass(frozen=True, slots=True)
class NodeVolumes:
    """wanted: the Pod's volumes. used: the volumes of each shape. nodes: CSINodes; attached: the attached
    volumes of each Node.
    """

    wanted: tuple[VolumeCount, ...]
    used: Mapping[ShapeOfPods, tuple[VolumeCount, ...]]
    nodes: Mapping[str, CsiNodeInput]
    attached: Mapping[str, frozenset[tuple[str, str]]]
    open: Reason | None


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[NodeVolumes]:
    spec = pod.shape.spec
    if bad := unread_volumes(_NAME, spec):
        return reject(bad)
    if not any(v.type in (CLAIM, EPHEMERAL) or v.type in MIGRATABLE for v in spec.volumes):
        return skip()
    if open_ := unlisted_reasons(
        _NAME, cluster, "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode"
    ):
        return reject(open_[0])
    wanted = tuple(_list_volumes_of_shape(spec, cluster, new=True))
    open_ = unlisted_reasons(_NAME, cluster, "VolumeAttachment")
    return bind_state(
        NodeVolumes(
            wanted,
            _volumes_by_shape(cluster),
            cluster.csi_nodes,
            _attachments_by_node(cluster),
            open_[0] if open_ else None,
        )
    )


@cache_per_cluster
def _volumes_by_shape(cluster: ClusterView) -> Mapping[ShapeOfPods, tuple[VolumeCount, ...]]:
    return {
        s: found
        for s in cluster.shapes
        if s.spec.volumes and (found := tuple(_list_volumes_of_shape(s.spec, cluster, new=False)))
    }


@cache_per_cluster
def _attachments_by_node(cluster: ClusterView) -> Mapping[str, frozenset[tuple[str, str]]]:
    """Return by Node the (driver, id) of its attached volumes."""
    return {
        node: frozenset((v.driver, v.id) for v in _list_attached_volumes(rows, cluster))
        for node, rows in cluster.attachments.items()
    }


def _list_volumes_of_shape(spec: PodShape, cluster: ClusterView, *, new: bool) -> Iterator[VolumeCount]:
    """Yield the volumes of a Pod; new: whether it is the Pod to be placed, whose claims must exist."""
    for v in spec.volumes:
        if v.type in PLUGINS:
            yield _inline_volume(v)
        elif v.type in (CLAIM, EPHEMERAL) and not v.claim:
            yield VolumeCount("", fault=Reason(_NAME, "PersistentVolumeClaim had no name", "error"))
        elif v.type in (CLAIM, EPHEMERAL):
            claim = claim_of(_NAME, cluster, spec, v.claim)
            if isinstance(claim, Reason):
                if new or claim.outcome == "unknown":
                    words = (
                        f"looking up PVC {spec.namespace}/{v.claim}: {claim.message}"
                        if claim.outcome != "unknown"
                        else claim.message
                    )
                    yield VolumeCount("", fault=Reason(_NAME, words, claim.outcome))
            elif has_foreign_claim(claim, v):
                yield VolumeCount("", fault=Reason(_NAME, _foreign_owner(spec, v), "error"))
            else:
                found = _volume_of_claim(claim, cluster)
                if found:
                    yield found


def _foreign_owner(spec: PodShape, volume: PodVolumeUse) -> str:
    pod = volume.claim.removesuffix(f"-{volume.name}")
    return (
        f"PVC {spec.namespace}/{volume.claim} was not created for pod {spec.namespace}/{pod} (pod is not "
        "owner)"
    )


def _inline_volume(volume: PodVolumeUse) -> VolumeCount:
    plugin = PLUGINS[volume.type]
    try:
        return VolumeCount(plugin.driver, handle(volume.type, dict(volume.source)), plugin)
    except TranslationError as bad:
        return VolumeCount(
            plugin.driver,
            "",
            plugin,
            Reason(_NAME, f"converting volume({volume.name}) from inline to csi: {bad}", "error"),
        )


def _volume_of_claim(claim: ClaimInput, cluster: ClusterView) -> VolumeCount | None:
    """Return the volume of a claim, or its future volume by its class; None if no driver is known to limit
    it.
    """
    volume = cluster.volumes.get(claim.volume) if claim.volume else None
    if volume is None:
        return _volume_of_class(claim, cluster)
    if bad := explain_illegible(_NAME, f"PersistentVolume {volume.name}", volume):
        return VolumeCount("", fault=bad)
    source = dict(volume.source)
    if volume.type == "csi":
        driver, id_ = source.get("driver", ""), source.get("volumeHandle", "")
        return VolumeCount(driver, id_) if driver and id_ else None
    if volume.type not in PLUGINS:
        return None
    plugin = PLUGINS[volume.type]
    try:
        id_ = volume_handle(volume)
    except TranslationError:
        return None
    return VolumeCount(plugin.driver, id_, plugin) if id_ else None


def _volume_of_class(claim: ClaimInput, cluster: ClusterView) -> VolumeCount | None:
    class_ = cluster.classes.get(claim.storage_class or "")
    if class_ is None or not class_.provisioner:
        return None
    plugin = PROVISIONERS.get(class_.provisioner, _NATIVE)
    # No driver's handle has this form, so the claim counts as a volume of its own.
    id_ = f"\0{claim.namespace}/{claim.name}"
    return VolumeCount(plugin.driver if plugin.name else class_.provisioner, id_, plugin)


def _list_attached_volumes(rows: Iterable[AttachmentInput], cluster: ClusterView) -> Iterator[VolumeCount]:
    """Yield only attached volumes of CSI drivers, under the attacher's name."""
    for a in rows:
        volume = cluster.volumes.get(a.volume)
        if a.attacher and volume is not None and volume.type == "csi":
            yield VolumeCount(a.attacher, dict(volume.source).get("volumeHandle", ""))


def _check(state: NodeVolumes, node: NodeState) -> tuple[Reason, ...]:
    csi = state.nodes.get(node.name)
    wanted = _count_here(state.wanted, csi)
    if isinstance(wanted, Reason):
        return (wanted,)
    if not wanted or csi is None:
        return ()
    if bad := explain_illegible(_NAME, f"CSINode {csi.name}", csi):
        return (bad,)
    limits = {name: limit for name, limit in csi.drivers if limit is not None}
    if not limits:
        return ()
    used = _count_here((v for g in node.placed for v in state.used.get(g.shape, ())), csi)
    if isinstance(used, Reason):
        return (used,)
    taken = Counter(driver for driver, _ in used | state.attached.get(node.name, frozenset()))
    more = Counter(driver for driver, _ in wanted - used)
    if any(driver in limits and taken[driver] + n > limits[driver] for driver, n in more.items()):
        return _REFUSED
    return (state.open,) if state.open else ()


def _count_here(volumes: Iterable[VolumeCount], csi: CsiNodeInput | None) -> set[tuple[str, str]] | Reason:
    """Return the volumes that count on this Node, or the first fault."""
    out = set()
    for v in volumes:
        if v.plugin.name and not is_counted(v.plugin, csi):
            continue
        if v.fault:
            return v.fault
        out.add((v.driver, v.id))
    return out


FILTER = Filter(_NAME, _prepare, _check)
