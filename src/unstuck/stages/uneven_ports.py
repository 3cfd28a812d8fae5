"""Ready Pods of one Service, some with its target port declared and others only with different ports: it may
select too many.
"""

from __future__ import annotations

from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.facts.aspects.services import Behind, ServicePods, ServicePort, ServiceSpec
from unstuck.facts.aspects.sockets import Listening
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record


@record()
class UnevenPort(Record):
    """A port of a Service. declares, lacks: a ready Pod of each sort; a declaration opens nothing, so this is
    a hint.
    """

    port: ServicePort
    declares: Behind
    lacks: Behind


def find_refusing_pods(service: Ref, snap: Facts) -> Sign[UnevenPort]:
    """Find a port that some of the Service's Pods declare, and on which another Pod, with only other ports
    declared, does not listen.

    Until the listeners are checked, the declaration counts: unknown, with the hits.
    """
    pairs = [(spec, pods) for spec in snap.of(ServiceSpec, service) for pods in snap.of(ServicePods, service)]
    signs = [
        _is_refused(service, one, spec, pods, snap)
        for spec, pods in pairs
        for one in _find_uneven(spec, pods)
    ]
    if not signs:
        whole = tuple(pods for _, pods in pairs if pods.whole)
        return Sign(False, seen=whole) if whole else Sign(None)
    sign = any_of(signs)
    return sign if sign.value is not None else sign._replace(hits=tuple(h for s in signs for h in s.hits))


def _is_refused(
    service: Ref, one: UnevenPort, spec: ServiceSpec, pods: ServicePods, snap: Facts
) -> Sign[UnevenPort]:
    def none(f: Listening) -> list[UnevenPort]:
        return [one] if all(i.port != int(one.port.target) or i.local for i in f.items) else []

    pod = Ref("Pod", service.within, one.lacks.name)
    sign = some(snap, Listening, pod, none) if one.port.protocol == "TCP" else Sign[UnevenPort](None)
    return sign._replace(hits=() if sign.value is False else (one,), seen=(spec, pods, *sign.seen))


def _find_uneven(spec: ServiceSpec, pods: ServicePods) -> tuple[UnevenPort, ...]:
    """Return the numeric target ports that the selected ready Pods declare differently."""
    ready = sorted((b for b in pods.matched if b.ready and b.ports), key=lambda b: b.name)
    found = []
    for port in (p for p in spec.ports if spec.selector and p.target.isdecimal()):
        with_it = [b for b in ready if int(port.target) in {n for _, n in b.ports}]
        without = [b for b in ready if b not in with_it]
        if with_it and without:
            found.append(UnevenPort(port, with_it[0], without[0]))
    return tuple(found)
