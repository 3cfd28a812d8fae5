"""An object refers to a port that its Service does not have

## How it happens

The port of the Pods is written where the Service's own port belongs (`8080` where the Service has `80` and
sends on to 8080), the Service's port was renamed or renumbered, or the object was copied from an environment
with another port.

## How to tell

An Ingress' backend, a route's backendRef, a VirtualService's destination, the clientConfig of a webhook, also
of a conversion, or an APIService's spec.service names a port, by number or by name, and the Service, which
exists, has no port of that number or name. A webhook and an APIService that name none mean 443.

## Known limits

A Service port that leads to a wrong port of its Pods is service.port-mismatch. A controller may substitute
another port for a wrong one, which is not known here; a Service that stands for a name outside of the cluster
is left out.

## References

- Kubernetes API reference: IngressServiceBackend, ServiceReference; gateway-api apis/v1,
  BackendObjectReference
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import ROUTES
from unstuck.stages.overdue import stays
from unstuck.stages.references import find_missing_ports, find_references

say = Messages(__name__)

_MOST = 4
SUBJECTS = (
    "Ingress",
    "APIService",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "CustomResourceDefinition",
    "VirtualService.networking.istio.io",
    "IngressRoute.traefik.io",
    *ROUTES,
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    named = [r for r in find_references(subject, snap) if r.port and r.to.kind == "Service"]
    if not named:
        return Signs(
            applies=Sign(False, seen=snap.of(References, subject)), decisive={}, finding=_make_empty_finding
        )
    lacks = find_missing_ports(subject, snap)
    return Signs(
        applies=stays(subject, snap),
        decisive={"a Service that it sends to has no port of the number or name that it gives": lacks},
        finding=lambda: _make_finding(subject, lacks.hits, snap),
    )


def _make_empty_finding() -> Finding:
    raise AssertionError("what sends to no port is ruled out")


def _make_finding(subject: Ref, wrong: tuple[Reference, ...], snap: Facts) -> Finding:
    first = wrong[0]
    ports = _describe_ports(first.to, snap)
    notes = [
        say(
            "{field}: Service {service} has no port {port} either",
            field=r.field,
            service=r.to.name,
            port=r.port,
        )
        for r in wrong[1:_MOST]
    ]
    if to := next(
        (p.port for f in snap.of(ServiceSpec, first.to) for p in f.ports if p.target == first.port), None
    ):
        notes.insert(0, say("{port} is the port of its Pods, behind its port {to}", port=first.port, to=to))
    return Finding(
        say(
            "{subject} sends to port {port} of Service {service} in {field}, but the Service has {ports}",
            subject=who(subject),
            port=first.port,
            service=first.to.name,
            field=first.field,
            ports=ports,
        ),
        # Not the object itself, which waits for other things as well: neither follows from the other.
        culprit=Ref("Port", f"{first.to.within}/{first.to.name}", first.port),
        blocks=(subject,),
        notes=tuple(notes),
        help=(
            Step(
                say("see the Service's ports"),
                command=command(
                    "kubectl get {service} {space} -o wide",
                    service=given.of(first.to),
                    space=given.space(first.to),
                ),
            ),
            Step(
                say("correct the port in {field}: one of {ports}", field=first.field, ports=ports),
                where="source",
                verify=say("requests reach the Service's Pods"),
            ),
        ),
        do_not=(
            DoNot(
                say("restart the Pods behind the Service because of it"),
                say("nothing is sent to them"),
            ),
        ),
    )


def _describe_ports(service: Ref, snap: Facts) -> Text:
    shown = {
        f"{p.port} ({p.name})" if p.name else str(p.port)
        for f in snap.of(ServiceSpec, service)
        for p in f.ports
    }
    return list_names(sorted(shown))


CAUSE = Cause(
    id="reference.port-missing",
    title=say("an object refers to a port that its Service does not have"),
    subjects=SUBJECTS,
    reads=frozenset({References, ServiceSpec, Deletion, Workload}),
    rule=_rule,
)
