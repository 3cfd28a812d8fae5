"""Services and their candidate Pods."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record

Pairs = tuple[tuple[str, str], ...]


@record()
class ServicePort(Record):
    """One port of a Service. target: a container port's name or a number, as written; by default the port.
    node_port: the port of every node that leads there, 0 without one.
    """

    port: int
    target: str
    name: str = ""
    protocol: str = "TCP"
    node_port: int = 0


@record(kw_only=True)
class ServiceSpec(Fact):
    """`spec` of a Service. selector: the Pods' labels; none if its endpoints have another source. outside:
    whether it is an alias for a name outside of the cluster (`ExternalName`). local: whether only Pods on the
    client's own node answer inside the cluster (`internalTrafficPolicy: Local`). addresses: its cluster IPs;
    none for a headless Service. outer: its other addresses, such as its load balancer's. ranges: the callers
    that its load balancer admits (`loadBalancerSourceRanges`), all if empty.
    """

    selector: Pairs
    ports: tuple[ServicePort, ...] = ()
    outside: bool = False
    local: bool = False
    addresses: tuple[str, ...] = ()
    outer: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl get service/{name} {space} -o yaml"


@record(kw_only=True)
class ServicesAt(Fact):
    """Services of the whole cluster that have an address, a port of every node, or a name. about:
    `Ref("Address", None, IP)`, `Ref("NodePort", None, "30080")`, `Ref("ServiceName", None, "db")`.

    Source: documentation "Service ClusterIP allocation"; `spec.clusterIP` is a selectable field of Services.
    """

    services: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get services -A"


@record(kw_only=True)
class AddressHolders(Fact):
    """The Nodes that have an IP address, and the Pods with a network of their own that have it. about:
    `Ref("Address", None, IP)`. pods: (the Pod, its Node).

    Source: `status.addresses` of Nodes; `status.podIP` is a selectable field of Pods.
    """

    nodes: tuple[Ref, ...] = ()
    pods: tuple[tuple[Ref, Ref], ...] = ()
    ask: ClassVar[str] = "kubectl get pods -A -o wide --field-selector status.podIP={name}"


@record()
class Behind(Record):
    """A Pod that matches a Service's selector. ports: (name, number) declared by its containers; a
    declaration opens no port.

    node: its Node, "" if unknown. since: the last change of its condition Ready. protocols: of the ports, in
    the same order. probed: the port numbers of its readiness probe, which uses TCP. address: its IP, "" if
    unknown.
    """

    name: str
    ready: bool
    ports: tuple[tuple[str, int], ...] = ()
    node: str = ""
    since: datetime | None = None
    protocols: tuple[str, ...] = ()
    probed: tuple[int, ...] = ()
    address: str = ""


@record()
class Nearly(Record):
    """A Pod with some of the labels. differs: (label, its own value, "" without one). ready: whether it is
    ready.
    """

    name: str
    differs: Pairs
    ready: bool = False


@record(kw_only=True)
class ServicePods(Fact):
    """The Pods of the Service's Namespace, compared with its selector. about: the Service. total: the number
    of Pods. Finished Pods are excluded. nearly: the nearest Pods without a match, the fewest differences
    first.
    """

    matched: tuple[Behind, ...]
    nearly: tuple[Nearly, ...] = ()
    total: int = 0
    ask: ClassVar[str] = "kubectl get pods {space} --show-labels"


@record()
class Beside(Record):
    """A Service intended for some Pods without reaching them.

    differs: as in `Nearly`; none if it selects them. lost: its ports without a matching port declared by the
    selected Pods.
    """

    service: Ref
    selector: Pairs
    differs: Pairs = ()
    lost: tuple[ServicePort, ...] = ()


@record(kw_only=True)
class ServicesBeside(Fact):
    """The Services of the Namespace compared with one Pod, or with a workload's template; only suspicious
    Services are included.

    items: Services obviously intended for these Pods that do not select them (decided by `held_beside` in
    collect/objects/services.py), and Services that select them but send to an undeclared port.
    """

    items: tuple[Beside, ...]
    ask: ClassVar[str] = "kubectl get services {space} -o wide"


@record(kw_only=True)
class Unserving(Fact):
    """Services of a Namespace without endpoints, though obviously intended for some of its ready Pods:
    `Ref("ServiceList", NS)`.
    """

    services: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get services {space} -o wide"


@record()
class TemplateMatch(Record):
    """A workload whose Pods a Service would select. wanted: the desired number of Pods."""

    workload: Ref
    wanted: int


@record(kw_only=True)
class ServiceWorkloads(Fact):
    """The Deployments and StatefulSets of a Service's Namespace with all labels of its selector in their
    template. about: the Service.
    """

    items: tuple[TemplateMatch, ...]
    ask: ClassVar[str] = "kubectl get deployments,statefulsets {space} -o wide"
