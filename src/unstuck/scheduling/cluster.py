"""A cluster as the scheduler sees it: Nodes with their Pods, grouped by shape, and the objects that filters
look up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from unstuck.facts.aspects.placing import (
    AttachmentInput,
    CapacityInput,
    ClaimInput,
    ClassInput,
    CsiDriverInput,
    CsiNodeInput,
    HostPort,
    NodeInput,
    PendingInput,
    PlacingInputs,
    PodShape,
    ResourceClaimInput,
    VolumeInput,
)
from unstuck.facts.aspects.placing_terms import Amounts, UnreadableField

Port = tuple[str, str, int]
ANY_ADDRESS, _TCP = "0.0.0.0", "TCP"  # the scheduler's default for a missing address


@dataclass(frozen=True, slots=True, eq=False)
class ShapeOfPods:
    """A shape of Pods, prepared for matching. Shapes compare by identity, which makes cheap keys.

    requests, amounts: the same values. rare: whether it has host ports or unreadable fields.
    """

    spec: PodShape
    labels: Mapping[str, str]
    requests: Mapping[str, int]
    amounts: Amounts
    rare: bool

    @staticmethod
    def of(spec: PodShape) -> ShapeOfPods:
        """Return the shape of this specification."""
        return ShapeOfPods(
            spec, dict(spec.labels), dict(spec.requests), spec.requests, bool(spec.ports or spec.unreadable)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Pod:
    """The Pod to be placed. wanted_node: `spec.nodeName`; nominated: `status.nominatedNodeName`."""

    name: str
    uid: str
    shape: ShapeOfPods
    wanted_node: str = ""
    nominated: str = ""

    @staticmethod
    def of(found: PendingInput, shape: PodShape | ShapeOfPods) -> Pod:
        """Return a Pod of this shape: apart from its identity, the shape defines it."""
        return Pod(
            found.name,
            found.uid,
            shape if isinstance(shape, ShapeOfPods) else ShapeOfPods.of(shape),
            found.node,
            found.nominated,
        )

    @property
    def namespace(self) -> str:
        """Its Namespace."""
        return self.shape.spec.namespace


@dataclass(frozen=True, slots=True, eq=False)
class PlacedPods:
    """Pods of one shape on one Node."""

    shape: ShapeOfPods
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class NodeState:
    """A Node and its Pods.

    allocatable: {} if the Node has no status, as the scheduler reads it. requested: the sum over its Pods.
    count: of its Pods. ports: (address, protocol, port) in use; missing parts default to 0.0.0.0 and TCP.
    unread: unreadable fields of its Pods.
    """

    name: str
    spec: NodeInput
    labels: Mapping[str, str]
    allocatable: Mapping[str, int]
    placed: tuple[PlacedPods, ...]
    requested: Mapping[str, int]
    count: int
    ports: frozenset[Port]
    unread: tuple[UnreadableField, ...] = ()

    @staticmethod
    def of(spec: NodeInput, placed: tuple[PlacedPods, ...] = ()) -> NodeState:
        """Return a Node with these Pods on it."""
        requested: dict[str, int] = {}
        ports: set[Port] = set()
        unread: list[UnreadableField] = []
        count = 0
        have = requested.get
        for group in placed:
            shape, n = group.shape, group.count
            count += n
            for name, amount in shape.amounts:
                requested[name] = have(name, 0) + amount * n
            if shape.rare:
                ports.update(map(port_key, shape.spec.ports))
                unread += shape.spec.unreadable
        allocatable = dict(spec.allocatable or ())
        return NodeState(
            spec.name,
            spec,
            dict(spec.labels),
            allocatable,
            placed,
            requested,
            count,
            frozenset(ports),
            tuple(unread),
        )

    def plus(self, shapes: Iterable[ShapeOfPods]) -> NodeState:
        """Return the Node with one more Pod of each of these shapes."""
        more = NodeState.of(self.spec, tuple(PlacedPods(s, 1) for s in shapes))
        names = {**self.requested, **more.requested}
        return replace(
            more,
            placed=(*self.placed, *more.placed),
            requested={name: self.requested.get(name, 0) + more.requested.get(name, 0) for name in names},
            count=self.count + more.count,
            ports=self.ports | more.ports,
            unread=(*self.unread, *more.unread),
        )


def port_key(port: HostPort) -> Port:
    """Return a host port with its defaults filled in."""
    return (port.ip or ANY_ADDRESS, port.protocol or _TCP, port.port)


@dataclass(frozen=True, eq=False)
class ClusterView:
    """All inputs for placing a Pod, looked up by name.

    stray: Pods bound to a missing Node, by its name. unlisted: kinds that could not be listed. once: results
    of `memo`, shared with derived clusters. like: the cluster that `changed` derived this one from.
    """

    nodes: Mapping[str, NodeState]
    stray: Mapping[str, tuple[PlacedPods, ...]]
    shapes: tuple[ShapeOfPods, ...]
    pending: tuple[PendingInput, ...]
    inputs: PlacingInputs
    unlisted: frozenset[str]
    once: dict[object, object] = field(default_factory=dict, repr=False)
    like: ClusterView | None = field(default=None, repr=False)

    @staticmethod
    def of(inputs: PlacingInputs) -> ClusterView:
        """Return the view of these objects. If the shape of a saved Pod is missing, the list of Pods counts
        as incomplete.
        """
        shapes = tuple(map(ShapeOfPods.of, inputs.shapes))
        known = _KnownShapes(shapes)
        placed = {name: tuple(map(known.__getitem__, written.split())) for name, written in inputs.placed}
        nodes = {n.name: NodeState.of(n, placed.get(n.name, ())) for n in inputs.nodes}
        stray = {name: pods for name, pods in placed.items() if name not in nodes}
        pending = tuple(p for p in inputs.pending if 0 <= p.shape < len(shapes))
        lost = {"Pod"} if known.lost or len(pending) < len(inputs.pending) else set()
        return ClusterView(
            nodes, stray, shapes, pending, inputs, frozenset((*inputs.unlisted, *inputs.unasked)) | lost
        )

    def changed(self, nodes: Mapping[str, NodeState]) -> ClusterView:
        """Return the view with these Nodes added, replacing Nodes of the same name."""
        return replace(self, nodes={**self.nodes, **nodes}, like=self)

    def nodes_with_shape(self, shape: ShapeOfPods) -> Sequence[tuple[NodeState, int]]:
        """Return the Nodes with Pods of this shape, each with the number of such Pods."""
        if self.like is None:
            return self._nodes_by_shape.get(shape, ())
        kept = [
            (node, count)
            for node, count in self.like.nodes_with_shape(shape)
            if self.nodes[node.name] is node
        ]
        return [*kept, *((node, g.count) for node in self._other for g in node.placed if g.shape is shape)]

    @cached_property
    def _nodes_by_shape(self) -> Mapping[ShapeOfPods, list[tuple[NodeState, int]]]:
        out: dict[ShapeOfPods, list[tuple[NodeState, int]]] = {}
        for node in self.nodes.values():
            for g in node.placed:
                out.setdefault(g.shape, []).append((node, g.count))
        return out

    @cached_property
    def _other(self) -> tuple[NodeState, ...]:
        """Return the Nodes that the original cluster lacks."""
        before = self.like.nodes if self.like else {}
        return tuple(node for name, node in self.nodes.items() if before.get(name) is not node)

    def pod(self, namespace: str, name: str) -> Pod | None:
        """Return the pending Pod of this name."""
        found = next(
            (p for p in self.pending if p.name == name and self.shapes[p.shape].spec.namespace == namespace),
            None,
        )
        return Pod.of(found, self.shapes[found.shape]) if found else None

    @cached_property
    def nominated(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods nominated by preemption that wait for room, by their nominated Node."""
        out: dict[str, tuple[Pod, ...]] = {}
        for p in self.pending:
            if p.nominated and not p.node:
                out[p.nominated] = (*out.get(p.nominated, ()), Pod.of(p, self.shapes[p.shape]))
        return out

    @cached_property
    def namespaces(self) -> Mapping[str, Mapping[str, str]]:
        """A Namespace's labels, by its name."""
        return {n.name: dict(n.labels) for n in self.inputs.namespaces}

    @cached_property
    def claims(self) -> Mapping[tuple[str, str], ClaimInput]:
        """PersistentVolumeClaims by Namespace and name."""
        return {(c.namespace, c.name): c for c in self.inputs.claims}

    @cached_property
    def volumes(self) -> Mapping[str, VolumeInput]:
        """PersistentVolumes by name."""
        return {v.name: v for v in self.inputs.volumes}

    @cached_property
    def classes(self) -> Mapping[str, ClassInput]:
        """StorageClasses by name."""
        return {c.name: c for c in self.inputs.classes}

    @cached_property
    def csi_nodes(self) -> Mapping[str, CsiNodeInput]:
        """CSINodes by the Node's name."""
        return {c.name: c for c in self.inputs.csi_nodes}

    @cached_property
    def csi_drivers(self) -> Mapping[str, CsiDriverInput]:
        """CSIDrivers by name."""
        return {c.name: c for c in self.inputs.csi_drivers}

    @property
    def capacities(self) -> tuple[CapacityInput, ...]:
        """Every CSIStorageCapacity."""
        return self.inputs.capacities

    @cached_property
    def attachments(self) -> Mapping[str, tuple[AttachmentInput, ...]]:
        """VolumeAttachments by the Node's name."""
        out: dict[str, tuple[AttachmentInput, ...]] = {}
        for a in self.inputs.attachments:
            out[a.node] = (*out.get(a.node, ()), a)
        return out

    @cached_property
    def resource_claims(self) -> Mapping[tuple[str, str], ResourceClaimInput]:
        """ResourceClaims by Namespace and name."""
        return {(c.namespace, c.name): c for c in self.inputs.resource_claims}


class _KnownShapes(dict[str, PlacedPods]):
    """The parts of `PlacingInputs.placed`, parsed on first use: most shapes occur once per Node.

    lost: a part was malformed, or its shape is missing.
    """

    def __init__(self, shapes: tuple[ShapeOfPods, ...]) -> None:
        self._shapes = shapes
        self.lost = False

    def __missing__(self, part: str) -> PlacedPods:
        found = _PART.fullmatch(part)
        place, count = (int(found[1]), int(found[2] or 1)) if found else (-1, 0)
        if not 0 <= place < len(self._shapes):
            self.lost = True
            return PlacedPods(_NOTHING, 0)
        self[part] = placed = PlacedPods(self._shapes[place], count)
        return placed


_PART = re.compile(r"([0-9]{1,9})(?:\*([0-9]{1,9}))?", re.ASCII)
_NOTHING = ShapeOfPods.of(PodShape(namespace=""))
