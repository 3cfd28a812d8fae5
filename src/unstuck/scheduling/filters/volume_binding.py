"""VolumeBinding: every claim of the Pod is bound, or can be bound, to a volume within the Node's reach
(plugins/volumebinding).

A claim of a class with `WaitForFirstConsumer` is bound when its Pod is placed: to an existing volume, or to a
newly provisioned one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from unstuck.facts.aspects.placing import (
    CapacityInput,
    ClaimInput,
    ClassInput,
    CsiNodeInput,
    PodVolumeUse,
    VolumeInput,
)
from unstuck.facts.aspects.placing_terms import NodeTerm
from unstuck.scheduling.claims import (
    CLAIM,
    EPHEMERAL,
    NO_PROVISIONER,
    claim_of,
    explain_absent,
    explain_illegible,
    has_foreign_claim,
    unread_volumes,
)
from unstuck.scheduling.cluster import ClusterView, NodeState, Pod
from unstuck.scheduling.filter import (
    Filter,
    PreparedFilter,
    Reason,
    bind_state,
    reject,
    skip,
    unlisted_reasons,
    unread,
)
from unstuck.scheduling.matching import Choice, MatchPlaces
from unstuck.scheduling.memo import cache_per_cluster
from unstuck.scheduling.migration import PLUGINS, TranslationError, reached_from
from unstuck.scheduling.selectors import (
    NodeSelector,
    PreparedSelector,
    SelectorError,
    label_selector,
    node_selector,
    topology_matches,
)

_NAME = "VolumeBinding"
_NOT_REACHED = Reason(_NAME, "node(s) didn't match PersistentVolume's node affinity")
_NOTHING_TO_BIND = Reason(_NAME, "node(s) didn't find available persistent volumes to bind")
_NO_SPACE = Reason(_NAME, "node(s) did not have enough free storage")
_GONE = Reason(_NAME, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
_IMMEDIATE = Reason(_NAME, "pod has unbound immediate PersistentVolumeClaims")


@dataclass(frozen=True, slots=True)
class BoundClaim:
    """A bound volume. nodes: the Nodes with access to it, None for all; translated: the same after migration
    of its plugin.

    plugin: in-tree, "" for other volumes. fault: the error of its translation. gone: whether the volume is
    missing.
    """

    nodes: NodeSelector | None = None
    plugin: str = ""
    translated: NodeSelector | None = None
    fault: str = ""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Rooms:
    """The CSIStorageCapacities of a class with room for a claim, by their Nodes."""

    nodes: tuple[PreparedSelector, ...]
    places: MatchPlaces

    def reaches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether one of them serves a Node with these labels."""
        return any(self.nodes[i].matches(labels) for i in self.places.find_near(labels))


@dataclass(frozen=True, slots=True)
class WaitingClaim:
    """A claim to be bound when the Pod is placed. class_: its StorageClass.

    choice: the existing volumes, or the reason not to look for any. rooms: the places where a volume can be
    created, None if the driver publishes no capacity, which then is not checked. open: the unknown parts.
    """

    claim: ClaimInput
    class_: ClassInput
    choice: Choice | Reason
    rooms: Rooms | None
    open: Reason | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """bound: in the Pod's order. given: claims that wait for provisioning on a chosen Node; waiting: the
    other claims, smallest first.

    csi_nodes: by Node, with the plugins migrated there.
    """

    bound: tuple[BoundClaim, ...]
    given: tuple[WaitingClaim, ...]
    waiting: tuple[WaitingClaim, ...]
    csi_nodes: Mapping[str, CsiNodeInput]


def _prepare(pod: Pod, cluster: ClusterView) -> PreparedFilter[Claims]:
    if bad := unread_volumes(_NAME, pod.shape.spec):
        return reject(bad)
    claims: list[ClaimInput] = []
    for v in pod.shape.spec.volumes:
        if v.type in (CLAIM, EPHEMERAL):
            claim = _usable_claim(pod, cluster, v)
            if isinstance(claim, Reason):
                return reject(claim)
            claims.append(claim)
    if not claims:
        return skip()
    if open_ := unlisted_reasons(_NAME, cluster, "PersistentVolume"):
        return reject(open_[0])
    unbound = [(c, _find_delayed_class(c, cluster)) for c in claims if not _is_bound(c)]
    refusals = sorted(
        (found for _, found in unbound if isinstance(found, Reason)),
        key=lambda r: r.outcome == "unresolvable",
    )
    if refusals:
        return reject(refusals[0])
    bound = tuple(_bound_claim(c, cluster) for c in claims if _is_bound(c))
    if stop := next((b for b in bound if isinstance(b, Reason)), None):
        return reject(stop)
    waiting = [_waiting_claim(c, found, cluster) for c, found in unbound if isinstance(found, ClassInput)]
    return bind_state(
        Claims(
            bound=tuple(b for b in bound if isinstance(b, BoundClaim)),
            given=tuple(w for w in waiting if w.claim.selected_node is not None),
            waiting=tuple(
                sorted((w for w in waiting if w.claim.selected_node is None), key=lambda w: w.claim.size or 0)
            ),
            csi_nodes=cluster.csi_nodes,
        )
    )


def _usable_claim(pod: Pod, cluster: ClusterView, volume: PodVolumeUse) -> ClaimInput | Reason:
    """Return the claim of a volume, or the reason for waiting."""
    spec, name = pod.shape.spec, volume.claim
    claim = claim_of(_NAME, cluster, spec, name)
    if isinstance(claim, Reason):
        awaited = volume.type == EPHEMERAL and claim.outcome != "unknown"
        return (
            Reason(
                _NAME, f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
            )
            if awaited
            else claim
        )
    if claim.phase == "Lost":
        return Reason(
            _NAME, f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.volume}"'
        )
    if claim.terminating:
        return Reason(_NAME, f'persistentvolumeclaim "{name}" is being deleted')
    if has_foreign_claim(claim, volume):
        namespace = spec.namespace
        return Reason(
            _NAME, f"PVC {namespace}/{name} was not created for pod {namespace}/{pod.name} (pod is not owner)"
        )
    return claim


def _is_bound(claim: ClaimInput) -> bool:
    return bool(claim.volume) and claim.bind_completed


def _find_delayed_class(claim: ClaimInput, cluster: ClusterView) -> ClassInput | Reason:
    """Return the class of a claim with delayed binding; any other unbound claim should already be bound."""
    class_ = cluster.classes.get(claim.storage_class) if claim.storage_class else None
    if class_ is None:
        return (
            explain_absent(_NAME, cluster, "StorageClass", _IMMEDIATE.message)
            if claim.storage_class
            else _IMMEDIATE
        )
    if bad := explain_illegible(_NAME, f"StorageClass {class_.name}", class_):
        return bad
    if not class_.binding:
        return Reason(_NAME, f'VolumeBindingMode not set for StorageClass "{class_.name}"', "error")
    return class_ if class_.waits and not claim.volume else _IMMEDIATE


def _bound_claim(claim: ClaimInput, cluster: ClusterView) -> BoundClaim | Reason:
    volume = cluster.volumes.get(claim.volume)
    if volume is None:
        return BoundClaim(gone=True)
    if bad := explain_illegible(_NAME, f"PersistentVolume {volume.name}", volume):
        return bad
    nodes, plugin = _compile(volume.node_affinity), PLUGINS.get(volume.type)
    if plugin is None:
        return BoundClaim(nodes)
    if open_ := unlisted_reasons(_NAME, cluster, "CSINode"):
        return open_[0]
    try:
        return BoundClaim(nodes, plugin.name, _compile(reached_from(volume)))
    except TranslationError as bad_volume:
        return BoundClaim(nodes, plugin.name, fault=f"could not translate pv: {bad_volume}")


def _compile(terms: tuple[NodeTerm, ...] | None) -> NodeSelector | None:
    return None if terms is None else node_selector(terms)


def _waiting_claim(claim: ClaimInput, class_: ClassInput, cluster: ClusterView) -> WaitingClaim:
    same_class = _volumes_by_class(cluster).get(class_.name, ())
    choice: Choice | Reason
    try:
        choice = Choice.of(claim, same_class)
    except SelectorError as bad:
        told = f"error creating internal label selector for claim: {claim.namespace}/{claim.name}: {bad}"
        choice = Reason(_NAME, told, "error")
    rooms, open_ = _rooms(claim, class_, cluster)
    return WaitingClaim(claim, class_, choice, rooms, _find_illegible_volume(same_class) or open_)


@cache_per_cluster
def _volumes_by_class(cluster: ClusterView) -> Mapping[str, tuple[VolumeInput, ...]]:
    out: dict[str, list[VolumeInput]] = {}
    for v in cluster.volumes.values():
        out.setdefault(v.storage_class, []).append(v)
    return {name: tuple(found) for name, found in out.items()}


def _find_illegible_volume(volumes: Iterable[VolumeInput]) -> Reason | None:
    return next(
        (bad for v in volumes if (bad := explain_illegible(_NAME, f"PersistentVolume {v.name}", v))), None
    )


def _rooms(claim: ClaimInput, class_: ClassInput, cluster: ClusterView) -> tuple[Rooms | None, Reason | None]:
    """Return the places with room for the claim as the class's driver reports them, None if it reports no
    capacity; and the unknowns.
    """
    if claim.size is None or class_.provisioner in NO_PROVISIONER:
        return None, None
    driver = cluster.csi_drivers.get(class_.provisioner)
    if driver is None:
        return None, next(iter(unlisted_reasons(_NAME, cluster, "CSIDriver")), None)
    if bad := explain_illegible(_NAME, f"CSIDriver {driver.name}", driver):
        return None, bad
    if not driver.capacity:
        return None, None
    of_class = [c for c in cluster.capacities if c.storage_class == class_.name]
    open_ = next(iter(unlisted_reasons(_NAME, cluster, "CSIStorageCapacity")), None)
    odd = next(
        (bad for c in of_class if (bad := explain_illegible(_NAME, f"CSIStorageCapacity {c.name}", c))), None
    )
    nodes = tuple(found for c in of_class if (found := _room(c, claim.size)))
    return Rooms(nodes, MatchPlaces.of(n.requirements for n in nodes)), open_ or odd


def _room(capacity: CapacityInput, size: int) -> PreparedSelector | None:
    """Return the Nodes that this capacity serves if it has room for this size."""
    largest = capacity.capacity if capacity.largest is None else capacity.largest
    if capacity.topology is None or largest is None or largest < size:
        return None
    try:
        return label_selector(capacity.topology)
    except SelectorError:
        return None


def _check(state: Claims, node: NodeState) -> tuple[Reason, ...]:
    if node.spec.unreadable and (open_ := unread(_NAME, node.spec.unreadable, "metadata.labels")):
        return open_
    first = _find_unreached_reason(state, node)
    if first and first.outcome == "error":
        return (first,)
    second = _can_be_bound(state, node)
    if second and second.outcome == "error":
        return (second,)
    # In the order of the plugin's messages.
    told = [r for r in (_NOT_REACHED, _NOTHING_TO_BIND, _NO_SPACE, _GONE) if r in (first, second)]
    return tuple(told) or tuple(r for r in (first, second) if r)


def _find_unreached_reason(state: Claims, node: NodeState) -> Reason | None:
    """Return the reason for the first bound volume out of the Node's reach."""
    for b in state.bound:
        if b.gone:
            return _GONE
        nodes = b.nodes
        if b.plugin and (csi := state.csi_nodes.get(node.name)) and b.plugin in csi.migrated:
            if b.fault:
                return Reason(_NAME, b.fault, "error")
            nodes = b.translated
        if nodes is not None and not nodes.matches(node.labels):
            return _NOT_REACHED
    return None


def _can_be_bound(state: Claims, node: NodeState) -> Reason | None:
    """Return the reason against binding the waiting claims on this Node, each to a different volume."""
    if any(w.claim.selected_node != node.name for w in state.given):
        return _NOTHING_TO_BIND
    taken: set[str] = set()
    to_make = list(state.given)
    for w in state.waiting:
        if isinstance(w.choice, Reason):
            return w.choice
        found = w.choice.choose(node.labels, taken)
        if found is None:
            to_make.append(w)
        else:
            taken.add(found)
    for w in to_make:
        refusal = _can_be_made(w, node)
        if refusal:
            return w.open or refusal
    return next((w.open for w in to_make if w.open), None)


def _can_be_made(waiting: WaitingClaim, node: NodeState) -> Reason | None:
    """Return the reason against provisioning a volume for this claim on the Node."""
    class_ = waiting.class_
    if class_.provisioner in NO_PROVISIONER or not topology_matches(class_.topologies, node.labels):
        return _NOTHING_TO_BIND
    if waiting.rooms is not None and not waiting.rooms.reaches(node.labels):
        return _NO_SPACE
    return None


FILTER = Filter(_NAME, _prepare, _check)
