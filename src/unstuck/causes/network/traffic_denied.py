"""A network policy drops the traffic between two addresses

## How it happens

As soon as a NetworkPolicy selects a Pod for a direction, only what some policy allows passes in it. The
egress rules of the sender's policies and the ingress rules of the receiver's must both allow the connection;
what none allows, the node's data plane drops, and the sender sees a timeout.

## How to tell

The data plane reports the packet: `drop (Policy denied)` (Cilium's monitor), `policy-verdict:none EGRESS
DENIED` (Hubble), `"Verdict":"DENY"` (the AWS agent), `verdict=drop` (OVN).

## Known limits

Which policy is meant, only the policies themselves show. Calico's `calico-packet:` is no evidence: its rule
with the action Log may precede one that allows the packet. A drop for another reason (no route, a full
connection table) is not this cause.

## References

- Kubernetes documentation: Network Policies; Cilium documentation: Layer 3 policies (entities), Policy
  Enforcement Modes; Calico documentation: Log action
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding, write_address
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Cilium's names of what is no Pod: an address block of a policy does not match them.
_ENTITIES = ("kube-apiserver", "host", "remote-node", "health", "init", "world")
_OUTWARD = ("EGRESS", "from-lport")
_DISABLED = DoNot(
    say("delete the policies to get the traffic through"),
    say("everything that they kept apart can then connect"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "traffic-denied", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say(
        "a network policy drops the traffic from {sender} to {receiver}",
        sender=c.resource,
        receiver=write_address(c),
    )
    policies = Step(
        say("find the Pods with these addresses, and the policies whose podSelector matches their labels"),
        command=command("kubectl get pods -A -o wide --show-labels; kubectl get networkpolicies -A -o yaml"),
    )
    entity = next((e for e in _ENTITIES if c.group.endswith(f"->{e}")), "")
    step = mend(_allow(c.verb, entity, c.port))
    return make_finding(text, one, means, (policies, step), do_not=(_DISABLED,))


def _allow(direction: str, entity: str, port: int) -> Text:
    """Return the rule that is missing. entity: Cilium's name of the receiver, "" for a Pod."""
    if entity:
        return say(
            "allow it as egress in a CiliumNetworkPolicy that selects the sender, with toEntities: "
            "[{entity}] and port {port}: an ipBlock does not match this receiver",
            entity=entity,
            port=port,
        )
    if direction in _OUTWARD:
        return say(
            "allow it as egress to port {port} in a policy that selects the sender; the receiver's policies "
            "must allow it as ingress, too",
            port=port,
        )
    if direction:
        return say("allow it as ingress on port {port} in a policy that selects the receiver", port=port)
    return say(
        "allow port {port} in both directions that policies restrict: egress where they select the sender, "
        "ingress where they select the receiver",
        port=port,
    )


CAUSE = Cause(
    id="network.traffic-denied",
    title=say("a network policy drops the traffic between two addresses"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
