"""The size of packets on the way between two Pods: small answers arrive, and large ones never do."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.packet_way import LinkSizes
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.services import Behind
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({LinkSizes, Placement})
# Nodes of servers that are asked about.
_NODES = 2


def find_narrow_links(pod: Ref, ready: Sequence[Behind], snap: Facts) -> Sign[LinkSizes]:
    """Return the Nodes of the client and the servers whose uplink has a smaller MTU than their Pods.

    Packets between two Pods of one Node do not use it.
    """
    node = find_node(pod, snap)
    servers = list(dict.fromkeys(b.node for b in ready if b.node))
    if node is None or not node.name:
        return Sign(None, wants=(Want(Placement, pod),))
    if not servers or servers == [node.name]:
        return Sign(None)
    nodes = [Ref("Node", None, name) for name in (*servers[:_NODES], node.name)]
    return any_of(
        [
            some(snap, LinkSizes, one, lambda f: [f] if 0 < f.size < f.pods else [])
            for one in dict.fromkeys(nodes)
        ]
    )


def keep_silent_links(links: Sign[LinkSizes]) -> Sign[LinkSizes]:
    """Return the links without ICMP messages to the sender; a Node that sends them costs only time."""
    hits = tuple(one for one in links.hits if one.silent) if links.value else ()
    return Sign(True, hits, links.seen, sure=links.sure) if hits else Sign(None, wants=links.wants)


def describe_links(found: Sequence[LinkSizes]) -> Text:
    """Return `; on Node n uplink eth0 has an MTU of 1280, and the interfaces to its Pods one of 1500`."""
    told = NO_TEXT
    for one in found:
        told += say(
            (
                "; on Node {node} interface {uplink}, which leads to the other Nodes, has an MTU of {size}, "
                "and those to its Pods have {pods}"
            ),
            node=one.about.name or "",
            uplink=one.uplink,
            size=one.size,
            pods=one.pods,
        )
        if one.silent:
            rule = one.silent[0]
            told += say(
                (
                    "; its rule `-A {chain} {rule}` drops the ICMP messages that would tell the sender so: "
                    "large packets vanish"
                ),
                chain=rule.chain,
                rule=rule.rule,
            )
    return told


def advise_on_links(found: Sequence[LinkSizes], verify: Text) -> tuple[Step, ...]:
    """Return the steps for such a Node."""
    steps: list[Step] = []
    for one in found[:1]:
        where = place_on_node(one.about.name or "")
        steps.append(
            Step(
                say(
                    (
                        "give both the same MTU: that of the Pods in the settings of the network add-on "
                        "({size} or less), or that of {uplink}"
                    ),
                    size=one.size,
                    uplink=one.uplink,
                ),
                where=where,
                command=command("ip -d link show dev {uplink}", uplink=given.plain(one.uplink)),
                verify=verify,
            )
        )
        if one.silent:
            steps.append(
                Step(
                    say(
                        "let the ICMP type 3 code 4 (fragmentation needed) pass in the packet filter of "
                        "that Node"
                    ),
                    where=where,
                    command=command("iptables-save | grep -w -e icmp"),
                    verify=verify,
                )
            )
    return tuple(steps)
