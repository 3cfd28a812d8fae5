"""A Service that sends to another port than the one on which its Pod says in its log that it listens."""

from __future__ import annotations

from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.pod import TroubleLines
from unstuck.facts.aspects.services import Behind, ServicePods, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.target_ports import find_target_port
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({ServicePods, ServiceSpec, TroubleLines})


@record()
class OtherPort(Record):
    """The port that a Service sends to, if its Pod listens on others. says: a clause, empty if they agree or
    are unknown.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    wants: tuple[Want, ...] = ()
    seen: tuple[Fact, ...] = ()


def compare_told_ports(service: Ref, port: int, snap: Facts, verify: Text) -> OtherPort:
    """Compare the port that a Service sends to with those that the log of a ready Pod names. port: of the
    Service, 0 if it has only one.
    """
    wants = tuple(Want(kind, service) for kind in (ServiceSpec, ServicePods) if not snap.of(kind, service))
    server = next((b for f in snap.of(ServicePods, service) for b in f.matched if b.ready), None)
    if wants or server is None:
        return OtherPort(wants=wants)
    target = _find_target(service, port, server, snap)
    if not target:
        return OtherPort()
    pod = Ref("Pod", service.within, server.name)
    facts = snap.of(TroubleLines, pod)
    if not facts:
        return OtherPort(wants=(Want(TroubleLines, pod),))
    told = unique(p.port for f in facts for p in f.ports)
    if not told or target in told:
        return OtherPort()
    ports = list_names(map(str, told))
    says = say(
        "; Service {service} sends to port {target} of its Pods, and by its log Pod {pod} listens on port "
        "{ports}",
        service=service.name,
        target=target,
        pod=pod.name,
        ports=ports,
    )
    fix = Step(
        say("set targetPort of Service {service} to {ports}", service=service.name, ports=ports)
        if len(told) == 1
        else say(
            "set targetPort of Service {service} to the port that is meant: one of {ports}",
            service=service.name,
            ports=ports,
        ),
        where="source",
        verify=verify,
    )
    return OtherPort(says, (fix,), seen=tuple(facts))


def _find_target(service: Ref, port: int, server: Behind, snap: Facts) -> int:
    """Return the Pod's port behind the Service's; 0 if unknown."""
    rows = [p for f in snap.of(ServiceSpec, service) for p in f.ports]
    asked = [p for p in rows if port and port in (p.port, p.node_port)] or rows
    if len(asked) != 1:
        return 0
    return find_target_port(asked[0], server)
