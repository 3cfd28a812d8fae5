"""The PersistentVolumeClaims of a Pod, as the volume plugins look them up."""

from __future__ import annotations

from typing import Protocol

from unstuck.facts.aspects.placing import ClaimInput, PodShape, PodVolumeUse, UnreadableField
from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import ClusterView, Pod
from unstuck.scheduling.filter import Reason, describe_field, unlisted_reasons, unread

CLAIM, EPHEMERAL, ONE_POD = "persistentVolumeClaim", "ephemeral", "ReadWriteOncePod"


class Readable(Protocol):
    """An object that knows which of its fields do not read."""

    @property
    def unreadable(self) -> tuple[UnreadableField, ...]:
        """These fields."""


def unread_volumes(plugin: str, shape: PodShape) -> Reason | None:
    """Return a reason where one of the Pod's volumes cannot be read."""
    return next(iter(unread(plugin, shape.unreadable, "spec.volumes")), None) if shape.unreadable else None


def claim_volumes(shape: PodShape) -> tuple[PodVolumeUse, ...]:
    """Return the Pod's volumes that refer to a claim by name; generic ephemeral ones are not among them."""
    return tuple(v for v in shape.volumes if v.type == CLAIM)


def claim_of(plugin: str, cluster: ClusterView, shape: PodShape, name: str) -> ClaimInput | Reason:
    """Return the claim of this name in the Pod's Namespace, or the server's words for one that is not there."""
    found = cluster.claims.get((shape.namespace, name))
    if found is None:
        return absent(plugin, cluster, "PersistentVolumeClaim", f'persistentvolumeclaim "{name}" not found')
    return illegible(plugin, f"PersistentVolumeClaim {name}", found) or found


def absent(plugin: str, cluster: ClusterView, kind: str, message: str) -> Reason:
    """Return the reason that an object does not exist; that this is not known where nobody could list its kind."""
    return next(iter(unlisted_reasons(plugin, cluster, kind)), Reason(plugin, message))


def illegible(plugin: str, what: str, found: Readable) -> Reason | None:
    """Return a reason where a field of this object cannot be read, so that nothing may be concluded from it."""
    return Reason(plugin, f"{what}: {describe_field(found.unreadable[0])}", "unknown") if found.unreadable else None


@record()
class InUse(Record):
    """Pods of one owner (`ReplicaSet/web-7d9f`, "" for none) on one Node that use a claim which one Pod alone may use."""

    claim: str
    node: str
    owner: str
    pods: int


def users_of_claims(pod: Pod, cluster: ClusterView) -> tuple[InUse, ...]:
    """Return the users of this Pod's ReadWriteOncePod claims."""
    mine = {v.claim for v in claim_volumes(pod.shape.spec)}
    alone = {n for n in mine if (c := cluster.claims.get((pod.namespace, n))) and ONE_POD in c.modes}
    using = [(s, v.claim) for s in cluster.shapes if s.spec.namespace == pod.namespace for v in claim_volumes(s.spec) if v.claim in alone]
    found = (InUse(claim, node.name, s.spec.owner, count) for s, claim in using for node, count in cluster.nodes_with_shape(s))
    return tuple(sorted(found, key=lambda u: (u.claim, u.node, u.owner)))


def has_foreign_claim(claim: ClaimInput, volume: PodVolumeUse) -> bool:
    """Tell whether the claim of a generic ephemeral volume belongs to another object than this Pod."""
    return volume.type == EPHEMERAL and (not claim.owner or claim.owner != volume.owner)
