"""The Service that a host name means inside of the cluster.

`NAME` is looked up in the Pod's own Namespace, `NAME.NAMESPACE.svc` and longer in the named one. Of `NAME.NAMESPACE` nobody can tell
whether the cluster or the world is meant (documentation "DNS for Services and Pods").
"""

from __future__ import annotations

from unstuck.causes.config._missing import nearest
from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.names import rule_of


def service_of(name: str, pod: Ref) -> Ref | None:
    """Return the Service, None where the name is an address, this machine, or may be one of the world."""
    parts = name.rstrip(".").split(".")
    if name.startswith("[") or name == "localhost" or all(p.isdigit() for p in parts):
        return None
    if len(parts) == 1:
        found = Ref("Service", pod.within, parts[0]) if pod.within else None
    else:
        at = parts.index("svc") if "svc" in parts else 0
        # A Pod's own name may stand before its Service's.
        found = Ref("Service", parts[at - 1], parts[at - 2]) if at >= 2 else None
    return found if found and rule_of("Service").allows(found.name or "") else None


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
