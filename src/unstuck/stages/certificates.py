"""Checks the certificate served for an object: its dates, and its names against the hosts that serve it."""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.tls import ServingCertificate
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.references import find_references
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

_NAMED = 4
Fault = Literal["expired", "not-yet-valid", "misnamed"]


@record()
class UnfitCertificate(Record):
    """A certificate that clients refuse. field: the object's field with the Secret's name, "" for the Secret
    itself. host: the host that the certificate does not name.
    """

    secret: Ref
    fault: Fault
    fact: ServingCertificate
    field: str = ""
    host: str = ""


def find_unfit_certificates(ref: Ref, snap: Facts) -> Sign[UnfitCertificate]:
    """Find the invalid certificates served for an object; for a Secret, its own. No if it serves none."""
    if ref.kind == "Secret":
        return some(snap, ServingCertificate, ref, lambda f: _find_faults(f, ref, "", (), snap))
    signs = [_find_unfit(r, snap) for r in find_references(ref, snap) if r.hosts is not None]
    return any_of(signs) if signs else Sign(False)


def _find_unfit(one: Reference, snap: Facts) -> Sign[UnfitCertificate]:
    return some(
        snap, ServingCertificate, one.to, lambda f: _find_faults(f, one.to, one.field, one.hosts or (), snap)
    )


def judge_certificates(ref: Ref, snap: Facts) -> State | None:
    """Return the state of an object whose certificate clients refuse; None if no such certificate is
    known.
    """
    unfit = find_unfit_certificates(ref, snap)
    if not (unfit.value and unfit.sure):
        return None
    one = unfit.hits[0]
    fault = describe_fault(one)
    says = (
        say(
            "shows the certificate of Secret {secret} in {field}, which {fault}",
            secret=one.secret.name,
            field=one.field,
            fault=fault,
        )
        if one.field
        else say("its certificate {fault}", fault=fault)
    )
    return add_headline(ref, "stuck", says, evidence=unique((*snap.of(References, ref), *unfit.seen)))


def _find_faults(
    fact: ServingCertificate, secret: Ref, field: str, hosts: tuple[str, ...], snap: Facts
) -> list[UnfitCertificate]:
    if fact.not_after <= snap.now:
        return [UnfitCertificate(secret, "expired", fact, field)]
    if fact.not_before > snap.now:
        return [UnfitCertificate(secret, "not-yet-valid", fact, field)]
    others = [h for h in hosts if not any(matches_host(name, h) for name in fact.names)]
    return [UnfitCertificate(secret, "misnamed", fact, field, others[0])] if others else []


def matches_host(name: str, host: str) -> bool:
    """Tell whether a certificate's name matches a host: the same name, or `*.` for one label in front (RFC
    6125 §6.4.3).
    """
    return name == host or (name.startswith("*.") and name[2:] == host.partition(".")[2])


def describe_fault(one: UnfitCertificate) -> Text:
    """Return the fault, to follow the Secret's name: `expired on 2026-11-01`."""
    if one.fault == "expired":
        return say("expired on {day}", day=f"{one.fact.not_after:%Y-%m-%d}")
    if one.fault == "not-yet-valid":
        return say("is valid from {day} on", day=f"{one.fact.not_before:%Y-%m-%d}")
    names = list_names(one.fact.names[:_NAMED])
    return (
        say("is made for {names}, and not for {host}", names=names, host=one.host)
        if one.fact.names
        else say("has no DNS name (subjectAltName)")
    )
