"""The certificate served for an object has expired or is for other names

## How it happens

It was not renewed: it was made by hand, or its renewer (cert-manager, a job) has stopped or is refused. It
was copied from another site or cluster, or a host was added to the Ingress and not to the certificate.
Kubernetes checks neither: the Ingress has its address, its backends are ready, and clients refuse to talk.

## How to tell

An Ingress (`spec.tls[].secretName`) or a Gateway (`listeners[].tls.certificateRefs`) names a Secret whose
first certificate in `tls.crt` has ended, has not begun, or has no name (subjectAltName, `*.` for one label)
for a host that it serves. For a Secret as the subject only the dates count. The key is not read, and only
dates and names of the certificate are reported.

## Known limits

Whether clients trust its issuer is not looked at, nor whether the key belongs to it. A controller's default
certificate is not checked, and a controller with certificates elsewhere does not read the Secret (AWS' class
`alb` is left out). The clock is that of the querying machine.

## References

- Kubernetes documentation "Ingress", TLS; gateway-api apis/v1, GatewayTLSConfig; RFC 6125 §6.4.3
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.tls import ServingCertificate
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.certificates import UnfitCertificate, describe_fault, find_unfit_certificates
from unstuck.stages.overdue import stays
from unstuck.stages.references import find_references

say = Messages(__name__)

_MOST = 4


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind != "Secret" and all(r.hosts is None for r in find_references(subject, snap)):
        return Signs(
            applies=Sign(False, seen=snap.of(References, subject)), decisive={}, finding=_make_empty_finding
        )
    unfit = find_unfit_certificates(subject, snap)
    return Signs(
        applies=stays(subject, snap),
        decisive={"a certificate that is shown has ended, has not begun, or is made for other names": unfit},
        finding=lambda: _make_finding(subject, unfit.hits),
    )


def _make_empty_finding() -> Finding:
    raise AssertionError("what shows no certificate is ruled out")


def _make_finding(subject: Ref, unfit: tuple[UnfitCertificate, ...]) -> Finding:
    first = unfit[0]
    secret, fault = first.secret, describe_fault(first)
    says = (
        say(
            "{subject} shows the certificate of Secret {secret} in {field}, and that {fault}",
            subject=who(subject),
            secret=secret.name,
            field=first.field,
            fault=fault,
        )
        if first.field
        else say("the certificate in Secret {secret} {fault}", secret=secret.name, fault=fault)
    )
    more = tuple(
        say(
            "{field}: that of Secret {secret} {fault}",
            field=o.field,
            secret=o.secret.name,
            fault=describe_fault(o),
        )
        for o in unfit[1:_MOST]
    )
    issued = say(
        "it was issued by {issuer} for {name}",
        issuer=first.fact.issuer or "?",
        name=first.fact.subject or "?",
    )
    return Finding(
        says,
        culprit=secret,
        blocks=(subject,) if subject != secret else (),
        notes=(*more, issued),
        help=(_look(secret), _mend(first)),
        do_not=(
            DoNot(
                say("have clients skip the verification"),
                say("they would then trust any server that answers"),
            ),
        ),
    )


def _look(secret: Ref) -> Step:
    return Step(
        say("see whether something renews it: a Certificate of cert-manager says why it did not"),
        command=command("kubectl get certificates.cert-manager.io {space}", space=given.space(secret)),
    )


def _mend(one: UnfitCertificate) -> Step:
    if one.fault == "misnamed":
        says = say(
            "have one issued for {host}, too, into Secret {secret}, or correct the host",
            host=one.host,
            secret=one.secret.name,
        )
    elif one.fault == "expired":
        says = say(
            "renew it: put the new certificate with its key into Secret {secret}", secret=one.secret.name
        )
    else:
        says = say(
            "put a certificate that is valid now into Secret {secret}, and check the clock of its issuer",
            secret=one.secret.name,
        )
    return Step(says, where="source", verify=say("clients that verify it connect"))


CAUSE = Cause(
    id="reference.certificate-unfit",
    title=say("the certificate served for an object has expired or is for other names"),
    subjects=("Ingress", "Gateway.gateway.networking.k8s.io", "Secret"),
    reads=frozenset({References, ServingCertificate, Deletion, Workload}),
    rule=_rule,
)
