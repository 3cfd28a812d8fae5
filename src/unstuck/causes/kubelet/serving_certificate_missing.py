"""A kubelet has no serving certificate

## How it happens

With `serverTLSBootstrap` the kubelet asks the cluster for the certificate that it serves with. Kubernetes
approves no such request automatically: until it is approved, the kubelet ends each handshake, and `kubectl
logs`, `exec`, `top` and metrics-server fail for its Pods. The node is Ready all the while.

## How to tell

`remote error: tls: internal error` from port 10250; in the kubelet's log `no serving certificate available
for the kubelet`.

## Known limits

Its evidence is the message alone: it is never more than likely. That its request waits is not seen here;
`kubectl get csr` shows it.

## References

- Kubernetes documentation: TLS bootstrapping, Client and serving certificates;
  pkg/kubelet/certificate/kubelet.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_ALL = DoNot(
    say("approve all pending requests at once, unread"),
    say("anyone who can create a request gets the names and groups in it; an approval cannot be revoked"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "kubelet-certificate-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    host = one.complaint.name
    means = (
        say(
            "the kubelet at {host} has no serving certificate: its request for one waits for approval",
            host=host,
        )
        if host
        else say("the kubelet has no serving certificate: its request for one waits for approval")
    )
    look = Step(
        say("see which requests of signer kubernetes.io/kubelet-serving wait"),
        command=command("kubectl get csr"),
    )
    step = Step(
        say(
            "approve each request that was made by the node it names and lists only its addresses; run an "
            "approver for the next ones"
        ),
        command=command("kubectl certificate approve NAME"),
        verify=say("kubectl logs of a Pod on that node answers within a minute"),
    )
    return make_finding(text, one, means, (look, step), do_not=(_ALL,))


CAUSE = Cause(
    id="kubelet.serving-certificate-missing",
    title=say("a kubelet has no serving certificate"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
