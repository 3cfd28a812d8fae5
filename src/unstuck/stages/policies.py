"""Evaluates which connections NetworkPolicies allow, if the cluster's network plugin enforces them.

Source: networking/v1 NetworkPolicySpec; documentation "Network Policies", "The two sorts of pod isolation". A
Pod is open in a direction for which no policy selects it; a selected Pod accepts the traffic that at least
one of its policies allows. A connection must be allowed at both ends: egress of the client, ingress of the
server.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Literal

from unstuck.facts.aspects.placing_terms import Selector
from unstuck.facts.aspects.policies import Policy, PolicyPeer, PolicyPort, PolicyRule
from unstuck.facts.derive.requirements import holds
from unstuck.facts.record import Record, record

Direction = Literal["ingress", "egress"]
Labels = Mapping[str, str]


@record()
class ConnectionEnd(Record):
    """One end of a connection. labels: of the Pod. space: its Namespace, with its labels. address: of the
    Pod, "" if it is not known.
    """

    labels: Labels
    space: str
    space_labels: Labels
    address: str = ""


@record()
class Gate(Record):
    """The port of a connection, as the Pod has it. name: of the container's port, "" for none. number: 0 if
    it is not known.
    """

    number: int = 0
    name: str = ""
    protocol: str = "TCP"


def find_barriers(
    direction: Direction, policies: Sequence[Policy], own: ConnectionEnd, other: ConnectionEnd, gate: Gate
) -> tuple[Policy, ...]:
    """Return the policies that select a Pod in this direction, if none of them lets the other end through;
    none if the way is open, or that is not known.

    policies: those of the Pod's own Namespace. own: the Pod that they are about. other: the far end.
    """
    about = tuple(p for p in policies if list_rules(p, direction) is not None and selects(p.pods, own.labels))
    rules = (r for p in about for r in list_rules(p, direction) or ())
    return () if any(lets_through(r, own, other, gate) is not False for r in rules) else about


def find_port_barriers(
    direction: Direction, policies: Sequence[Policy], labels: Labels, gate: Gate
) -> tuple[Policy, ...]:
    """Return the policies that select a Pod in this direction, if none of their rules is for this port,
    whatever the other end is; none if one is, or none selects the Pod.

    labels: of the Pod.
    """
    about = tuple(p for p in policies if list_rules(p, direction) is not None and selects(p.pods, labels))
    rules = (r for p in about for r in list_rules(p, direction) or ())
    return () if any(_takes_port(r, gate) is not False for r in rules) else about


def _takes_port(rule: PolicyRule, gate: Gate) -> bool | None:
    return _any([_fits_port(port, gate) for port in rule.ports] or [True])


def list_rules(policy: Policy, direction: Direction) -> tuple[PolicyRule, ...] | None:
    """Return a policy's rules of one direction; None if it is not about that."""
    return policy.ingress if direction == "ingress" else policy.egress


def lets_through(rule: PolicyRule, own: ConnectionEnd, other: ConnectionEnd, gate: Gate) -> bool | None:
    """Tell whether a rule is for this far end and this port; None if that cannot be told."""
    peers = [_fits_peer(peer, own, other) for peer in rule.peers] or [True]
    found = (_any(peers), _takes_port(rule, gate))
    return False if False in found else None if None in found else True


def selects(selector: Selector, labels: Labels) -> bool:
    """Tell whether labels meet all requirements of a selector; an empty one takes everything."""
    return all(holds(r, labels) for r in selector.requirements)


def _any(answers: Sequence[bool | None]) -> bool | None:
    return True if True in answers else None if None in answers else False


def _fits_peer(peer: PolicyPeer, own: ConnectionEnd, other: ConnectionEnd) -> bool | None:
    if peer.cidr:
        return _is_within(other.address, peer.cidr)
    if peer.spaces is None and other.space != own.space:
        return False
    if peer.spaces is not None and not selects(peer.spaces, other.space_labels):
        return False
    return peer.pods is None or selects(peer.pods, other.labels)


def _is_within(address: str, cidr: str) -> bool | None:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return None


def _fits_port(port: PolicyPort, gate: Gate) -> bool | None:
    if port.protocol != gate.protocol:
        return False
    if not port.port:
        return True
    if not port.port.isdecimal():
        return port.port == gate.name if gate.name else None
    if not gate.number:
        return None
    first = int(port.port)
    return first <= gate.number <= (port.end or first)
