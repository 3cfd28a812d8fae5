"""A node's credentials for joining its cluster are no longer valid

## How it happens

`kubeadm join` knows the cluster by a token and by the hash of its CA's key. A token lives 24 hours, and the
certificates uploaded for another control-plane node live two; after that the cluster deletes them. A mistyped
hash, or that of a CA replaced since, does not match.

## How to tell

`could not find a JWS signature in the cluster-info ConfigMap for token ID`, `invalid discovery token CA
certificate hash`, `Secret "kubeadm-certs" was not found`.

## Known limits

Its evidence is the message alone: it is never more than likely.

## References

- Kubernetes documentation: kubeadm join, kubeadm token; cmd/kubeadm/app/discovery/token
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "join-refused", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if "kubeadm-certs" in c.verb:
        means = say(
            (
                "the certificates for a further control plane were uploaded more than two hours ago, and "
                "are deleted: {reason}"
            ),
            reason=c.reason,
        )
        again = Step(
            say(
                "on a control plane: upload them again, and join with the key that "
                "it prints (--certificate-key)"
            ),
            command=command("kubeadm init phase upload-certs --upload-certs"),
        )
        return make_finding(text, one, means, (again,))
    means = (
        say("the hash of the cluster's CA in the join command does not fit: {reason}", reason=c.reason)
        if c.verb
        else say(
            (
                "the cluster no longer knows the token of the join command, usually because its 24 hours "
                "are over: {reason}"
            ),
            reason=c.reason,
        )
    )
    step = Step(
        say(
            "on a control plane: have a new join command made, with a new token and the right hash; run it "
            "on the node"
        ),
        command=command("kubeadm token create --print-join-command"),
    )
    return make_finding(text, one, means, (step,))


CAUSE = Cause(
    id="node.join-refused",
    title=say("the token or certificate that a node joins with is no longer valid"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
