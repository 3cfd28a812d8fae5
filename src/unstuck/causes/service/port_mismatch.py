"""A Service sends traffic to a port that its Pods do not have

## How it happens

`targetPort` names a container port that no container declares under that name (`http` and `web`, a rename in
the template alone), or gives a number on which the program does not listen: the Service's own port repeated,
the default of another image.

## How to tell

The Pods match the selector, and none of them has a port with the name in `targetPort`: the endpoints then
have no port at all. For a number, the Pods declare other ports, or declare it for another protocol (UDP for
TCP) and may be probed by that; if only some of them declare it, the selector may match Pods of another
program, which refuse the connections. The Pods themselves may be well: asked about one of them, or about its
workload, the answer names a Service that selects it and forwards to such a port.

## Known limits

A declaration neither opens nor closes a port: an undeclared number is no more than possible; a connection to
the Pod's own address settles it, and so do the listeners that the Node shows in the Pod's network namespace.

## References

- Kubernetes documentation "Service", port definitions; pkg/controller/endpointslice (FindPort in
  pkg/api/v1/pod/util.go)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.causes.service._beside import PODS, find_services_beside, is_well
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.aspects.services import (
    Behind,
    Beside,
    ServicePods,
    ServicePort,
    ServicesBeside,
    ServiceSpec,
)
from unstuck.facts.aspects.sockets import Listening
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.port_protocols import OtherProtocol, find_other_protocols
from unstuck.stages.uneven_ports import UnevenPort, find_refusing_pods

say = Messages(__name__)

Wrong = tuple[Beside, ServicePort]
_NAME = "none of them has a port of the name that it sends to"
_NUMBER = "the program does not listen on the number that it sends to"
_PROTOCOL = "none of them declares the port with the protocol that it sends"
_UNEVEN = "one of them does not listen on the number that it sends to, which others declare"


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _judge_service(subject, snap) if subject.kind == "Service" else _judge_pods(subject, snap)


def _judge_pods(subject: Ref, snap: Facts) -> Signs:
    """Judge from Pods that are well: hold each Service that selects them against all the Pods that it
    selects.
    """
    wrong = find_services_beside(subject, snap, lambda b: not b.differs)
    behind: dict[Beside, Sign[Behind]] = {
        b: some(snap, ServicePods, b.service, lambda f: f.matched) for b in wrong.hits
    }
    asked = [(b, p) for b in wrong.hits for p in b.lost if not p.target.isdecimal()]
    signs = [_lacks_port(b, p, wrong.seen, snap) for b, p in asked]
    open_: Sign[Wrong] = Sign(False if wrong.value else None, seen=wrong.seen, wants=wrong.wants)
    names = _join_open(signs) if signs else open_
    numbers = [(b, p) for b in wrong.hits for p in b.lost if p.target.isdecimal()]
    closed = (
        _join_open([_is_closed(subject, b, p, wrong.seen, snap) for b, p in numbers]) if numbers else open_
    )

    def finding() -> Finding:
        service, port = (*names.hits, *closed.hits)[0]
        return _make_finding(service.service, port, [*behind[service].hits])

    return Signs(
        applies=is_well(subject, snap),
        necessary={"a Service that selects them sends to a port that they do not declare": wrong},
        decisive={_NAME: names, _NUMBER: closed},
        finding=finding,
        of_well=True,
    )


def _lacks_port(service: Beside, port: ServicePort, seen: tuple[Fact, ...], snap: Facts) -> Sign[Wrong]:
    def none(f: ServicePods) -> list[Wrong]:
        return (
            [(service, port)]
            if f.whole
            and f.matched
            and not any(name == port.target for b in f.matched for name, _ in b.ports)
            else []
        )

    return _add_support((service, port), seen, some(snap, ServicePods, service.service, none))


def _is_closed(
    subject: Ref, service: Beside, port: ServicePort, seen: tuple[Fact, ...], snap: Facts
) -> Sign[Wrong]:
    """Tell whether the port has no listener in the Pod's own network namespace; not looked up for a
    workload's Pods, nor for UDP.
    """

    def none(f: Listening) -> list[Wrong]:
        return [(service, port)] if all(i.port != int(port.target) or i.local for i in f.items) else []

    looked_up = subject.kind == "Pod" and port.protocol == "TCP"
    return _add_support(
        (service, port), seen, some(snap, Listening, subject, none) if looked_up else Sign(None)
    )


def _add_support(wrong: Wrong, seen: tuple[Fact, ...], sign: Sign[Wrong]) -> Sign[Wrong]:
    """Return the sign; while it is open, the list of Services serves as support."""
    return sign if sign.value is not None else Sign(None, (wrong,), seen, sign.wants)


def _join_open(signs: Sequence[Sign[Wrong]]) -> Sign[Wrong]:
    """Join as `any_of` does, and keep every sign's hits while it is open."""
    sign = any_of(signs)
    return sign if sign.value is not None else sign._replace(hits=tuple(h for s in signs for h in s.hits))


def _judge_service(service: Ref, snap: Facts) -> Signs:
    named = some(
        snap, ServiceSpec, service, lambda f: [p for p in f.ports if f.selector and not p.target.isdecimal()]
    )
    numbered = some(
        snap, ServiceSpec, service, lambda f: [p for p in f.ports if f.selector and p.target.isdecimal()]
    )
    behind: Sign[Behind] = some(snap, ServicePods, service, lambda f: f.matched)
    names = {name for pod in behind.hits for name, _ in pod.ports}
    numbers = {number for pod in behind.hits for _, number in pod.ports}
    unknown = tuple(p for p in named.hits if p.target not in names)
    undeclared = tuple(p for p in numbered.hits if numbers and int(p.target) not in numbers)
    lacking: Sign[ServicePort] = named if named.value is None else Sign(bool(unknown), unknown, named.seen)
    other: Sign[ServicePort] = (
        Sign(None, undeclared, (*numbered.seen, *behind.seen))
        if undeclared
        else Sign(False, seen=numbered.seen)
    )
    if numbered.value is None or (numbered.value and behind.value is None):
        other = Sign(None, wants=(*numbered.wants, *behind.wants))
    uneven = find_refusing_pods(service, snap)
    unlike = find_other_protocols(service, snap)
    lost = (
        Sign(unlike.value, unlike.hits, unlike.seen)
        if any(o.lost for o in unlike.hits)
        else Sign[OtherProtocol](None)
    )

    def finding() -> Finding:
        if unlike.value and not unknown:
            return _make_finding_of_protocol(service, unlike.hits[0])
        if unknown:
            return _make_finding(service, unknown[0], sorted({*behind.hits}, key=lambda b: b.name))
        return _make_finding_of_uneven(service, uneven.hits[0])

    return Signs(
        decisive={
            _NAME: all_of([behind, lacking]),
            _NUMBER: other,
            _UNEVEN: uneven,
            # A program may listen on both protocols and declare one.
            **({_PROTOCOL: lost if lost.value else Sign(None)} if unlike.value else {}),
        },
        supporting={} if lost.value else {_PROTOCOL: unlike},
        finding=finding,
    )


def _make_finding_of_protocol(service: Ref, one: OtherProtocol) -> Finding:
    sent, declared = one.port.protocol, list_names(one.declared)
    says = say(
        (
            "Service {service} sends port {port} by {sent} to port {number} of its Pods, and they declare "
            "{number} for {declared}"
        ),
        service=service.name,
        port=one.port.port,
        sent=sent,
        number=one.number,
        declared=declared,
    )
    if one.lost:
        says += say(
            "; a port of that name and of {sent} is sought, so that the endpoints have none", sent=sent
        )
    elif one.probed:
        says += say("; the readiness probe connects there by TCP")
    mend = Step(
        say(
            (
                "set protocol: {declared} for port {port} of the Service, or declare {number} for {sent} in "
                "the template"
            ),
            declared=one.declared[0],
            port=one.port.port,
            number=one.number,
            sent=sent,
        ),
        where="source",
        verify=say("the endpoints have the port, and connections succeed"),
    )
    return replace(_make_finding(service, one.port, [one.pod]), says=says, notes=(), help=(mend,))


def _make_finding_of_uneven(service: Ref, one: UnevenPort) -> Finding:
    found = _make_finding(service, one.port, [one.lacks])
    says = say(
        (
            "Service {service} sends port {port} to port {target} of {lacks}, too, where nothing listens; "
            "{declares} has that port"
        ),
        service=service.name,
        port=one.port.port,
        target=one.port.target,
        lacks=one.lacks.name,
        declares=one.declares.name,
    )
    mend = Step(
        say(
            "narrow the Service's selector so that it does not select Pods like {lacks}",
            lacks=one.lacks.name,
        ),
        where="source",
        verify=say("the endpoints are those of Pods that listen on the port, and connections succeed"),
    )
    return replace(found, says=says, help=(found.help[0], mend))


def _make_finding(service: Ref, port: ServicePort, pods: list[Behind]) -> Finding:
    declared = sorted({(name, number) for pod in pods for name, number in pod.ports})
    shown = ", ".join(f"{name or '-'} ({number})" for name, number in declared[:8])
    note = say("they declare: {shown}", shown=shown) if shown else say("they declare no port")
    notes = (note,) if pods else ()
    says = say(
        (
            "Service {service} sends port {port} to a container port named {target}, but its Pods have no "
            "such port"
        ),
        service=service.name,
        port=port.port,
        target=port.target,
    )
    mend = say(
        "name the container's port {target} in the Pods' template, or correct targetPort in the Service",
        target=port.target,
    )
    if port.target.isdecimal():
        says = say(
            "Service {service} sends port {port} to port {target} of its Pods, where nothing listens",
            service=service.name,
            port=port.port,
            target=port.target,
        )
        mend = say(
            "correct targetPort in the Service, or make the program listen on that port "
            "on all addresses (0.0.0.0)"
        )
    return Finding(
        says,
        culprit=service,
        blocks=(),
        notes=notes,
        help=(
            Step(
                say("see where the endpoints point"),
                command=command(
                    "kubectl get endpointslices {space} -l kubernetes.io/service-name={service}",
                    space=given.namespace(service.within),
                    service=given.bare("Service", service.name),
                ),
            ),
            Step(
                mend,
                where="source",
                verify=say("the endpoints have the port, and connections succeed"),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the Pods or kube-proxy because of it"),
                say("they do exactly what the Service defines"),
            ),
        ),
    )


CAUSE = Cause(
    id="service.port-mismatch",
    title=say("a Service sends traffic to a port its Pods do not have"),
    subjects=("Service", *PODS),
    reads=frozenset({ServiceSpec, ServicePods, ServicesBeside, Conditions, Deletion, Workload, Listening}),
    rule=_rule,
)
