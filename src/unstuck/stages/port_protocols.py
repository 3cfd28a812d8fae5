"""Finds Service ports whose protocol differs from the protocol that the Pods declare for the same port."""

from __future__ import annotations

from unstuck.diagnosis.sign import Sign
from unstuck.facts.aspects.services import Behind, ServicePods, ServicePort, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record


@record()
class OtherProtocol(Record):
    """A port of a Service, and a Pod that declares it with other protocols. number: the Pod's port. lost: as
    it is sent to by name, it leads nowhere.

    probed: the Pod is ready by a probe that connects there by TCP, while the Service sends UDP or SCTP.
    """

    port: ServicePort
    pod: Behind
    number: int
    declared: tuple[str, ...]
    lost: bool
    probed: bool


def find_other_protocols(service: Ref, snap: Facts) -> Sign[OtherProtocol]:
    """Find ports that ready Pods behind the Service declare, and none of them with the protocol that it
    sends.
    """
    pairs = [(spec, pods) for spec in snap.of(ServiceSpec, service) for pods in snap.of(ServicePods, service)]
    found = tuple(
        o for spec, pods in pairs if spec.selector for port in spec.ports for o in _list_port(port, pods)
    )
    whole = tuple(f for spec, pods in pairs if pods.whole for f in (spec, pods))
    if found:
        return Sign(True, found, tuple(f for pair in pairs for f in pair))
    return Sign(False, seen=whole) if whole else Sign(None)


def _list_port(port: ServicePort, pods: ServicePods) -> tuple[OtherProtocol, ...]:
    ready = sorted(
        (b for b in pods.matched if b.ready and len(b.protocols) == len(b.ports)), key=lambda b: b.name
    )
    meant = [
        (b, number, protocol)
        for b in ready
        for (name, number), protocol in zip(b.ports, b.protocols, strict=True)
        if _is_meant(port, name, number)
    ]
    if not meant or any(protocol == port.protocol for _, _, protocol in meant):
        return ()
    pod, number, _ = meant[0]
    declared = tuple(sorted({protocol for _, _, protocol in meant}))
    probed = port.protocol != "TCP" and number in pod.probed
    return (OtherProtocol(port, pod, number, declared, not port.target.isdecimal(), probed),)


def _is_meant(port: ServicePort, name: str, number: int) -> bool:
    return int(port.target) == number if port.target.isdecimal() else name == port.target
