"""VolumeRestrictions: disks limited to one Pod per Node, and claims limited to one Pod per cluster
(plugins/volumerestrictions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from unstuck.facts.aspects.placing import PodVolumeUse
from unstuck.scheduling.claims import ONE_POD, claim_of, claim_volumes, unread_volumes
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods
from unstuck.scheduling.filter import Filter, PreparedFilter, Reason, bind_state, reject, skip

_NAME = "VolumeRestrictions"
_DISK = (Reason(_NAME, "node(s) had no available disk", "unschedulable"),)
ONE_POD_IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
    "another pod"
)
_ONE_POD = (Reason(_NAME, ONE_POD_IN_USE, "unschedulable"),)

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RestrictedVolumes:
    """clashing: shapes of Pods in conflict with one of the Pod's disks. disks: these disks. claims: its
    ReadWriteOncePod claims.

    in_use: how often other Pods already use these claims.
    """

    disks: tuple[PodVolumeUse, ...]
    clashing: frozenset[ShapeOfPods]
    claims: frozenset[str]
    in_use: int


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[RestrictedVolumes]:
    spec = pod.shape.spec
    if bad := unread_volumes(_NAME, spec):
        return reject(bad)
    claims = set()
    for v in claim_volumes(spec):
        claim = claim_of(_NAME, cluster, spec, v.claim)
        if isinstance(claim, Reason):
            return reject(claim)
        if ONE_POD in claim.modes:
            claims.add(v.claim)
    in_use = len(_list_used_claims(cluster, pod.namespace, claims)) if claims else 0
    disks = tuple(v for v in spec.volumes if v.type in _CLASHES)
    if not disks and not in_use:
        return skip()
    clashing = (
        frozenset(s for s in cluster.shapes if clashes(disks, s.spec.volumes)) if disks else frozenset()
    )
    return bind_state(RestrictedVolumes(disks, clashing, frozenset(claims), in_use))


def _list_used_claims(cluster: ClusterView, namespace: str, claims: set[str]) -> set[str]:
    """Return the ones among these claims that a Pod on some Node uses."""
    using = {
        s: {v.claim for v in claim_volumes(s.spec) if v.claim in claims}
        for s in cluster.shapes
        if s.spec.volumes and s.spec.namespace == namespace
    }
    return {claim for node in cluster.nodes.values() for g in node.placed for claim in using.get(g.shape, ())}


def clashes(disks: Iterable[PodVolumeUse], others: Iterable[PodVolumeUse]) -> bool:
    """Tell whether both Pods use a common disk that cannot be attached for both on one Node."""
    theirs = [(o.type, dict(o.source)) for o in others if o.type in _CLASHES]
    return any(
        _CLASHES[d.type](dict(d.source), fields) for d in disks for type_, fields in theirs if type_ == d.type
    )


def _are_both_read_only(one: Fields, other: Fields) -> bool:
    return one.get("readOnly") == other.get("readOnly") == "true"


def _gce(one: Fields, other: Fields) -> bool:
    return one.get("pdName", "") == other.get("pdName", "") and not _are_both_read_only(one, other)


def _aws(one: Fields, other: Fields) -> bool:
    return one.get("volumeID", "") == other.get("volumeID", "")


def _iscsi(one: Fields, other: Fields) -> bool:
    return one.get("iqn", "") == other.get("iqn", "") and not _are_both_read_only(one, other)


def _rbd(one: Fields, other: Fields) -> bool:
    """Tell whether both are the same image: equal pool and image, and a common monitor."""
    monitors, theirs = (set(filter(None, f.get("monitors", "").split(","))) for f in (one, other))
    same = all(one.get(k, "") == other.get(k, "") for k in ("pool", "image"))
    return bool(monitors & theirs) and same and not _are_both_read_only(one, other)


_CLASHES: Mapping[str, Callable[[Fields, Fields], bool]] = {
    "gcePersistentDisk": _gce,
    "awsElasticBlockStore": _aws,
    "iscsi": _iscsi,
    "rbd": _rbd,
}


def _check(state: RestrictedVolumes, node: NodeState) -> tuple[Reason, ...]:
    if state.clashing and any(g.shape in state.clashing for g in node.placed):
        return _DISK
    return _ONE_POD if state.in_use > 0 else ()


def _plus(
    state: RestrictedVolumes, node: NodeState, added: tuple[ShapeOfPods, ...]
) -> RestrictedVolumes:  # the count is of the whole cluster
    """Add nominated Pods: the scheduler compares only the claims' names, regardless of their Namespace."""
    more = sum(v.claim in state.claims for s in added for v in claim_volumes(s.spec))
    new = frozenset(s for s in added if clashes(state.disks, s.spec.volumes))
    return replace(state, in_use=state.in_use + more, clashing=state.clashing | new)


def _minus(
    state: RestrictedVolumes, node: NodeState, gone: tuple[ShapeOfPods, ...]
) -> RestrictedVolumes:  # the count is of the whole cluster
    """Return the state without these Pods: a claim counts as in use once, however many Pods use it, so
    that each of them frees it.
    """
    return replace(
        state, in_use=state.in_use - sum(v.claim in state.claims for s in gone for v in claim_volumes(s.spec))
    )


FILTER = Filter(_NAME, _prepare, _check, _plus, _minus)
