"""A Service address range is kept because a Service still has an address in it

## How it happens

A ServiceCIDR that is deleted stays while an address in its range is in use and lies in no other ServiceCIDR:
its finalizer keeps the range until the last such Service no longer exists or has another address. No new
Service gets an address of it meanwhile. The deletion was accepted and completes by itself then.

## How to tell

`metadata.finalizers` holds `networking.k8s.io/service-cidr-finalizer`, the condition Ready is False with the
reason Terminating, and `kubectl get ipaddresses` lists addresses in the range. Each IPAddress names its
Service in `spec.parentRef`.

## Known limits

Addresses are looked for among the IPAddress objects. A Service whose IPAddress object is missing is repaired
by the API server and is not reported here.

## References

- pkg/controller/servicecidrs/servicecidrs_controller.go (Kubernetes 1.33); KEP-1880
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import NO_TEXT, Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.aspects.protection import Users
from unstuck.facts.aspects.references import References
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_FINALIZER = "networking.k8s.io/service-cidr-finalizer"
_SHOWN = 5


def _rule(subject: Ref, snap: Facts) -> Signs:
    kept = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n == _FINALIZER])
    used = some(snap, Users, subject, lambda f: f.refs)
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={"its finalizer keeps it": kept},
        decisive={"an address of its range is in use": used},
        finding=lambda: _make_finding(subject, snap, tuple(sorted(used.hits, key=lambda r: r.key))),
    )


def _make_finding(subject: Ref, snap: Facts, addresses: tuple[Ref, ...]) -> Finding:
    owners = [(a, _find_owner(a, snap)) for a in addresses]
    first, owner = next(((a, o) for a, o in owners if o), owners[0])
    more = say(" and {more} more", more=len(addresses) - 1) if len(addresses) > 1 else NO_TEXT
    says = (
        say(
            "{owner} still has the address {first} of {subject}{more}",
            owner=who(owner),
            first=first.name,
            subject=who(subject),
            more=more,
        )
        if owner
        else say(
            "the address {first} of {subject} is still in use{more}",
            first=first.name,
            subject=who(subject),
            more=more,
        )
    )
    done = say(
        "{subject} is deleted automatically once no address depends on it any more", subject=who(subject)
    )
    return Finding(
        says,
        culprit=owner or first,
        blocks=(subject,),
        notes=tuple(
            say("{address} belongs to {owner}", address=a.name, owner=who(o))
            for a, o in owners[1:_SHOWN]
            if o
        ),
        help=(
            Step(
                say(
                    "if the range is to go: delete {owner} and create it again, so that it gets an address "
                    "of another range; its clients are cut off until they know the new address",
                    owner=who(owner or first),
                ),
                where="source",
                risk="disrupts",
                verify=done,
            ),
            Step(
                say(
                    "if its addresses are to stay: create another ServiceCIDR, with a different name, that "
                    "covers them; see the range"
                ),
                command=command("kubectl get {range} -o yaml", range=given.of(subject)),
                verify=done,
            ),
        ),
        do_not=(
            DoNot(
                say("remove the finalizer {finalizer}", finalizer=_FINALIZER),
                say(
                    "the Service keeps an address that belongs to no range, which "
                    "another may be given as well"
                ),
            ),
        ),
    )


def _find_owner(address: Ref, snap: Facts) -> Ref | None:
    """Return the object that has the address, as its IPAddress names it."""
    return next(
        (r.to for f in snap.of(References, address) for r in f.items if r.field == "spec.parentRef"), None
    )


CAUSE = Cause(
    id="deletion.range-in-use",
    title=say("an address of the Service range being deleted is still in use"),
    subjects=("ServiceCIDR",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Users, References}),
    rule=_rule,
)
