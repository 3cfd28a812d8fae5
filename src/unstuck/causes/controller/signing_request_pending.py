"""A certificate request gets no answer

## How it happens

A client that needs a certificate of the cluster creates a CertificateSigningRequest. One approves it, another
signs it. Kubernetes itself approves only the client certificates of kubelets: a kubelet with
`serverTLSBootstrap: true` asks for its serving certificate at its start and at each renewal, and each must be
approved, by hand or by a controller that has to be installed. Signers outside of `kubernetes.io/` have their
own controllers. Without that controller, the request stays pending.

## How to tell

The request is more than two minutes old, and neither approved, denied nor failed; or it is approved and has
no certificate. While a kubelet has no serving certificate its Node is Ready, and `kubectl logs`, `exec` and
`port-forward` fail with `remote error: tls: internal error`.

## Known limits

Pending requests are removed after a day, and a kubelet makes new ones meanwhile: of a Node's requests to one
signer the newest counts. The API does not show that a Node has no serving certificate at all: where an older
one is still valid, logs and exec work until it expires. Which program approves for a signer is not recorded
anywhere.

## References

- Kubernetes documentation: Certificates and Certificate Signing Requests; Certificate Rotation
- pkg/controller/certificates/approver/sarapprove.go, cleaner/cleaner.go
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.signing import NodeRequests, SigningRequest
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.signing import SERVING, find_waiting_requests, is_request_waiting

say = Messages(__name__)

_KUBERNETES = "kubernetes.io/"
# The only signer that kube-controller-manager approves, for requesters with the RBAC right.
_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"


def _rule(subject: Ref, snap: Facts) -> Signs:
    waits = (
        find_waiting_requests(subject, snap) if subject.kind == "Node" else is_request_waiting(subject, snap)
    )
    return Signs(
        decisive={"the request is old, neither denied nor failed, and has no certificate": waits},
        finding=lambda: _make_finding(subject, waits.hits[0], tuple(w.about for w in waits.hits[1:])),
    )


def _make_finding(subject: Ref, one: SigningRequest, others: tuple[Ref, ...]) -> Finding:
    missing = _describe_unissued(one) if one.approved else _describe_unapproved(one)
    also = tuple(say("{other} waits, too", other=who(r)) for r in others)
    return Finding(
        missing,
        culprit=one.about,
        blocks=(subject,) if subject != one.about else (),
        notes=(*_list_consequences(one), *also),
        help=_sign(one) if one.approved else _approve(one),
        do_not=(
            DoNot(
                say("approve all pending requests at once, unread"),
                say(
                    "anyone who can create a request gets the names and groups in it; an "
                    "approval cannot be revoked"
                ),
            ),
        ),
    )


def _describe_unapproved(one: SigningRequest) -> Text:
    return say(
        (
            "{request} has been neither approved nor denied: {requester} requests a "
            "certificate from signer {signer}"
        ),
        request=who(one.about),
        requester=one.requester,
        signer=one.signer,
    )


def _describe_unissued(one: SigningRequest) -> Text:
    return say(
        "{request} is approved, and signer {signer} has not issued the certificate for {requester}",
        request=who(one.about),
        requester=one.requester,
        signer=one.signer,
    )


def _list_consequences(one: SigningRequest) -> tuple[Text, ...]:
    if one.signer != SERVING:
        return ()
    node = one.requester.removeprefix("system:node:")
    return (
        say(
            "without this certificate kubectl logs, exec and port-forward fail for every Pod on Node "
            "{node}: remote error: tls: internal error",
            node=node,
        ),
    )


def _approve(one: SigningRequest) -> tuple[Step, ...]:
    request = given.bare("CertificateSigningRequest", one.about.name)
    return (
        Step(
            say("see who requests which names"),
            command=command("kubectl describe {request}", request=given.of(one.about)),
        ),
        Step(
            say(
                "if the requester is that machine and the names are its own, approve it: the certificate "
                "stays valid until it expires"
            ),
            where="cluster",
            command=command("kubectl certificate approve {request}", request=request),
            risk="reversible",
            verify=say("kubectl get csr shows Approved,Issued within seconds, and the certificate is used"),
        ),
        Step(_describe_approver(one.signer), where="source"),
    )


def _describe_approver(signer: str) -> Text:
    if signer == _CLIENT:
        return say(
            "find out why kube-controller-manager did not approve it: whether it is running, and whether "
            "RBAC grants the requester certificatesigningrequests/selfnodeclient"
        )
    if signer == SERVING:
        return say(
            "for the next ones install a controller that approves serving certificates: Kubernetes itself "
            "approves none"
        )
    tail = say("; Kubernetes itself approves none for it") if signer.startswith(_KUBERNETES) else NO_TEXT
    return (
        say("check that whatever approves requests for {signer} is installed and running", signer=signer)
        + tail
    )


def _sign(one: SigningRequest) -> tuple[Step, ...]:
    if one.signer.startswith(_KUBERNETES):
        return (
            Step(
                say(
                    (
                        "see whether kube-controller-manager, which signs for {signer}, is running, and "
                        "what its log says"
                    ),
                    signer=one.signer,
                ),
                command=command(
                    "kubectl get pods -n kube-system -l component=kube-controller-manager -o wide"
                ),
                verify=say(
                    "the certificate is issued automatically once it runs with --cluster-signing-cert-file"
                ),
            ),
        )
    return (
        Step(
            say(
                "check that the controller which signs for {signer} is installed and running",
                signer=one.signer,
            ),
            where="cluster",
            verify=say("it issues the certificate automatically"),
        ),
    )


CAUSE = Cause(
    id="controller.signing-request-pending",
    title=say("a certificate request gets no answer"),
    subjects=("CertificateSigningRequest", "Node"),
    stages=(),
    reads=frozenset({SigningRequest, NodeRequests, Presence}),
    rule=_rule,
)
