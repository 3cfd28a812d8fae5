"""The PersistentVolumeClaims of a Pod, as the volume plugins look them up."""

from __future__ import annotations

from typing import Protocol

from unstuck.facts.aspects.placing import ClaimInput, PodShape, PodVolumeUse, Unread
from unstuck.scheduling.cluster import Cluster
from unstuck.scheduling.filter import Reason, shown, unlisted, unread

CLAIM, EPHEMERAL = "persistentVolumeClaim", "ephemeral"


class Readable(Protocol):
    """An object that knows which of its fields do not read."""

    @property
    def unreadable(self) -> tuple[Unread, ...]:
        """These fields."""


def unread_volumes(plugin: str, shape: PodShape) -> Reason | None:
    """That one of the Pod's volumes does not read."""
    return next(iter(unread(plugin, shape.unreadable, "spec.volumes")), None) if shape.unreadable else None


def claimed(shape: PodShape) -> tuple[PodVolumeUse, ...]:
    """The volumes of such a Pod that name a claim of their own choice; generic ephemeral ones are not among them."""
    return tuple(v for v in shape.volumes if v.type == CLAIM)


def claim_of(plugin: str, cluster: Cluster, shape: PodShape, name: str) -> ClaimInput | Reason:
    """The claim of this name in the Pod's Namespace, or the server's words for one that is not there."""
    found = cluster.claims.get((shape.namespace, name))
    if found is None:
        return absent(plugin, cluster, "PersistentVolumeClaim", f'persistentvolumeclaim "{name}" not found')
    return illegible(plugin, f"PersistentVolumeClaim {name}", found) or found


def absent(plugin: str, cluster: Cluster, kind: str, message: str) -> Reason:
    """That an object is not there; where nobody could list its kind, that this is not known."""
    return next(iter(unlisted(plugin, cluster, kind)), Reason(plugin, message))


def illegible(plugin: str, what: str, found: Readable) -> Reason | None:
    """That a field of this object does not read, so that nothing may be concluded from it."""
    return Reason(plugin, f"{what}: {shown(found.unreadable[0])}", "unknown") if found.unreadable else None


def not_of_this_pod(claim: ClaimInput, volume: PodVolumeUse) -> bool:
    """A claim with the name of a generic ephemeral volume's that is not controlled by this Pod."""
    return volume.type == EPHEMERAL and (not claim.owner or claim.owner != volume.owner)
