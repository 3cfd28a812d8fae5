"""Facts from the API about Nodes, Namespaces, storage, workloads, discovery and the owners of finalizers."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Taint(Record):
    """One taint of a Node."""

    key: str
    value: str
    effect: str


@record(kw_only=True)
class NodeShape(Fact):
    """A Node from the scheduler's view. allocatable: resource → amount in its base unit (milli-CPU, bytes,
    count). kept_from: the capacity of each resource of which the kubelet keeps back half or more.
    """

    allocatable: tuple[tuple[str, int], ...]
    kept_from: tuple[tuple[str, int], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    taints: tuple[Taint, ...] = ()
    cordoned: bool = False


@record(kw_only=True)
class NodeNames(Fact):
    """All Nodes: `Ref("Cluster")`. If whole, any other Node does not exist."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get nodes -o wide"


@record(kw_only=True)
class NodeInfo(Fact):
    """`status.nodeInfo` and `spec.providerID`. pod_cidrs: `spec.podCIDRs`, None if the spec was not read."""

    kubelet: str = ""
    runtime: str = ""
    kernel: str = ""
    os_image: str = ""
    provider_id: str = ""
    pod_cidrs: tuple[str, ...] | None = None


@record(kw_only=True)
class Lease(Fact):
    """A `coordination.k8s.io` Lease. about: the Lease's Node, or `Ref("Lease", NS, NAME)`. duration in
    seconds.
    """

    renewed: datetime | None
    duration: int = 40
    holder: str = ""
    ask: ClassVar[str] = "kubectl get leases -A --field-selector=metadata.name={name} -o yaml"


@record(kw_only=True)
class Unschedulable(Fact):
    """The scheduler's own message about its last attempt, parsed (`conditions[PodScheduled].message`, or the
    event).

    nodes: the number of examined Nodes, None if the message has no counts. reasons: text → number of nodes.
    preemption: the reason against preemption, in the scheduler's words; "" if missing.
    """

    nodes: int | None
    reasons: tuple[tuple[str, int], ...]
    preemption: str = ""


@record(kw_only=True)
class Claim(Fact):
    """A PersistentVolumeClaim's spec. storage_class: None if not given (the default), "" for no class.
    volume: the bound volume.

    size: the requested bytes; capacity: the actual bytes (`status.capacity`), None before binding. block:
    `volumeMode: Block`.
    """

    storage_class: str | None
    volume: str | None = None
    modes: tuple[str, ...] = ()
    size: int | None = None
    capacity: int | None = None
    block: bool = False


@record(kw_only=True)
class StorageClass(Fact):
    """A StorageClass. waits: `volumeBindingMode: WaitForFirstConsumer`."""

    provisioner: str
    waits: bool = False
    default: bool = False


@record()
class GroupFailure(Record):
    """One API group with failed discovery, and the server's message."""

    group_version: str
    message: str


@record(kw_only=True)
class Discovery(Fact):
    """The types that the server offers: `Ref("Cluster")`. Whole if every group was asked; a failure counts as
    an answer.

    stale: `GROUP/VERSION` of every group marked as stale in the server's list of all types (1.26 on): the
    server could not read the group's list.
    """

    failed: tuple[GroupFailure, ...] = ()
    stale: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl api-resources >/dev/null; kubectl get apiservices"


@record(kw_only=True)
class ApiService(Fact):
    """An APIService. about: `Ref("APIService", None, "v1beta1.metrics.dead.io")`. service: its backend, None
    for the API server itself.
    """

    service: Ref | None
    available: bool | None
    reason: str = ""
    message: str = ""
    since: datetime | None = None
    managed_by: str = ""
    ask: ClassVar[str] = "kubectl get apiservice/{name} -o yaml"


@record(kw_only=True)
class Backends(Fact):
    """The backends of a Service, by its EndpointSlices. about: the Service. ready: the number of ready
    addresses, of `total`.
    """

    ready: int
    total: int
    ask: ClassVar[str] = "kubectl get endpointslices -l kubernetes.io/service-name={name} {space}"


@record(kw_only=True)
class ApiServices(Fact):
    """Every APIService: `Ref("Cluster")`; each has its own `ApiService` fact beside this list."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get apiservices"


@record(kw_only=True)
class Terminating(Fact):
    """Every Namespace under deletion: `Ref("Cluster")`."""

    namespaces: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get namespaces"


@record()
class Content(Record):
    """The remaining objects of one resource type in a Namespace. held: the objects with finalizers, each with
    these finalizers.
    """

    resource: str
    kind: str
    count: int
    first: tuple[Ref, ...] = ()
    held: tuple[tuple[Ref, tuple[str, ...]], ...] = ()


@record(kw_only=True)
class Contents(Fact):
    """The contents of a Namespace, type by type (without empty types). unlisted: types that could not be
    listed, with the reasons.
    """

    items: tuple[Content, ...]
    unlisted: tuple[tuple[str, str], ...] = ()
    ask: ClassVar[str] = (
        "kubectl api-resources --verbs=list --namespaced -o name | xargs -n1 kubectl get --ignore-not-found "
        "--show-kind --namespace={name}"
    )


@record(kw_only=True)
class Workload(Fact):
    """Wanted and actual replicas of a Deployment, StatefulSet, DaemonSet, ReplicaSet or Job, and its progress
    deadline in seconds.

    strategy: the update strategy of a DaemonSet or StatefulSet (`RollingUpdate`, `OnDelete`). requirements:
    (label, operator, values in order), the node affinity in a DaemonSet's template; None if unknown. chosen:
    the labels of a DaemonSet's nodeSelector. rolls: whether it is an unpaused Deployment, so that all Pods
    should get the newest template. surge, unavailable_at_most: a rollout's bounds, as written. ordered:
    whether it is a StatefulSet that replaces all its Pods itself, each after the previous one is ready.
    revision: its newest revision. first: the number of a StatefulSet's first Pod (`spec.ordinals.start`).
    """

    wanted: int
    ready: int
    created: int = 0
    updated: int = 0
    unavailable: int = 0
    deadline: int | None = None
    finished: bool = False
    suspended: bool = False
    service_name: str = ""
    strategy: str = ""
    requirements: tuple[tuple[str, str, tuple[str, ...]], ...] | None = None
    chosen: tuple[tuple[str, str], ...] = ()
    rolls: bool = False
    surge: str = ""
    unavailable_at_most: str = ""
    ordered: bool = False
    revision: str = ""
    first: int = 0


@record()
class Candidate(Record):
    """A possible owner of a finalizer. why: the link between owner and finalizer (`writes this object as …`,
    `name`, `holds lease …`).

    ready, wanted: Pods of a workload. renewed: its Lease. touched: the time of its last write to this object.
    watched: the Namespaces to which a variable or an argument restricts it; empty if no restriction is known.
    watched_by: the variable's or argument's name. weak: no more ties it than a word of the maker's, whose
    other programs have it too.
    """

    ref: Ref
    why: str
    ready: int | None = None
    wanted: int | None = None
    renewed: datetime | None = None
    lease_seconds: int | None = None
    touched: datetime | None = None
    watched: tuple[str, ...] = ()
    watched_by: str = ""
    weak: bool = False


@record(kw_only=True)
class FinalizerOwner(Fact):
    """The possible owners of one finalizer of the subject.

    finalizer: its name. candidates: workloads and leases found for it. manager: the writer that added it,
    from managedFields. searched: the searched kinds (`deployments`, `leases`, `crds`), which give an empty
    result its meaning. group: the API group in its name; group_served: whether a CRD or API of this group is
    served. webhooked: None.
    """

    finalizer: str
    candidates: tuple[Candidate, ...] = ()
    manager: str = ""
    searched: tuple[str, ...] = ()
    group: str = ""
    group_served: bool | None = None
    ask: ClassVar[str] = "kubectl get deploy,sts,ds,lease -A"
