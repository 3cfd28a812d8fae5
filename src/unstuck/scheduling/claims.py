"""The PersistentVolumeClaims of a Pod, as the volume plugins look them up."""

from __future__ import annotations

from typing import Protocol

from unstuck.facts.aspects.placing import ClaimInput, PodShape, PodVolumeUse
from unstuck.facts.aspects.placing_terms import UnreadableField
from unstuck.facts.record import Record, record
from unstuck.scheduling.cluster import ClusterView, Pod
from unstuck.scheduling.filter import Reason, describe_field, unlisted_reasons, unread
from unstuck.scheduling.matching import Choice, MatchCandidate
from unstuck.scheduling.selectors import SelectorError, node_selector

NO_PROVISIONER = ("", "kubernetes.io/no-provisioner")
CLAIM, EPHEMERAL, ONE_POD = "persistentVolumeClaim", "ephemeral", "ReadWriteOncePod"


class Readable(Protocol):
    """An object that lists its unreadable fields."""

    @property
    def unreadable(self) -> tuple[UnreadableField, ...]:
        """The unreadable fields."""


def unread_volumes(plugin: str, shape: PodShape) -> Reason | None:
    """Return a reason if one of the Pod's volumes cannot be read."""
    return next(iter(unread(plugin, shape.unreadable, "spec.volumes")), None) if shape.unreadable else None


def claim_volumes(shape: PodShape) -> tuple[PodVolumeUse, ...]:
    """Return the Pod's volumes that refer to a claim by name, without generic ephemeral volumes."""
    return tuple(v for v in shape.volumes if v.type == CLAIM)


def claim_of(plugin: str, cluster: ClusterView, shape: PodShape, name: str) -> ClaimInput | Reason:
    """Return the claim of this name in the Pod's Namespace, or the API server's message for a missing one."""
    found = cluster.claims.get((shape.namespace, name))
    if found is None:
        return explain_absent(
            plugin, cluster, "PersistentVolumeClaim", f'persistentvolumeclaim "{name}" not found'
        )
    return explain_illegible(plugin, f"PersistentVolumeClaim {name}", found) or found


def explain_absent(plugin: str, cluster: ClusterView, kind: str, message: str) -> Reason:
    """Return the reason for a missing object; an unknown reason if its kind could not be listed."""
    return next(iter(unlisted_reasons(plugin, cluster, kind)), Reason(plugin, message))


def explain_illegible(plugin: str, what: str, found: Readable) -> Reason | None:
    """Return an unknown reason if a field of this object cannot be read, None otherwise."""
    return (
        Reason(plugin, f"{what}: {describe_field(found.unreadable[0])}", "unknown")
        if found.unreadable
        else None
    )


@record()
class InUse(Record):
    """Pods of one owner (`ReplicaSet/web-7d9f`, "" for none) on one Node that use a claim with access mode
    ReadWriteOncePod.
    """

    claim: str
    node: str
    owner: str
    pods: int


def users_of_claims(pod: Pod, cluster: ClusterView) -> tuple[InUse, ...]:
    """Return the users of this Pod's ReadWriteOncePod claims."""
    mine = {v.claim for v in claim_volumes(pod.shape.spec)}
    alone = {n for n in mine if (c := cluster.claims.get((pod.namespace, n))) and ONE_POD in c.modes}
    using = [
        (s, v.claim)
        for s in cluster.shapes
        if s.spec.namespace == pod.namespace
        for v in claim_volumes(s.spec)
        if v.claim in alone
    ]
    found = (
        InUse(claim, node.name, s.spec.owner, count)
        for s, claim in using
        for node, count in cluster.nodes_with_shape(s)
    )
    return tuple(sorted(found, key=lambda u: (u.claim, u.node, u.owner)))


def has_foreign_claim(claim: ClaimInput, volume: PodVolumeUse) -> bool:
    """Tell whether the claim of a generic ephemeral volume belongs to another object."""
    return volume.type == EPHEMERAL and (not claim.owner or claim.owner != volume.owner)


@record()
class ClaimsApart(Record):
    """Two claims of one Pod that no Node can provide together.

    bound, volume, nodes: a claim, its volume and the Nodes with access to the volume. unbound, free, places:
    the other claim, its candidate volumes, and the Nodes with access to a candidate.
    """

    bound: str
    volume: str
    nodes: tuple[str, ...]
    unbound: str
    free: tuple[str, ...]
    places: tuple[str, ...]


def find_claims_apart(pod: Pod, cluster: ClusterView) -> ClaimsApart | None:
    """Return a bound claim of the Pod together with a claim that could be bound on other Nodes only, or None.

    A claim of a class with a provisioner counts as bindable anywhere: objects do not show its limits.
    """
    names = [v.claim for v in claim_volumes(pod.shape.spec)]
    claims = [c for n in names if (c := cluster.claims.get((pod.namespace, n)))]
    bound = [
        (c, v)
        for c in claims
        if c.volume and (v := cluster.volumes.get(c.volume)) and v.node_affinity is not None
    ]
    for claim in (c for c in claims if not c.volume):
        class_ = cluster.classes.get(claim.storage_class or "")
        if class_ is None or class_.provisioner not in NO_PROVISIONER:
            continue
        free = _list_free_volumes(claim, cluster)
        places = tuple(
            n for n in sorted(cluster.nodes) if any(c.reached(cluster.nodes[n].labels) for c in free)
        )
        for other, volume in bound:
            reached = node_selector(volume.node_affinity or ())
            nodes = tuple(n for n in sorted(cluster.nodes) if reached.matches(cluster.nodes[n].labels))
            if free and nodes and not set(nodes) & set(places):
                return ClaimsApart(
                    other.name, volume.name, nodes, claim.name, tuple(c.name for c in free), places
                )
    return None


def _list_free_volumes(claim: ClaimInput, cluster: ClusterView) -> tuple[MatchCandidate, ...]:
    try:
        choice = Choice.of(claim, cluster.volumes.values())
    except SelectorError:
        return ()
    return choice.own or choice.others
