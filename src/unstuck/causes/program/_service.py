"""The Service that a host name or an address of a Pod's program means inside of the cluster, its ports and
its ready Pods.
"""

from __future__ import annotations

from unstuck.diagnosis.objects_named import (
    CLUSTER_DNS,
    find_address_of_host,
    find_name_server,
    find_service_of_host,
)
from unstuck.diagnosis.sign import Sign, all_of, some, unique
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.aspects.services import AddressHolders, Behind, ServicePods, ServicesAt, ServiceSpec
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.knowledge.names import find_rule

# The default of --service-node-port-range.
NODE_PORTS = range(30_000, 32_768)


def find_service(name: str, pod: Ref) -> Ref | None:
    """Return the Service, None if the name is an address, this machine, or may be a public name."""
    return find_service_of_host(name, pod.within)


def find_service_meant(host: str, pod: Ref, snap: Facts, port: int = 0) -> Sign[Ref]:
    """Find the Service that a host means: by its name, by this address, or by a Node's address and this port
    of every node. No if no Service has the address.
    """
    if named := find_service(host, pod):
        return Sign(True, (named,))
    if perhaps := _find_short_name(host):
        # `example.com` may be a Service of Namespace com: ask whether it exists.
        there = some(snap, Presence, perhaps, lambda f: [perhaps] if f.exists else [])
        return there if there.value is not False else Sign(None, seen=there.seen)
    address = find_address_of_host(host)
    if address is None:
        return Sign(None)
    own = tuple(f for f in snap.every(ServiceSpec) if address.name in (*f.addresses, *f.outer))
    if own:
        return Sign(True, unique(f.about for f in own), own)
    there = some(snap, ServicesAt, address, lambda f: f.services)
    if there.value is not False or port not in NODE_PORTS:
        return there
    of_node = some(snap, AddressHolders, address, lambda f: f.nodes)
    if of_node.value is None:
        return Sign(None, wants=of_node.wants)
    return (
        some(snap, ServicesAt, Ref("NodePort", None, str(port)), lambda f: f.services)
        if of_node.value
        else there
    )


def _find_short_name(host: str) -> Ref | None:
    """Return the Service that `NAME.NAMESPACE` would be; None for another form of a name."""
    name, _, space = host.rstrip(".").partition(".")
    fits = find_rule("Service").allows(name) and find_rule("Namespace").allows(space)
    return Ref("Service", space, name) if fits and not host.replace(".", "").isdigit() else None


def find_name_service(line: str, pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find the Service that resolves names for a Pod: by the address in a resolver's line, else the cluster's
    DNS.

    No if no Service has that address. Unknown for a Pod in the network of its Node, which may use the Node's
    name servers.
    """
    server = find_name_server(line)
    address = find_address_of_host(server) if server else None
    if address is not None:
        return find_service_meant(address.name or "", pod, snap)
    if any(f.host_network for f in snap.of(Containers, pod)):
        return Sign(None)
    return Sign(True, (CLUSTER_DNS,))


def is_service_absent(service: Ref | None, snap: Facts) -> Sign[Ref]:
    """Tell whether the whole list of the Namespace lacks it."""
    if service is None:
        return Sign(None)
    listed = Ref("ServiceList", service.within)
    return some(snap, Names, listed, lambda f: [service] if service.name not in f.names else [])


def find_near_services(service: Ref, snap: Facts) -> tuple[str, ...]:
    """Return Services of the Namespace with a similar name."""
    names = (n for f in snap.of(Names, Ref("ServiceList", service.within)) for n in f.names)
    return pick_nearest(service.name or "", names)


def lacks_ready_pods(service: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether no Pod that it selects is ready; not for a Service with externally managed endpoints."""
    selects = some(snap, ServiceSpec, service, lambda f: [service] if f.selector and not f.outside else [])
    none = some(
        snap, ServicePods, service, lambda f: [service] if not any(b.ready for b in f.matched) else []
    )
    return all_of((selects, none))


def has_ready_pods_elsewhere(service: Ref, pod: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether `internalTrafficPolicy: Local` keeps the Pod from the ready backends: all of them run on
    other nodes.
    """
    local = some(snap, ServiceSpec, service, lambda f: [service] if f.selector and f.local else [])
    if not local.value:
        return local
    node = find_node(pod, snap)
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))

    def elsewhere(f: ServicePods) -> list[Ref]:
        nodes = [b.node for b in f.matched if b.ready]
        return [service] if nodes and all(nodes) and node.name not in nodes else []

    return all_of((local, some(snap, ServicePods, service, elsewhere)))


def lacks_port(service: Ref, port: int, snap: Facts) -> Sign[Ref]:
    """Tell whether it has no such port; unknown for port 0."""
    if not port:
        return Sign(None)
    return some(
        snap,
        ServiceSpec,
        service,
        lambda f: (
            [service]
            if f.selector and f.ports and all(port not in (p.port, p.node_port) for p in f.ports)
            else []
        ),
    )


def list_ready_pods(service: Ref, snap: Facts) -> tuple[Behind, ...]:
    """Return the ready Pods behind it."""
    return tuple(b for f in snap.of(ServicePods, service) for b in f.matched if b.ready)
