"""VolumeZone: a Node with a zone label must be in the zone and region of the Pod's bound PersistentVolumes
(plugins/volumezone).
"""

from __future__ import annotations

from unstuck.facts.aspects.placing import ClaimInput
from unstuck.scheduling.claims import (
    claim_of,
    claim_volumes,
    explain_absent,
    explain_illegible,
    unread_volumes,
)
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, reject, skip, unread

_NAME = "VolumeZone"
_REFUSED = (Reason(_NAME, "node(s) had no available volume zone"),)
# The labels that name a zone or region, and a Node's current label for a volume's old one.
_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
_BETWEEN_ZONES = "__"

# A volume's requirement for a Node: a label's key, and its possible values.
Wanted = tuple[str, frozenset[str]]


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[tuple[Wanted, ...]]:
    if bad := unread_volumes(_NAME, pod.shape.spec):
        return reject(bad)
    wanted: list[Wanted] = []
    for volume in claim_volumes(pod.shape.spec):
        if not volume.claim:
            return reject(Reason(_NAME, "PersistentVolumeClaim had no name"))
        claim = claim_of(_NAME, cluster, pod.shape.spec, volume.claim)
        found = claim if isinstance(claim, Reason) else _zones_of_claim(claim, cluster)
        if isinstance(found, Reason):
            return reject(found)
        wanted += found
    return bind_state(tuple(wanted)) if wanted else skip()


def _zones_of_claim(claim: ClaimInput, cluster: ClusterView) -> tuple[Wanted, ...] | Reason:
    if not claim.volume:
        return _zones_of_class(claim, cluster)
    volume = cluster.volumes.get(claim.volume)
    if volume is None:
        return explain_absent(
            _NAME, cluster, "PersistentVolume", f'persistentvolume "{claim.volume}" not found'
        )
    if bad := explain_illegible(_NAME, f"PersistentVolume {claim.volume}", volume):
        return bad
    return tuple(
        (key, zones) for key, value in volume.labels if key in _LABELS and (zones := _list_zones(value))
    )


def _zones_of_class(claim: ClaimInput, cluster: ClusterView) -> tuple[Wanted, ...] | Reason:
    if not claim.storage_class:
        return Reason(_NAME, "PersistentVolumeClaim had no pv name and storageClass name")
    class_ = cluster.classes.get(claim.storage_class)
    if class_ is None:
        return explain_absent(
            _NAME, cluster, "StorageClass", f'storageclass.storage.k8s.io "{claim.storage_class}" not found'
        )
    if bad := explain_illegible(_NAME, f"StorageClass {class_.name}", class_):
        return bad
    if not class_.binding:
        return Reason(_NAME, f'VolumeBindingMode not set for StorageClass "{claim.storage_class}"')
    return () if class_.waits else Reason(_NAME, "PersistentVolume had no name")


def _list_zones(label: str) -> frozenset[str]:
    """Return the zones of a label such as `a__b`; none if one of them is empty, and then the label is
    skipped.
    """
    zones = [z.strip() for z in label.split(_BETWEEN_ZONES)]
    return frozenset(zones) if all(zones) else frozenset()


def _check(wanted: tuple[Wanted, ...], node: NodeState) -> tuple[Reason, ...]:
    if node.spec.unreadable and (open_ := unread(_NAME, node.spec.unreadable, "metadata.labels")):
        return open_
    if not any(label in node.labels for label in _LABELS):
        return ()
    for key, zones in wanted:
        here = node.labels.get(key, node.labels.get(_LABELS[key]))
        if here not in zones:
            return _REFUSED
    return ()


FILTER = Filter(_NAME, _prepare, _check)
