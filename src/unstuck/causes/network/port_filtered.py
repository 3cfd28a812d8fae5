"""A rule of the Node's packet filter ends or turns the connection

## How it happens

A hardening script, a security agent or a program that was removed left a rule in the packet filter of one
node that names a port or an address: it drops or refuses packets to it, or redirects them to another port.
Programs on this node, or the kubelet's own probes, hit it; from other nodes the same connection succeeds.

## How to tell

A program ended, or a probe failed, as its connection was refused or got no answer, and on the Pod's node
`iptables-save` shows a rule that this connection meets: by its port or address, in a chain on its way (OUTPUT
for probes, PREROUTING and FORWARD for Pods), before one that accepts it.

## Known limits

A rule that redirects the connection makes it likely: the new target may be meant to answer. Rules that ask
for more than port, address, source and interface (owners, sets, limits) make it likely where they name the
port or the address, and otherwise are not followed, nor are marks, rules of nft alone, IPv6, and the rules of
kube-proxy and network add-ons.

## References

- iptables(8), iptables-extensions(8), iptables-save(8)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.container._ends import name_container
from unstuck.causes.network._attempts import Attempt
from unstuck.causes.network._way import READS, find_attempts, find_on_ways, list_blocked
from unstuck.causes.program._told import STAGES
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.packet_way import PacketWay, PortRule
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_TURNS = ("DNAT", "REDIRECT", "TPROXY")
_QUOTED = 240
_OWNER = regex(r"(?P<not>! )?--uid-owner (?P<uid>\d{1,10})(?!\S)")
_ANSWERED = say("the next attempt gets its answer")


@record()
class _Met(Record):
    """A connection and the rule that it meets."""

    attempt: Attempt
    rule: PortRule


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = find_attempts(pod, snap)
    met: Sign[_Met] = _find(pod, said, snap) if said.value else Sign(None)
    ends = tuple(m for m in met.hits if m.rule.target not in _TURNS and m.rule.sure)
    ended: Sign[_Met] = (
        met._replace(hits=ends, value=True)
        if ends
        else Sign(None, met.hits, met.seen, met.wants)
        if met.value
        else met
    )
    return Signs(
        necessary={"a connection was refused, or got no answer": said},
        decisive={"the rule drops or refuses it, whatever it comes from": ended},
        supporting={"a rule of the Node's packet filter is met by it": met._replace(wants=())},
        finding=lambda: _make_finding(pod, (*ended.hits, *met.hits)[0], snap),
    )


def _find(pod: Ref, said: Sign[Attempt], snap: Facts) -> Sign[_Met]:
    met = find_on_ways(said, pod, snap, lambda attempt, way: _list_met_by(pod, attempt, way, snap), ends=True)
    hits = sorted(met.hits, key=lambda m: (not m.rule.sure, m.rule.target in _TURNS))
    return met._replace(hits=tuple(hits), wants=() if hits else met.wants)


def _list_met_by(pod: Ref, attempt: Attempt, way: PacketWay, snap: Facts) -> list[_Met]:
    """Return the rules on its way that explain its failure: a refused connection was not dropped, and a rule
    for another user does not count.
    """
    if attempt.back:
        return []
    # Packets for the node itself are not forwarded: they come in.
    comes_in = way.own is True and "FORWARD" in attempt.hooks
    hooks = ("PREROUTING", "INPUT") if comes_in else attempt.hooks
    rules = [r for r in (way.rules or ()) if r.hook in hooks]
    spec = find_container_spec(pod, attempt.container or None, snap)
    user = spec.user if spec and attempt.by == "program" and not attempt.node else None
    return [
        _Met(attempt, r)
        for r in rules
        if (attempt.met == "silence" or r.target != "DROP") and not _is_of_another(r.rule, user)
    ]


def _is_of_another(rule: str, user: int | None) -> bool:
    """Tell whether the rule is for packets of another user than this one."""
    owner = _OWNER.search(rule)
    if owner is None or user is None:
        return False
    return (owner["not"] is not None) == (owner["uid"] == str(user))


def _make_finding(pod: Ref, met: _Met, snap: Facts) -> Finding:
    attempt, rule = met.attempt, met.rule
    node = attempt.find_place(pod, snap) or Ref("Node")
    to = attempt.shown if attempt.address else str(attempt.port)
    stands = say(
        "rule “{rule}” in chain {chain} of table {table} on Node {node}",
        rule=rule.rule[:_QUOTED],
        chain=rule.chain,
        table=rule.table,
        node=node.name,
    )
    return Finding(
        _tell(attempt, rule, to, stands),
        culprit=Ref("PacketFilter", node.name, f"{rule.table}/{rule.chain}"),
        blocks=list_blocked(pod, attempt),
        help=(
            Step(
                say("see the rule, its number and whether it counts packets"),
                where=place_on_node(node.name),
                command=command(
                    "iptables -t {table} -vnL {chain} --line-numbers",
                    table=given.plain(rule.table),
                    chain=given.plain(rule.chain),
                ),
            ),
            Step(
                say(
                    "remove it there and at its source (a script, an agent, /etc/iptables), or make an "
                    "exception for this connection"
                ),
                where=place_on_node(node.name),
                verify=_ANSWERED,
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


def _tell(attempt: Attempt, rule: PortRule, to: str, stands: Text) -> Text:
    whose = name_container(attempt.container or None)
    if attempt.by == "program":
        what = say("the connection of {whose} to {to}", whose=whose, to=to)
    else:
        what = say("the {probe} probe of {whose} to {to}", probe=attempt.by, whose=whose, to=to)
    if rule.target in _TURNS:
        return say("{stands} turns {what} elsewhere", stands=stands, what=what)
    if rule.target == "DROP":
        return say("{stands} drops {what}", stands=stands, what=what)
    return say("{stands} refuses {what}", stands=stands, what=what)


CAUSE = Cause(
    id="network.port-filtered",
    title=say("a rule of the node's packet filter ends or turns the connection"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
