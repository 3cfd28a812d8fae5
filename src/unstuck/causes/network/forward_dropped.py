"""The Node drops the packets that it forwards for its Pods

## How it happens

The chain FORWARD of the node's packet filter drops packets that no rule accepts: docker sets its policy to
DROP at its start, a hardening script or another firewall (ufw, firewalld) does, and the network add-on has no
rule that accepts Pods' packets, or lost it. Pods are started and probed as ever, for that traffic is the
node's own; their connections to Pods of other nodes, to Services or to the outside get no answer.

## How to tell

A program ends because no answer came to its connection, and on its Node `iptables -S FORWARD` shows `-P
FORWARD DROP` (or a rule that drops all packets) and no rule before the end that accepts a new connection.

## Known limits

A failed connection to one server may have a further reason; so this is likely at most. A network that goes
past the packet filter (eBPF with host routing, macvlan, SR-IOV) is not held up by it. Rules of nft alone,
without iptables, are not read.

## References

- iptables(8); Docker documentation: Packet filtering and firewalls ("Docker on a router"); Kubernetes
  pkg/proxy/iptables (KUBE-FORWARD)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.network._unanswered import ANSWERED, READS, list_blocked, make_signs, name_server
from unstuck.causes.program._told import STAGES, ProgramMessage
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.firewall import FilterChain, PacketFilter, parse_target
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# These accept no new connection of a Pod: answers, packets marked by kube-proxy, and docker's own bridges.
_NOT_NEW = regex(
    r"ESTABLISHED|--mark 0x4000/0x4000|(?:^| )-[io] (?:docker0|br-|virbr|lxcbr|lo )|-d 127\.|(?:^| )-p icmp"
)
_UNCONDITIONAL = regex(r"(?:-m comment --comment (?:\"[^\"]*\"|\S+) )?-j (?:DROP|REJECT)\b.*")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_signs(
        pod,
        snap,
        "the node drops what it forwards",
        lambda node: some(snap, PacketFilter, node, _list_dropping),
        lambda node, one, drops: _make_finding(pod, node, one, drops.hits[0]),
    )


def _list_dropping(f: PacketFilter) -> list[str]:
    """Return the rule or policy that drops new connections of Pods, unless an earlier rule may accept one."""
    forward = f.chain("FORWARD")
    if forward is None:
        return []
    for rule in forward.rules:
        if _UNCONDITIONAL.fullmatch(rule):
            return [f"-A FORWARD {rule}"]
        if _may_accept(rule, f, {"FORWARD"}):
            return []
    return ["-P FORWARD DROP"] if forward.policy == "DROP" else []


def _may_accept(rule: str, f: PacketFilter, seen: set[str]) -> bool:
    target = parse_target(rule)
    if _NOT_NEW.search(rule):
        return False
    inner: FilterChain | None = f.chain(target)
    if inner is None:
        # An unknown target (a mark, a log) does not end the chain.
        return target == "ACCEPT"
    if target in seen:
        return False
    return any(_may_accept(r, f, {*seen, target}) for r in inner.rules)


def _accept(node: Ref) -> tuple[Step, ...]:
    return (
        Step(
            say("let Pods' packets through until the next start of the firewall"),
            where=place_on_node(node.name),
            command=command("iptables -P FORWARD ACCEPT"),
            risk="reversible",
            undo=command("iptables -P FORWARD DROP"),
            verify=ANSWERED,
        ),
    )


def _make_finding(pod: Ref, node: Ref, one: ProgramMessage, words: str) -> Finding:
    name = node.name or "NODE"
    return Finding(
        say(
            "Node {name} drops the packets that it forwards (iptables: {words}), so the connection{server} "
            "of container {container} gets no answer",
            name=name,
            words=words,
            server=name_server(one),
            container=one.run.name,
        ),
        culprit=Ref("PacketFilter", node.name, "FORWARD"),
        blocks=list_blocked(pod, one),
        help=(
            Step(
                say("see the chain, and which rules count packets"),
                where=place_on_node(node.name),
                command=command("iptables -vnL FORWARD"),
            ),
            *(_accept(node) if words.startswith("-P") else ()),
            Step(
                say(
                    "accept the range of Pod addresses in the firewall's own configuration, or restart the "
                    "network add-on's Pod of the node, which writes its rules again"
                ),
                where="source",
                verify=ANSWERED,
            ),
        ),
        do_not=(
            DoNot(
                say("flush all rules (iptables -F)"),
                say(
                    "Services and network policies of the node stop until kube-proxy and the network add-on "
                    "have written theirs again"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="network.forward-dropped",
    title=say("the node drops the packets that it forwards for its Pods"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {PacketFilter, Placement},
    rule=_rule,
)
