"""Services, and the Pods that they could send to."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record

Pairs = tuple[tuple[str, str], ...]


@record()
class ServicePort(Record):
    """One port of a Service. target: a container port's name or a number, as written; if not given, the
    port.
    """

    port: int
    target: str
    name: str = ""
    protocol: str = "TCP"


@record(kw_only=True)
class ServiceSpec(Fact):
    """`spec` of a Service. selector: the Pods' labels; none if its endpoints are made elsewhere.

    outside: an alias for a name outside of the cluster (`ExternalName`). local: inside the cluster only Pods
    of the client's own node answer (`internalTrafficPolicy: Local`). addresses: its cluster IPs; none of a
    headless Service.
    """

    selector: Pairs
    ports: tuple[ServicePort, ...] = ()
    outside: bool = False
    local: bool = False
    addresses: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl get service/{name} {space} -o yaml"


@record(kw_only=True)
class ServicesAt(Fact):
    """Services of the whole cluster that have a cluster IP, or a port of every node. about: `Ref("Address",
    None, IP)`, `Ref("NodePort", None, "30080")`.

    Source: documentation "Service ClusterIP allocation"; `spec.clusterIP` is a field that Services are
    selected by.
    """

    services: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get services -A --field-selector spec.clusterIP={name}"


@record()
class Behind(Record):
    """A Pod that a Service's selector matches. ports: (name, number) that its containers declare; a
    declaration opens nothing.

    node: where it runs, "" if unknown. since: when its condition Ready last changed. protocols: of the ports,
    in their order. probed: the numbers to which its readiness probe connects, which is by TCP.
    """

    name: str
    ready: bool
    ports: tuple[tuple[str, int], ...] = ()
    node: str = ""
    since: datetime | None = None
    protocols: tuple[str, ...] = ()
    probed: tuple[int, ...] = ()


@record()
class Nearly(Record):
    """A Pod that has some of the labels and lacks others. differs: (label, its own value or "" if it has
    none). ready: it is.
    """

    name: str
    differs: Pairs
    ready: bool = False


@record(kw_only=True)
class ServicePods(Fact):
    """The Pods of the Service's Namespace, compared with its selector. about: the Service. total: how many
    Pods there are.

    A Pod that has ended is not among them. nearly: the nearest Pods without a match, the fewest differences
    first.
    """

    matched: tuple[Behind, ...]
    nearly: tuple[Nearly, ...] = ()
    total: int = 0
    ask: ClassVar[str] = "kubectl get pods {space} --show-labels"


@record()
class Beside(Record):
    """A Service that was meant for some Pods and does not reach them.

    differs: as in `Nearly`; none if it selects them. lost: its ports that lead to no port declared by the
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

    items: Services that do not select these Pods and were plainly meant for them (`held_beside` in
    collect/objects/services.py decides), and Services that select them and send to a port that they do not
    declare.
    """

    items: tuple[Beside, ...]
    ask: ClassVar[str] = "kubectl get services {space} -o wide"


@record(kw_only=True)
class Unserving(Fact):
    """Services of a Namespace without endpoints, though some of its ready Pods were plainly meant:
    `Ref("ServiceList", NS)`.
    """

    services: tuple[Ref, ...]
    ask: ClassVar[str] = "kubectl get services {space} -o wide"


@record()
class TemplateMatch(Record):
    """A workload whose Pods a Service would select. wanted: how many it is to have."""

    workload: Ref
    wanted: int


@record(kw_only=True)
class ServiceWorkloads(Fact):
    """The Deployments and StatefulSets of a Service's Namespace whose Pods' template has all labels of its
    selector. about: the Service.
    """

    items: tuple[TemplateMatch, ...]
    ask: ClassVar[str] = "kubectl get deployments,statefulsets {space} -o wide"
