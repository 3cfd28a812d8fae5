"""External dependencies of an object: the backend of a Service without a selector, and a type's conversion
webhook.
"""

from __future__ import annotations

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.crds import Conversion
from unstuck.facts.aspects.services import ServiceSpec
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.lease import find_kept_lease
from unstuck.stages.served import lacks_service
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)


def judge_served_by_others(service: Ref, spec: ServiceSpec, snap: Facts) -> State:
    """Return the state of a Service without a selector, whose endpoints are written by another controller."""
    backends = snap.one(Backends, service)
    if backends is None:
        return add_headline(service, "unknown", say("its endpoints were not seen"), evidence=(spec,))
    if not backends.ready:
        says = say("it has no backend: it selects no Pods, and none of its endpoints is ready")
        return add_headline(service, "stuck", says, evidence=(spec, backends))
    return add_headline(
        service, "fine", say("{ready} ready endpoints", ready=backends.ready), evidence=(backends,)
    )


def judge_empty(service: Ref, snap: Facts) -> State | None:
    """Return the state of a Service whose endpoints are known to be empty; else None."""
    backends = snap.one(Backends, service)
    if backends is None or backends.ready or backends.total:
        return None
    return add_headline(service, "stuck", say("it has no endpoints"), evidence=(backends,))


def judge_conversion(definition: Ref, snap: Facts) -> State | None:
    """Return the state of a type whose conversion webhook has no backend; None if it has one, needs none, or
    that is unknown.
    """
    fact = next((f for f in snap.of(Conversion, definition) if f.service), None)
    if fact is None or fact.service is None:
        return None
    lacks = lacks_service(fact.service, snap)
    if not lacks.value:
        return None
    service = f"{fact.service.within}/{fact.service.name}"
    says = say(
        (
            "its conversion webhook's Service {service} has nothing behind it: objects that are stored in "
            "another version cannot be read"
        ),
        service=service,
    )
    return add_headline(definition, "stuck", says, evidence=(fact, *lacks.seen))


def depends_on(ref: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return the questions whose answers would change the state of an object that looks well."""
    if ref.kind == "Service":
        lone = any(not f.selector and not f.outside for f in snap.of(ServiceSpec, ref))
        return (Want(Backends, ref),) if lone else ()
    if ref.kind == "Lease":
        return find_kept_lease(ref, snap).wants
    services = (f.service for f in snap.of(Conversion, ref) if f.service)
    return tuple(w for s in services for w in lacks_service(s, snap).wants)
