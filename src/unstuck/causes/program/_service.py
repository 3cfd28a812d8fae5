"""The Service that a host name of a Pod's program means inside of the cluster."""

from __future__ import annotations

from unstuck.causes.config._missing import nearest
from unstuck.diagnosis.objects_named import service_named
from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def service_of(name: str, pod: Ref) -> Ref | None:
    """Return the Service, None where the name is an address, this machine, or may be one of the world."""
    return service_named(name, pod.within)


def no_service(service: Ref | None, snap: Facts) -> Sign[Ref]:
    """Tell whether the whole list of the Namespace lacks it."""
    if service is None:
        return Sign(None)
    listed = Ref("ServiceList", service.within)
    return some(snap, Names, listed, lambda f: [service] if service.name not in f.names else [])


def near(service: Ref, snap: Facts) -> tuple[str, ...]:
    """Return Services of the Namespace with a name like this one."""
    names = (n for f in snap.of(Names, Ref("ServiceList", service.within)) for n in f.names)
    return nearest(service.name or "", names)
