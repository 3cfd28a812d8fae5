"""The program ends because it does not accept a server's certificate

## How it happens

The program connects with TLS and refuses the certificate that it is shown: it has expired or is not valid yet
(by the clock of the Node), the image does not trust its authority, it is for another name, or a proxy in
between shows its own.

## How to tell

The run ended with an error and was not ended from outside, and its last lines say so: `certificate has
expired`, `certificate signed by unknown authority`, `PKIX path building failed`, `self signed certificate`.

## Known limits

The names in the message are not looked up: it stays likely.

## References

- Go src/crypto/x509/verify.go; OpenSSL x509_txt.c; OpenJDK sun.security.validator
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes._certificates import describe_flaw, mend_flaw
from unstuck.causes.program._client import (
    is_of_client,
    look_at_kubeconfig,
    mend_client,
    mend_server_certificate,
)
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.look_commands import server_certificate
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.derive.certificates import CertificateFlaw, find_flaw
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_TRUST = say("give the program the authority that signed it, or have one made by an authority that it trusts")
# For messages that give no more than their class.
_FLAWS: Mapping[ProgramError, CertificateFlaw] = MappingProxyType[ProgramError, CertificateFlaw](
    {
        "certificate-expired": CertificateFlaw("dates"),
        "certificate-misnamed": CertificateFlaw("misnamed"),
        "certificate-untrusted": CertificateFlaw("untrusted"),
    }
)
_OF_TIME = ("expired", "early", "dates")
# The kubelet's port.
_KUBELET = regex(r":10250\b")
_UNCHECKED = DoNot(
    say("turn the check of certificates off"),
    say("anyone between the two can then read and change everything"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        ("certificate-expired", "certificate-misnamed", "certificate-untrusted"),
        lambda one: _make_finding(pod, one),
    )


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name, flaw = one.complaint.name, find_flaw(one.complaint.line) or _FLAWS[one.complaint.error]
    whose = (
        say("the certificate that {name} shows", name=name)
        if name
        else say("the certificate that the server shows")
    )
    if pod.kind == "Text" and is_of_client(one.complaint.line):
        of_server = say("the certificate that the API server shows")
        steps = (look_at_kubeconfig(), mend_client(mend_server_certificate(flaw)))
        return make_finding(pod, one, of_server + describe_flaw(flaw), steps, do_not=(_UNCHECKED,))
    if _KUBELET.search(one.complaint.line) and flaw.flaw not in _OF_TIME:
        of_kubelet = say("the serving certificate that the kubelet on {name} shows", name=name or "?")
        signing = (*_look(one.complaint), *_sign_kubelets())
        return make_finding(pod, one, of_kubelet + describe_flaw(flaw), signing, do_not=(_UNCHECKED,))
    return make_finding(
        pod,
        one,
        whose + describe_flaw(flaw),
        (*_look(one.complaint), mend(mend_flaw(flaw, _TRUST))),
        do_not=(_UNCHECKED,),
    )


def _sign_kubelets() -> tuple[Step, ...]:
    """Return the steps by which kubelets get certificates of the cluster's authority, in place of those that
    they signed themselves.

    Source: documentation "TLS bootstrapping" (serving certificates), metrics-server's README.
    """
    return (
        Step(
            say(
                "set serverTLSBootstrap: true in the configuration of the kubelets (with kubeadm also in "
                "ConfigMap kubelet-config), restart them, and approve their requests, as nothing does that "
                "by itself"
            ),
            where="source",
        ),
        Step(
            say("see which requests of kubelets wait for approval"),
            command=command("kubectl get csr"),
        ),
        Step(
            say(
                "or, on a test cluster, let the client skip the check for kubelets alone (metrics-server: "
                "--kubelet-insecure-tls): its check of them ends, and whoever answers at a node's address is "
                "believed"
            ),
            where="source",
            risk="disrupts",
        ),
    )


def _look(said: Complaint) -> tuple[Step, ...]:
    """Return the look at the server's certificate, if the message names its port."""
    if not (said.name and said.port):
        return ()
    return (
        Step(
            say("see the issuer, the dates and the names of the certificate that it shows"),
            command=server_certificate(f"{said.name}:{said.port}"),
        ),
    )


CAUSE = Cause(
    id="program.certificate-refused",
    title=say("the program ends because it does not accept a server's certificate"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
