"""The NetworkPolicies between a Pod and a Service that does not answer it: only evidence, since the network
plugin may not enforce them.
"""

from __future__ import annotations

from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Labels
from unstuck.facts.aspects.placing_terms import Selector
from unstuck.facts.aspects.policies import Policies, Policy, PolicyPeer
from unstuck.facts.aspects.services import Behind, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.requirements import write_requirement
from unstuck.facts.derive.target_ports import find_target_port
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.stages.policies import (
    ConnectionEnd,
    Direction,
    Gate,
    find_barriers,
    find_port_barriers,
    list_rules,
)

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Labels, Policies, ServiceSpec})
_LIST, _SPACE = "NetworkPolicyList", "Namespace"
_SHOWN = 3
_NAME_SERVER = Gate(53, "dns", "UDP")


@record()
class PolicyView(Record):
    """The effect of the policies on a connection. says: a clause, empty if they allow it. help: the steps
    that would allow it. wants: the open questions.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    wants: tuple[Want, ...] = ()


def view_policies(pod: Ref, service: Ref, port: int, server: Behind, snap: Facts) -> PolicyView:
    """Return the effect of the policies on a Pod's connection to a server behind a Service: for ingress those
    of the server's Namespace, for egress those of its own.
    """
    target = Ref("Pod", service.within, server.name)
    wants = unique(
        w
        for one in (pod, target)
        for w in (
            Want(Policies, Ref(_LIST, one.within)),
            Want(Labels, one),
            Want(Labels, Ref(_SPACE, None, one.within)),
        )
        if not snap.of(w.fact, w.about)
    )
    if wants:
        return PolicyView(wants=wants)
    gate = _find_gate(service, port, server, snap)
    ways: tuple[tuple[Direction, Ref, Ref], ...] = (("ingress", target, pod), ("egress", pod, target))
    for direction, own, other in ways:
        policies = [p for f in snap.of(Policies, Ref(_LIST, own.within)) for p in f.items]
        if closed := find_barriers(direction, policies, _find_end(own, snap), _find_end(other, snap), gate):
            return PolicyView(_describe(direction, closed, own), _advise(direction, closed[0], own))
    return PolicyView()


def view_name_queries(pod: Ref, snap: Facts) -> PolicyView:
    """Return the effect of the policies on a Pod's questions to its name server, whoever that is."""
    asked = (Want(Policies, Ref(_LIST, pod.within)), Want(Labels, pod))
    wants = tuple(w for w in asked if not snap.of(w.fact, w.about))
    if wants:
        return PolicyView(wants=wants)
    policies = [p for f in snap.of(Policies, Ref(_LIST, pod.within)) for p in f.items]
    labels = _find_end(pod, snap).labels
    closed = find_port_barriers("egress", policies, labels, _NAME_SERVER)
    if not closed:
        return PolicyView()
    ports = tuple(
        dict.fromkeys(
            f"{port.port or '*'}/{port.protocol}"
            for policy in closed
            for rule in list_rules(policy, "egress") or ()
            for port in rule.ports
        )
    )
    policy = f"{pod.within}/{closed[0].name}"
    says = (
        say(
            "; NetworkPolicy {policy} selects it and lets it out only to ports {ports}, not to 53/UDP",
            policy=policy,
            ports=list_names(ports[:_SHOWN]),
        )
        if ports
        else say("; NetworkPolicy {policy} selects it and does not let it out", policy=policy)
    )
    change = say(
        "let {rules} of NetworkPolicy {policy} in Namespace {space} allow port 53, UDP and TCP, to the name "
        "servers; a network plugin that enforces no policies is not the reason",
        rules="spec.egress",
        policy=closed[0].name,
        space=pod.within,
    )
    return PolicyView(says, (Step(change, where="source"),))


def _find_end(pod: Ref, snap: Facts) -> ConnectionEnd:
    def read(ref: Ref) -> dict[str, str]:
        return {key: value for f in snap.of(Labels, ref) for key, value in f.items}

    return ConnectionEnd(read(pod), pod.within or "", read(Ref(_SPACE, None, pod.within)))


def _find_gate(service: Ref, port: int, server: Behind, snap: Facts) -> Gate:
    """Return the Pod's own port behind the Service's; an empty gate if unknown."""
    rows = [p for f in snap.of(ServiceSpec, service) for p in f.ports]
    row = next((p for p in rows if p.port == port), rows[0] if len(rows) == 1 and not port else None)
    if row is None:
        return Gate()
    names = {number: name for name, number in server.ports}
    number = find_target_port(row, server)
    return Gate(number, names.get(number, ""), row.protocol)


def _describe(direction: Direction, closed: tuple[Policy, ...], pod: Ref) -> Text:
    policy, of = f"{pod.within}/{closed[0].name}", pod.name
    peers = [p for c in closed for r in list_rules(c, direction) or () for p in r.peers]
    whom = list_names(tuple(dict.fromkeys(map(_describe_peer, peers)))[:_SHOWN]) if peers else NO_TEXT
    if direction == "ingress" and peers:
        return say(
            "; NetworkPolicy {policy} selects Pod {pod} and allows ingress only from {whom}",
            policy=policy,
            pod=of,
            whom=whom,
        )
    if direction == "ingress":
        return say(
            "; NetworkPolicy {policy} selects Pod {pod} and does not allow ingress from this one",
            policy=policy,
            pod=of,
        )
    if peers:
        return say(
            "; NetworkPolicy {policy} selects Pod {pod} and allows egress only to {whom}",
            policy=policy,
            pod=of,
            whom=whom,
        )
    return say(
        "; NetworkPolicy {policy} selects Pod {pod} and allows it no such egress", policy=policy, pod=of
    )


def _describe_peer(peer: PolicyPeer) -> str:
    if peer.cidr:
        return peer.cidr
    pods = f"Pod {_write(peer.pods)}" if peer.pods is not None else "Pod *"
    return f"{pods} (Namespace {_write(peer.spaces)})" if peer.spaces is not None else pods


def _write(selector: Selector) -> str:
    return ",".join(map(write_requirement, selector.requirements)) or "*"


def _advise(direction: Direction, policy: Policy, pod: Ref) -> tuple[Step, ...]:
    return (
        Step(
            say(
                "if this connection is intended: add it to {rules} of NetworkPolicy {policy} in "
                "Namespace {space}, or give the Pod the labels that are let through; a network plugin "
                "that enforces no policies is not the reason",
                rules=f"spec.{direction}",
                policy=policy.name,
                space=pod.within,
            ),
            where="source",
        ),
    )
