"""NetworkPolicies, and the traffic allowed by their rules."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.placing_terms import Selector
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class PolicyPeer(Record):
    """One alternative of a rule. cidr: a block of addresses, "" for none. spaces, pods: selectors; None if
    not given, then of the policy's own Namespace, or all Pods.
    """

    cidr: str = ""
    spaces: Selector | None = None
    pods: Selector | None = None


@record()
class PolicyPort(Record):
    """port: a number or a container port's name, "" for all. end: the last number of a range."""

    port: str = ""
    end: int | None = None
    protocol: str = "TCP"


@record()
class PolicyRule(Record):
    """One rule: any peer with any port; without peers any peer, without ports any port."""

    peers: tuple[PolicyPeer, ...] = ()
    ports: tuple[PolicyPort, ...] = ()


@record()
class Policy(Record):
    """One NetworkPolicy. pods: its selector of Pods. ingress, egress: its rules; None if it does not cover
    that direction.
    """

    name: str
    pods: Selector
    ingress: tuple[PolicyRule, ...] | None = None
    egress: tuple[PolicyRule, ...] | None = None


@record(kw_only=True)
class Policies(Fact):
    """The NetworkPolicies of a Namespace: `Ref("NetworkPolicyList", NAMESPACE)`."""

    items: tuple[Policy, ...]
    ask: ClassVar[str] = "kubectl get networkpolicies {space} -o yaml"
