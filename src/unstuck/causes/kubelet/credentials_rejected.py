"""The API server rejects the kubelet's credentials

## How it happens

The kubelet shows a token or a client certificate that the API server does not accept: a token that was
rotated or has expired, a bootstrap token that was deleted, a kubeconfig of another cluster or from before a
restore, a cluster whose CA was replaced so that certificates of the old one are no longer valid. Every
request is answered with 401, and the Node stops reporting.

## How to tell

The kubelet runs, and its log says `Unable to register node with API server … err="Unauthorized"` or `Failed
to ensure lease exists … Unauthorized`, repeatedly up to now. Its client certificate, where it has one, has
not expired: that is kubelet.certificate-expired.

## Known limits

The reason is in the API server's own log (`Unable to authenticate the request`), and not in the kubelet's.
Until the certificate's dates are known this stays open beside kubelet.certificate-expired: the kubelet's log
has the same message for both.

## References

- Kubernetes documentation: Authenticating; kubeadm troubleshooting, "Kubelet client certificate rotation
  fails"
- apiserver/pkg/endpoints/filters/authentication.go, pkg/kubelet/kubelet_node_status.go (1.34)
"""

from __future__ import annotations

from unstuck.causes.kubelet._silent import (
    GIVE_THE_NODE_UP,
    find_expired_client_certificates,
    find_report_failures,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, negate
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import Certificate, Certificates
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = find_report_failures(node, snap, "unauthorized") if node else Sign(None)
    expired: Sign[Certificate] = find_expired_client_certificates(node, snap) if node else Sign(None)
    # The message comes first: without it, do not ask for the certificates.
    valid = negate(expired) if said.value or expired.value else Sign(None)
    rejected = all_of((valid, said))
    if rejected.value is None and said.hits:
        rejected = rejected._replace(hits=said.hits, seen=said.seen)
    return Signs(
        applies=is_quiet(subject, snap),
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
        },
        decisive={
            "its own log says that the API server rejects it, and its certificate has not expired": rejected
        },
        finding=lambda: _make_finding(subject, node or Ref("Node"), said.hits[-1]),
    )


def _make_finding(subject: Ref, node: Ref, said: Failure) -> Finding:
    name = node.name or "NODE"
    return Finding(
        say("The API server rejects the credentials of Node {name}'s kubelet (401 Unauthorized)", name=name),
        culprit=Ref("Credentials", node.name, "kubelet"),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        notes=(say("kubelet: {message}", message=said.message),) if said.message else (),
        help=(
            Step(
                say("see which credentials it uses (a file or a token; the output hides the token)"),
                where=f"node:{name}",
                command=command("kubectl config view --kubeconfig=/etc/kubernetes/kubelet.conf"),
            ),
            Step(
                say(
                    "issue new ones (shown here for kubeadm, on a control plane node), write them to that "
                    "kubeconfig, and restart the kubelet: containers keep running"
                ),
                where="cluster",
                command=command(
                    "kubeadm kubeconfig user --org=system:nodes --client-name=system:node:{node}",
                    node=given.bare("Node", node.name),
                ),
                risk="reversible",
                verify=say("the node becomes Ready within a minute"),
            ),
        ),
        do_not=(GIVE_THE_NODE_UP,),
    )


CAUSE = Cause(
    id="kubelet.credentials-rejected",
    title=say("the API server rejects the kubelet's credentials"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=frozenset(
        {Certificates, Conditions, Failure, Lease, LogSeen, Placement, Phase, Deletion, ContainerStatuses}
    ),
    rule=_rule,
)
