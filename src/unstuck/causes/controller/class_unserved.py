"""No controller handles the objects of a class: it is not there

## How it happens

An IngressClass or a GatewayClass names a controller, and a Service of type LoadBalancer means one; the class
exists, and the program was never installed, was removed, or is scaled to zero. A Service of type LoadBalancer
on machines without a cloud gets no address, because no controller there assigns one. No Event reports it. A
CertificateSigningRequest names its signer: an approved one waits for a program that signs for that.

## How to tell

The object has had a minute and no address, no other object of its class has one, and no workload with the
controller's name or labels has a Ready Pod; for a Service without `loadBalancerClass` no known address
controller exists, and no cloud made the Nodes. A request is approved, has no certificate, and its signer is
none of Kubernetes' own.

## Known limits

A controller may run outside of the cluster or under another name, and some give no address: this is likely at
most. While Events about the object are recent, somebody works on it, and this is no question. A controller
that runs and ignores this object is not covered. A class that does not exist is reference.target-missing, and
an unset class is field.class-unset.

## References

- Kubernetes networking/v1 IngressClass; core/v1 ServiceSpec.loadBalancerClass; gateway-api apis/v1
  GatewayClass
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.controller._down import see_why_down
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Presence
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.aspects.signing import SigningRequest
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.knowledge.status_words import NONE
from unstuck.stages.overdue import stays
from unstuck.stages.signing import is_unserved, waits_for_signer

say = Messages(__name__)

_GATEWAY = "Gateway.gateway.networking.k8s.io"
_REQUEST = "CertificateSigningRequest"
_ADDRESS = "status.loadBalancer.ingress"
_SOON = timedelta(minutes=1)
_RECENT = timedelta(hours=1)
# gateway-api sets these to Unknown until a controller looks at the object.
_FIRST = ("Accepted", "Programmed")


def _rule(subject: Ref, snap: Facts) -> Signs:
    waits, events = _waits(subject, snap), snap.of(Events, subject)
    nobody: Sign[ClassWork] = (
        some(snap, ClassWork, subject, lambda f: [f] if f.whole and _is_left(subject, f) else [])
        if waits.value
        else Sign(None)
    )
    left = all_of((waits, nobody))
    name = "it is not served, and no program of its class's controller runs here"
    # Somebody works on it, perhaps from outside of the cluster, and reports it.
    heard = _find_recent_events(subject, snap)
    asked = (Want(Events, subject),) if left.value and not events else ()
    return Signs(
        applies=stays(subject, snap) if waits.value is not False else Sign(False, seen=waits.seen),
        necessary={name: left},
        # No Event proves it: the controller may run elsewhere.
        decisive={"no Event tells of one elsewhere": Sign(False if heard else None, seen=heard, wants=asked)},
        supporting={} if heard else {name: left},
        finding=lambda: _make_finding(subject, nobody.hits[0]),
    )


def _find_recent_events(subject: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return the recent events of a controller that is not known here; none if one that is known is down."""
    if any(c.ready == 0 for f in snap.of(ClassWork, subject) for c in f.candidates):
        return ()
    return tuple(
        f for f in snap.of(Events, subject) if any(e.last and snap.now - e.last < _RECENT for e in f.items)
    )


def _waits(subject: Ref, snap: Facts) -> Sign[Fact]:
    """Tell whether it has waited for an address for a while, or for a signer."""
    if subject.kind == _REQUEST:
        return waits_for_signer(subject, snap)
    if subject.kind == _GATEWAY:
        empty: Sign[Fact] = some(
            snap,
            Conditions,
            subject,
            lambda f: [f] if any(c.type in _FIRST and c.status == "Unknown" for c in f.items) else [],
        )
    else:
        told = [f for f in snap.of(Reported, subject) if any(w.field == _ADDRESS for w in f.words)]
        empty = some(
            snap,
            Reported,
            subject,
            lambda f: [f] if any(w.field == _ADDRESS and w.value == NONE for w in f.words) else [],
        )
        if not told:
            # A Service of another type waits for none.
            return Sign(False if snap.of(Presence, subject) else None, seen=empty.seen)
    if not empty.value:
        return empty
    made = next((f for f in snap.of(Presence, subject) if f.created), None)
    if made is None or made.created is None:
        return Sign(None, seen=empty.seen, wants=(Want(Presence, subject),))
    old = snap.now - made.created >= _SOON
    return Sign(old, empty.hits if old else (), (*empty.seen, made), sure=empty.sure)


def _is_left(subject: Ref, work: ClassWork) -> bool:
    """Tell whether the class is unserved, as far as this cluster shows."""
    named = subject.kind == "Service" or bool(work.controller)
    return named and is_unserved(work)


def _make_finding(subject: Ref, work: ClassWork) -> Finding:
    down = next(iter(work.candidates), None)
    others = (
        (
            say(
                "none of the {n} {n:other object|other objects} of its class was served either",
                n=work.others,
            ),
        )
        if work.others
        else ()
    )
    missing = Ref("Controller", None, work.controller or subject.kind)
    return Finding(
        _says(subject, work)
        + (
            say("{controller}, which is tied to that, has no Ready Pod", controller=who(down.ref))
            if down
            else _describe_nobody(work)
        ),
        culprit=down.ref if down else missing,
        blocks=(subject, work.of) if work.of else (subject,),
        notes=others,
        help=(see_why_down(down.ref, _tell_served(subject)),) if down else _help(subject, work),
        do_not=(
            DoNot(
                say("delete {subject} and create it again", subject=who(subject)),
                say("no controller would handle the next one either"),
            ),
        ),
    )


def _says(subject: Ref, work: ClassWork) -> Text:
    if not work.controller:
        return say(
            "nothing in this cluster gives {subject}, which is of type LoadBalancer, an address: no "
            "cloud made the Nodes, and ",
            subject=who(subject),
        )
    if work.of:
        return say(
            "no controller handles {subject}: its class {name} is for the controller {controller}, and ",
            subject=who(subject),
            name=work.of.name,
            controller=work.controller,
        )
    if subject.kind == _REQUEST:
        return say(
            "nobody signs {subject}: it is approved for signer {controller}, and ",
            subject=who(subject),
            controller=work.controller,
        )
    return say(
        "no controller handles {subject}: its loadBalancerClass is {controller}, and ",
        subject=who(subject),
        controller=work.controller,
    )


def _describe_nobody(work: ClassWork) -> Text:
    if work.controller:
        return say("no workload of that name is here")
    return say("no program that gives out addresses is here")


def _tell_served(subject: Ref) -> Text:
    if subject.kind == _REQUEST:
        return say("{subject} gets its certificate", subject=who(subject))
    return say("{subject} gets an address", subject=who(subject))


def _help(subject: Ref, work: ClassWork) -> tuple[Step, ...]:
    served = _tell_served(subject)
    if subject.kind == _REQUEST:
        install = say(
            "install the program that signs for {controller}, or make a request with a signerName "
            "that is served",
            controller=work.controller,
        )
        return (Step(install, where="source", verify=served),)
    if subject.kind == "Service":
        install = (
            say(
                "install the controller {controller}, or use a class that is served: the field of an "
                "existing Service cannot be changed",
                controller=work.controller,
            )
            if work.controller
            else say(
                "install a load balancer implementation (MetalLB, kube-vip, the cloud's controller "
                "manager) with an address range, or use type NodePort or ClusterIP"
            )
        )
        return (Step(install, where="source", verify=served),)
    install = say(
        "install the controller {controller}, or name a class whose controller runs here",
        controller=work.controller,
    )
    look = (
        command("kubectl get ingressclass -o wide")
        if subject.kind == "Ingress"
        else command("kubectl get gatewayclass -o wide")
    )
    return (
        Step(install, where="source", verify=served),
        Step(say("see which classes and controllers there are"), command=look),
    )


CAUSE = Cause(
    id="controller.class-unserved",
    title=say("no controller handles the objects of a class"),
    subjects=("Ingress", "Service", _REQUEST, _GATEWAY),
    reads=frozenset({ClassWork, Conditions, Deletion, Events, Presence, Reported, SigningRequest}),
    rule=_rule,
)
