"""A server that a program could not reach: the Service of that name, and who is behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unstuck.causes.program._plain import mend, not_overcome
from unstuck.causes.program._service import service_of
from unstuck.causes.program._told import ProgramMessage, alone, finding, program_messages
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, listed
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

# The Service `kubernetes` has the first address of its range: network.pod-to-apiserver-broken tells of the way there.
_TO_API_SERVER = regex(r"(?:10|172|192)(?:\.\d{1,3}){2}\.1")
_TLS = 443
_CORRECT = mend(say("bring the server up, or correct its name and port in the program's settings"))
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")


def unreachable_signs(pod: Ref, snap: Facts, error: ProgramError, says: Callable[[Text], Text]) -> Signs:
    """Return the signs for a server that did not answer. says: what its program met, of ` by web:80` or nothing."""
    every = program_messages(pod, snap, error)
    hits = tuple(t for t in every.hits if not _to_api_server(t.complaint))
    said = (
        Sign(True, hits, every.seen, sure=every.sure)
        if hits
        else Sign(False if every.value else every.value, seen=every.seen, wants=every.wants)
    )
    services = [s for t in hits if (s := service_of(t.complaint.name, pod))]
    nobody = _any([_nobody_ready(s, snap) for s in services])
    port = _any([_no_port(t, pod, snap) for t in hits])
    lone = alone(pod, snap, error)
    return Signs(
        necessary={"the last lines of a run that ended badly say so": said},
        decisive={
            "behind the Service of this name is nobody who is ready": nobody,
            "the Service of this name does not have this port": port,
        },
        supporting={"its words are those of a connection that failed": said if said.value else lone},
        finding=lambda: _finding(pod, said.hits[0], says, nobody, port, snap),
    )


def _to_api_server(said: Complaint) -> bool:
    return said.port == _TLS and _TO_API_SERVER.fullmatch(said.name) is not None


def _any(signs: Sequence[Sign[Ref]]) -> Sign[Ref]:
    return not_overcome(any_of(signs)) if signs else Sign(None)


def _nobody_ready(service: Ref, snap: Facts) -> Sign[Ref]:
    """Tell whether no Pod that it selects is ready; whose endpoints somebody else makes has none of its own."""
    selects = some(snap, ServiceSpec, service, lambda f: [service] if f.selector and not f.outside else [])
    none = some(snap, ServicePods, service, lambda f: [service] if not any(b.ready for b in f.matched) else [])
    return all_of((selects, none))


def _no_port(one: ProgramMessage, pod: Ref, snap: Facts) -> Sign[Ref]:
    service, port = service_of(one.complaint.name, pod), one.complaint.port
    if service is None or not port:
        return Sign(None)
    return some(snap, ServiceSpec, service, lambda f: [service] if f.selector and f.ports and all(p.port != port for p in f.ports) else [])


def _finding(pod: Ref, one: ProgramMessage, says: Callable[[Text], Text], nobody: Sign[Ref], port: Sign[Ref], snap: Facts) -> Finding:
    name, number = one.complaint.name, one.complaint.port
    where = f"{name}:{number}" if name and number else name
    service = service_of(name, pod)
    means = says(say(" by {where}", where=where) if where else NO_TEXT)
    if service is not None and service in nobody.hits:
        return _of_nobody(pod, one, means, service, snap)
    if service is not None and service in port.hits:
        return _wrong_port(pod, one, means, service, snap)
    if name in _HERE:
        inside = say("; that is the Pod itself: another container of it, or nothing, should listen there")
        return finding(pod, one, means + inside, (_CORRECT,))
    look = (
        (
            Step(
                say("see what stands behind the Service"),
                command=command("unstuck why {service} {space}", service=given.of(service), space=given.space(service)),
            ),
        )
        if service
        else ()
    )
    return finding(pod, one, means, (*look, _CORRECT))


def _of_nobody(pod: Ref, one: ProgramMessage, means: Text, service: Ref, snap: Facts) -> Finding:
    behind = tuple(b.name for f in snap.of(ServicePods, service) for b in f.matched)
    lacks = say("; behind Service {service} of Namespace {within} no Pod is ready", service=service.name, within=service.within)
    if behind:
        first = Ref("Pod", service.within, behind[0])
        look = Step(
            say("see why that Pod is not ready"),
            command=command("unstuck why {pod} {space}", pod=given.of(first), space=given.space(first)),
        )
        notes = (say("behind it: Pod {behind}, not ready", behind=listed(behind[:3])),)
    else:
        look = Step(
            say("see why no Pod matches it"),
            command=command("unstuck why {service} {space}", service=given.of(service), space=given.space(service)),
        )
        notes = (say("no Pod matches its selector"),)
    return finding(pod, one, means + lacks, (look,), notes=notes, culprit=service)


def _wrong_port(pod: Ref, one: ProgramMessage, means: Text, service: Ref, snap: Facts) -> Finding:
    ports = sorted({p.port for f in snap.of(ServiceSpec, service) for p in f.ports})
    lacks = say(
        "; Service {service} has no port {port}, but {ports}", service=service.name, port=one.complaint.port, ports=listed(map(str, ports))
    )
    return finding(pod, one, means + lacks, (_CORRECT,))
