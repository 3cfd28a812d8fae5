"""The address that a program asked: whether its Service has that port, and which variable or key has it."""

from __future__ import annotations

from unstuck.causes._addresses import find_address_source
from unstuck.causes.program._plain import mend
from unstuck.causes.program._service import find_service_meant
from unstuck.causes.program._told import ProgramMessage, find_program_messages, make_finding
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)


def add_address_source(pod: Ref, snap: Facts, error: ProgramError, signs: Signs) -> Signs:
    """Return the signs with a finding that names the variable or key behind the requested address."""
    said = find_program_messages(pod, snap, error) if pod.kind == "Pod" else None
    if said is None or not said.hits:
        return signs
    return replace(signs, finding=lambda: _tell(pod, said.hits[0], signs.finding(), snap))


def _tell(pod: Ref, one: ProgramMessage, finding: Finding, snap: Facts) -> Finding:
    """Return the finding with the source of the address; a target behind a dead proxy probably needs no
    proxy.
    """
    service = next(iter(find_service_meant(one.complaint.name, pod, snap, one.complaint.port).hits), None)
    also = (service.name or "",) if service else ()
    source = find_address_source(pod, one.run.name or None, one.complaint, snap, also)
    help_ = finding.help
    if source.proxy:
        around = mend(
            say(
                "add the addresses that need no proxy to no_proxy (Services of this cluster: .svc, "
                ".cluster.local, or their names), or correct the proxy in {place}",
                place=source.place,
            )
        )
        help_ = (around, *(step for step in help_ if step.where != "source"))
    return replace(
        finding,
        says=finding.says + source.says,
        help=help_,
        enrich=unique((*finding.enrich, *source.wants)),
    )


def make_wrong_port_finding(pod: Ref, one: ProgramMessage, means: Text, service: Ref, snap: Facts) -> Finding:
    """Return the finding of a Service that has no such port: there is no server to be brought up."""
    ports = sorted({p.port for f in snap.of(ServiceSpec, service) for p in f.ports})
    told = list_names(map(str, ports))
    lacks = say(
        "; Service {service} has no port {port}, but {ports}",
        service=service.name,
        port=one.complaint.port,
        ports=told,
    )
    correct = mend(
        say(
            "ask Service {service} at port {ports}, or give it a port {port} that leads to its Pods",
            service=service.name,
            port=one.complaint.port,
            ports=told,
        )
    )
    return make_finding(pod, one, means + lacks, (correct,))
