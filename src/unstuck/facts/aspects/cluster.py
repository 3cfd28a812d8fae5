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
    """A Node as scheduling sees it. allocatable: resource → amount in its base unit (milli-CPU, bytes,
    count).
    """

    allocatable: tuple[tuple[str, int], ...]
    labels: tuple[tuple[str, str], ...] = ()
    taints: tuple[Taint, ...] = ()
    cordoned: bool = False


@record(kw_only=True)
class NodeNames(Fact):
    """All Nodes: `Ref("Cluster")`. Whole: a Node not among them does not exist."""

    refs: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get nodes -o wide"


@record(kw_only=True)
class NodeInfo(Fact):
    """`status.nodeInfo` and `spec.providerID`. pod_cidrs: `spec.podCIDRs`, None if the spec was not looked
    at.
    """

    kubelet: str = ""
    runtime: str = ""
    kernel: str = ""
    os_image: str = ""
    provider_id: str = ""
    pod_cidrs: tuple[str, ...] | None = None


@record(kw_only=True)
class Lease(Fact):
    """A `coordination.k8s.io` Lease. about: the Node it is of, or `Ref("Lease", NS, NAME)`. duration in
    seconds.
    """

    renewed: datetime | None
    duration: int = 40
    holder: str = ""
    ask: ClassVar[str] = "kubectl get leases -A --field-selector=metadata.name={name} -o yaml"


@record(kw_only=True)
class Unschedulable(Fact):
    """The scheduler's own message about its last try, parsed (`conditions[PodScheduled].message`, or the
    event).

    nodes: how many it looked at, None if the message has no counts. reasons: text → number of nodes.
    preemption: why removing other Pods would not help, in its words; "" if it does not say.
    """

    nodes: int | None
    reasons: tuple[tuple[str, int], ...]
    preemption: str = ""


@record(kw_only=True)
class Claim(Fact):
    """A PersistentVolumeClaim's spec. storage_class: None not given (default wanted), "" none wanted. volume:
    bound to.

    size: the requested bytes; capacity: the actual ones (`status.capacity`), None while it has none. block:
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
    """One API group whose discovery failed, with the server's words."""

    group_version: str
    message: str


@record(kw_only=True)
class Discovery(Fact):
    """The types that the server offers: `Ref("Cluster")`. Whole if every group was asked; a failed one is an
    answer.

    stale: `GROUP/VERSION` of every group that the server marks stale in its own list of all types (1.26 on):
    it could not read their list.
    """

    failed: tuple[GroupFailure, ...] = ()
    stale: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl api-resources >/dev/null; kubectl get apiservices"


@record(kw_only=True)
class ApiService(Fact):
    """An APIService. about: `Ref("APIService", None, "v1beta1.metrics.dead.io")`. service: its backend,
    None: the server itself.
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
    """The backends of a Service, by its EndpointSlices. about: the Service. ready: addresses that are
    ready, of `total`.
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
    """Every Namespace that is being deleted: `Ref("Cluster")`."""

    namespaces: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get namespaces"


@record()
class Content(Record):
    """The remaining objects of one resource type in a Namespace. held: those with finalizers, and these
    finalizers.
    """

    resource: str
    kind: str
    count: int
    first: tuple[Ref, ...] = ()
    held: tuple[tuple[Ref, tuple[str, ...]], ...] = ()


@record(kw_only=True)
class Contents(Fact):
    """The contents of a Namespace, type by type (types with none are left out). unlisted: types that could
    not be listed, and why.
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

    strategy: how a DaemonSet or StatefulSet is updated (`RollingUpdate`, `OnDelete`). requirements: (label,
    operator, values in their order) that a DaemonSet's template requires of Nodes by node affinity; None if
    unknown. chosen: the labels of a DaemonSet's nodeSelector. rolls: a Deployment that is not paused, so
    that all its Pods should become of the newest template. surge, unavailable_at_most: a rollout's bounds,
    as written. ordered: a StatefulSet that replaces its Pods itself, one after the other is ready, and all
    of them. revision: its newest one. first: the number of a StatefulSet's first Pod (`spec.ordinals.start`).
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
    """A possible owner of a finalizer. why: the link between the two (`writes this object as …`, `name`,
    `holds lease …`).

    ready, wanted: Pods of a workload. renewed: its Lease. touched: when it last wrote this object. watched:
    the Namespaces that a variable or an argument of it restricts it to; empty if none is known to.
    watched_by: that variable's or argument's name.
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


@record(kw_only=True)
class FinalizerOwner(Fact):
    """The possible owners of one finalizer of the subject.

    finalizer: its name. candidates: workloads and leases found for it. manager: the writer that added it,
    from managedFields. searched: the kinds that were searched (`deployments`, `leases`, `crds`), so that
    "none found" means something. group: the API group in its name; group_served: whether a CRD or API of this
    group is served. webhooked: None.
    """

    finalizer: str
    candidates: tuple[Candidate, ...] = ()
    manager: str = ""
    searched: tuple[str, ...] = ()
    group: str = ""
    group_served: bool | None = None
    ask: ClassVar[str] = "kubectl get deploy,sts,ds,lease -A"
