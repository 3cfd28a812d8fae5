"""The scheduler's inputs for placing a Pod, reduced to the parts that decide.

The records represent objects, with quantities as counted by the scheduler (milli-CPU, bytes, counts) and
selectors as written. Unreadable fields are listed in `unreadable`: a condition on such a field is unknown,
not satisfied.
"""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.cluster import Taint
from unstuck.facts.aspects.placing_terms import (
    Amounts,
    NodeTerm,
    Pairs,
    PodTerm,
    Selector,
    SpreadConstraint,
    Toleration,
    UnreadableField,
)
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class HostPort(Record):
    """A host port of a container. ip "" and protocol "" are kept as written: all addresses, TCP."""

    port: int
    protocol: str = ""
    ip: str = ""


@record()
class PodVolumeUse(Record):
    """One of a Pod's volumes, as far as relevant to its placing.

    type: the field's name (`persistentVolumeClaim`, `ephemeral`, `csi`, `gcePersistentDisk`, `rbd`, …).
    claim: the claim's name, for an `ephemeral` one the generated name. owner: uid of the Pod for an
    `ephemeral` one. source: the other fields as written (`driver`, `pdName`, `image`, `readOnly` …), lists
    comma-separated.
    """

    name: str
    type: str
    claim: str = ""
    owner: str = ""
    source: Pairs = ()


@record()
class ResourceClaimUse(Record):
    """One entry of `resourceClaims`. claim: the ResourceClaim's name, "" while the template's claim does not
    exist yet.

    template: the template's name. needless: whether the status shows that the template yields no claim, so
    the entry asks for nothing.
    """

    name: str
    claim: str = ""
    template: str = ""
    needless: bool = False


@record()
class PodShape(Record):
    """All fields of a Pod, except its name, that are relevant to placing it or other Pods beside it.

    requests: the scheduler's sums. node_affinity: the required terms, None if not given (an empty list
    matches nothing). terminating: whether it has a deletionTimestamp; preempted: whether the scheduler set
    that, to make room. owner: `ReplicaSet/web-7d9f`, of its controller.
    """

    namespace: str
    labels: Pairs = ()
    requests: Amounts = ()
    priority: int = 0
    node_selector: Pairs = ()
    node_affinity: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    ports: tuple[HostPort, ...] = ()
    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    preferred_affinity: tuple[PodTerm, ...] = ()
    preferred_anti_affinity: tuple[PodTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    volumes: tuple[PodVolumeUse, ...] = ()
    resource_claims: tuple[ResourceClaimUse, ...] = ()
    gates: tuple[str, ...] = ()
    scheduler: str = "default-scheduler"
    preempts: bool = True
    terminating: bool = False
    preempted: bool = False
    owner: str = ""
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class PendingInput(Record):
    """A Pod still to be placed. shape: its place in `PlacingInputs.shapes`. node: `spec.nodeName`, "" for
    most.
    """

    name: str
    uid: str
    shape: int
    nominated: str = ""
    node: str = ""


@record()
class NodeInput(Record):
    """A Node. allocatable: None if the Node has no status yet, or its status was not seen."""

    name: str
    labels: Pairs = ()
    taints: tuple[Taint, ...] = ()
    cordoned: bool = False
    allocatable: Amounts | None = None
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class NamespaceInput(Record):
    """A Namespace's labels."""

    name: str
    labels: Pairs = ()


@record()
class ClaimInput(Record):
    """A PersistentVolumeClaim. storage_class: annotation before field, None if neither is given. owner: its
    controller's uid.

    size: None if none is asked for. mode "": `Filesystem`. bind_completed, selected_node: annotations of the
    volume binder, the latter None if it is not given.
    """

    namespace: str
    name: str
    uid: str = ""
    storage_class: str | None = None
    volume: str = ""
    modes: tuple[str, ...] = ()
    mode: str = ""
    size: int | None = None
    selector: Selector | None = None
    phase: str = ""
    bind_completed: bool = False
    selected_node: str | None = None
    owner: str = ""
    terminating: bool = False
    attributes_class: str = ""
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class VolumeInput(Record):
    """A PersistentVolume. claim: (namespace, name, uid) of claimRef. type, source: as in `PodVolumeUse`.
    node_affinity: None not given.
    """

    name: str
    labels: Pairs = ()
    storage_class: str = ""
    capacity: int | None = None
    modes: tuple[str, ...] = ()
    mode: str = ""
    claim: tuple[str, str, str] | None = None
    node_affinity: tuple[NodeTerm, ...] | None = None
    phase: str = ""
    type: str = ""
    source: Pairs = ()
    terminating: bool = False
    attributes_class: str = ""
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class ClassInput(Record):
    """A StorageClass. binding: its volumeBindingMode, "" where not given. topologies: `allowedTopologies`,
    each term's (key, values).
    """

    name: str
    provisioner: str = ""
    binding: str = ""
    default: bool = False
    topologies: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = ()
    unreadable: tuple[UnreadableField, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether its claims are bound when their Pod is placed."""
        return self.binding == "WaitForFirstConsumer"


@record()
class CsiNodeInput(Record):
    """A CSINode. drivers: (name, limit of volumes or None). migrated: the in-tree plugins in its
    annotation.
    """

    name: str
    drivers: tuple[tuple[str, int | None], ...] = ()
    migrated: tuple[str, ...] = ()
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class CsiDriverInput(Record):
    """A CSIDriver. capacity: whether it publishes CSIStorageCapacity objects."""

    name: str
    capacity: bool = False
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class CapacityInput(Record):
    """A CSIStorageCapacity. topology: its nodeTopology, None where not given. largest: its
    maximumVolumeSize.
    """

    name: str
    storage_class: str
    topology: Selector | None = None
    capacity: int | None = None
    largest: int | None = None
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class AttachmentInput(Record):
    """A VolumeAttachment. volume: the PersistentVolume's name, "" for an inline one."""

    name: str
    node: str
    attacher: str
    volume: str = ""
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class DeviceRequest(Record):
    """One request of a ResourceClaim. device_class: of `exactly`, None if that is not given. alternatives:
    (name, class), in order.

    least: the minimum number of free devices. whichever: whether it takes any devices of its class; False
    with selectors, constraints, alternatives, all devices, admin access. selectors: of `exactly`, in CEL as
    written.
    """

    name: str
    device_class: str | None = None
    alternatives: Pairs = ()
    least: int = 0
    whichever: bool = False
    selectors: tuple[str, ...] = ()


@record()
class ResourceClaimInput(Record):
    """A ResourceClaim. allocated: whether it has an allocation; nodes: the allocation's node selector, None
    for every Node. devices: its exclusively allocated (driver, pool, device). owner: its controller's uid.
    """

    namespace: str
    name: str
    uid: str = ""
    allocated: bool = False
    nodes: tuple[NodeTerm, ...] | None = None
    devices: tuple[tuple[str, str, str], ...] = ()
    requests: tuple[DeviceRequest, ...] = ()
    owner: str = ""
    terminating: bool = False
    unreadable: tuple[UnreadableField, ...] = ()


@record()
class DeviceClassInput(Record):
    """A DeviceClass. every: whether it has no selectors, and so selects every device."""

    name: str
    every: bool = True


@record()
class SliceInput(Record):
    """A ResourceSlice. node: the Node of its devices; everywhere: whether every Node has access to them;
    nodes: the Nodes with access.

    devices: by name. uncertain: devices that can be allocated only under certain feature gates of the
    scheduler. traits: by device, its driver's attributes (`memory`, `24Gi`), as far as a claim may select by
    them.
    """

    name: str
    driver: str
    pool: str
    generation: int = 0
    node: str = ""
    everywhere: bool = False
    nodes: tuple[NodeTerm, ...] | None = None
    devices: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    unreadable: tuple[UnreadableField, ...] = ()
    traits: tuple[tuple[str, Pairs], ...] = ()


@record(kw_only=True)
class PlacingInputs(Fact):
    """The scheduler's input objects of one cluster: `Ref("Cluster")`.

    shapes: of all Pods that hold or want room (not Succeeded or Failed), each once. placed: a Node's name and
    the shapes of the Pods bound to it, as `"3 17*4"`: indexes into `shapes`, with their counts. pending: the
    Pods not bound yet. unlisted: kinds that could not be listed (`PersistentVolume`, …): decisions that need
    them are unknown. unasked: kinds not requested because no waiting Pod depends on them; decisions that need
    them are unknown, too.
    """

    nodes: tuple[NodeInput, ...] = ()
    shapes: tuple[PodShape, ...] = ()
    placed: Pairs = ()
    pending: tuple[PendingInput, ...] = ()
    namespaces: tuple[NamespaceInput, ...] = ()
    claims: tuple[ClaimInput, ...] = ()
    volumes: tuple[VolumeInput, ...] = ()
    classes: tuple[ClassInput, ...] = ()
    csi_nodes: tuple[CsiNodeInput, ...] = ()
    csi_drivers: tuple[CsiDriverInput, ...] = ()
    capacities: tuple[CapacityInput, ...] = ()
    attachments: tuple[AttachmentInput, ...] = ()
    resource_claims: tuple[ResourceClaimInput, ...] = ()
    device_classes: tuple[DeviceClassInput, ...] = ()
    slices: tuple[SliceInput, ...] = ()
    unlisted: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    refless: ClassVar[bool] = True
    ask: ClassVar[str] = (
        "kubectl get nodes,pods,pvc,pv,sc,csinodes,csidrivers,csistoragecapacities -A -o json"
    )

    # Every judgement puts its facts into sets; hashing a whole cluster each time takes longer than placing a
    # Pod.
    def __hash__(self) -> int:
        return hash((type(self), self.about, self.src))
