"""The kubelet's client certificate has expired

## How it happens

The kubelet authenticates to the API server by a client certificate, usually valid for a year. It renews it
automatically if `rotateCertificates` is on, it runs at that time, and the request is approved and signed. A
machine that was off, a stopped controller manager or a certificate written into the kubeconfig by hand ends
with an expired one: every request is refused.

## How to tell

The Node does not report, and on the machine the certificate that the kubelet shows
(`kubelet-client-current.pem`, or the one in its kubeconfig) has a `notAfter` in the past. Its containers keep
running. Its log may say `The currently active client certificate has expired`, or `part of the existing
bootstrap client certificate … is expired`; without the file that makes it likely.

## Known limits

A clock that runs ahead shows the same dates: compare it with the API server's first. An expired serving
certificate breaks logs and exec and leaves the Node Ready; it is another fault. A kubelet that was restarted
with an expired certificate may exit at once: then kubelet.down follows from this.

## References

- Kubernetes documentation: Certificate rotation; kubeadm troubleshooting, "Kubelet client certificate
  rotation fails"
- pkg/kubelet/certificate/bootstrap/bootstrap.go, kubelet.go; RFC 5280 §4.1.2.5
"""

from __future__ import annotations

from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP, find_expired_client_certificates
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.kubelet import Certificate, Certificates
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)

_UNREAD = Certificate("client", "", "")


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    expired: Sign[Certificate] = find_expired_client_certificates(node, snap) if node else Sign(None)
    said = _own_words(node, snap) if node else Sign[Failure](None)
    silence = is_quiet(subject, snap)
    return Signs(
        applies=silence,
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
            "the kubelet's client certificate has expired": accept_hearsay(expired, said),
        },
        decisive={"the kubelet's client certificate has expired": expired},
        supporting={"the Node does not report": silence, "the kubelet says so": said},
        finding=lambda: _make_finding(subject, node or Ref("Node"), next(iter(expired.hits), _UNREAD)),
    )


def _own_words(node: Ref, snap: Facts) -> Sign[Failure]:
    """Find the kubelet's message about its certificate, repeated at each use; it does not give the time of
    the expiry.
    """
    return hearsay(
        snap,
        Failure,
        node,
        lambda f: [f] if f.error == "certificate-expired" and f.operation == "certificate-check" else [],
    )


def _make_finding(subject: Ref, node: Ref, certificate: Certificate) -> Finding:
    name = node.name or "NODE"
    who = certificate.subject or f"system:node:{name}"
    if certificate.not_after:
        at = certificate.not_after.strftime("%Y-%m-%dT%H:%M:%SZ")
        says = say(
            (
                "The client certificate of Node {name}'s kubelet expired at {at}: the API server rejects "
                "all its requests"
            ),
            name=name,
            at=at,
        )
    else:
        says = say(
            (
                "The client certificate of Node {name}'s kubelet has expired: the API server rejects all "
                "its requests"
            ),
            name=name,
        )
    return Finding(
        says,
        culprit=Ref("File", node.name, certificate.path or None),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        notes=(say("{path} is for {who}", path=certificate.path, who=who),) if certificate.path else (),
        help=(
            Step(
                say("first check that the machine's clock is right"),
                where=f"node:{name}",
                command=command("date -u"),
            ),
            Step(
                say(
                    "issue a new certificate (shown here for kubeadm; with a bootstrap token the "
                    "kubelet requests one itself once the old one is moved away), then restart the "
                    "kubelet: containers keep running"
                ),
                where="cluster",
                command=command(
                    "kubeadm kubeconfig user --org=system:nodes --client-name=system:node:{node}",
                    node=given.bare("Node", who.removeprefix("system:node:")),
                ),
                risk="reversible",
                verify=say("the node becomes Ready within a minute"),
            ),
            Step(
                say("find out why it was not renewed: look for CSRs pending approval"),
                where="cluster",
                command=command("kubectl get certificatesigningrequests"),
            ),
        ),
        do_not=(GIVE_THE_NODE_UP,),
    )


CAUSE = Cause(
    id="kubelet.certificate-expired",
    title=say("the kubelet's client certificate has expired"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=frozenset(
        {Certificates, Conditions, Failure, Lease, Placement, Phase, Deletion, ContainerStatuses}
    ),
    rule=_rule,
)
