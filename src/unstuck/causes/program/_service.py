"""The Service that a host name or an address of a Pod's program means inside of the cluster."""

from __future__ import annotations

from unstuck.causes.config._missing import pick_nearest
from unstuck.diagnosis.objects_named import (
    CLUSTER_DNS,
    find_address_of_host,
    find_name_server,
    find_service_of_host,
)
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.names import find_rule


def find_service(name: str, pod: Ref) -> Ref | None:
    """Return the Service, None if the name is an address, this machine, or may be a public name."""
    return find_service_of_host(name, pod.within)


def find_service_meant(host: str, pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find the Service that a host means: by its name or by this cluster IP. No if no Service has the
    address.
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
    own = tuple(f for f in snap.every(ServiceSpec) if address.name in f.addresses)
    if own:
        return Sign(True, unique(f.about for f in own), own)
    return some(snap, ServicesAt, address, lambda f: f.services)


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
