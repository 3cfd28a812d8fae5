"""The Node itself drops or diverts the packets to an address

## How it happens

A leftover on one node diverts its packets before they reach the wire: a route of the type `unreachable`,
`prohibit` or `blackhole`, or a rule of policy routing (`ip rule`) that leads to one, of a VPN or an egress
gateway that is gone; an address that the node itself has on a left-over interface (`kube-ipvs0` of
kube-proxy's former ipvs mode); a permanent neighbour entry with the hardware address of a card that was
exchanged; an interface that does not forward while the others do; a delay (`netem`) of a chaos test;
`net.bridge.bridge-nf-call-iptables = 0`, with which a Service cannot be reached from the node of its Pod. The
node may be that of the program, or the one at the other end. From other nodes the same connection is made.

## How to tell

A program or a probe got no answer, or an error that there is no route, and on the Pod's node `ip route show
table all`, `ip rule`, `ip neigh`, `sysctl net.ipv4.conf.DEVICE.forwarding` or `tc qdisc` shows it. A route
that refuses, and an interface that does not forward Pods' packets, prove it; a neighbour entry may be right,
a rule may be for other senders, and a delay may be short: these make it likely.

## Known limits

The translation of a Service's address is not followed: a route to it is likely at most. Permanent entries on
interfaces of network add-ons are theirs, and do not count. IPv6, rules by mark and the network between the
nodes are not looked at.

## References

- ip-route(8), ip-rule(8), ip-neighbour(8), tc-netem(8); Linux Documentation/networking/ip-sysctl.rst
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.container._ends import name_container
from unstuck.causes.network._attempts import Attempt
from unstuck.causes.network._way import READS, find_attempts, find_on_ways, keep_addressed, list_blocked
from unstuck.causes.program._service import find_service_meant, list_ready_pods
from unstuck.causes.program._told import STAGES
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.packet_way import PacketWay, WayFault
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.services import AddressHolders
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_QUOTED = 200
_ANSWERED = say("the next attempt gets its answer")
# Interfaces on which network add-ons write permanent neighbours themselves.
_ADD_ONS = regex(r"flannel|cilium|lxc|vxlan|geneve|antrea|ovn|weave|cali|tunl|kube|wg")
_NEIGHBOUR = regex(r"^(?P<address>\S{1,45}) lladdr (?P<card>\S{1,40})$")
_LINK_LOCAL = "169.254."
_SURE = ("refusing-route", "no-forwarding")


@record()
class _Cut(Record):
    """A connection and the obstacle on its way."""

    attempt: Attempt
    fault: WayFault
    sure: bool


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = keep_addressed(find_attempts(pod, snap))
    cut: Sign[_Cut] = _find(pod, said, snap) if said.hits else Sign(None)
    sure = tuple(c for c in cut.hits if c.sure)
    proof: Sign[_Cut] = cut._replace(hits=sure) if sure else cut._replace(value=None) if cut.value else cut
    return Signs(
        necessary={"a connection was refused, or got no answer": said},
        decisive={"the Node refuses its packets, or forwards none of them": proof},
        supporting={"something of the Node is in their way": cut._replace(wants=())},
        finding=lambda: _make_finding(pod, (*proof.hits, *cut.hits)[0], snap),
    )


def _find(pod: Ref, said: Sign[Attempt], snap: Facts) -> Sign[_Cut]:
    cut = find_on_ways(said, pod, snap, lambda attempt, way: _list_cuts(pod, attempt, way, snap), ends=True)
    # The owner of its network decides which packets are forwarded.
    asked = () if snap.of(Containers, pod) else (Want(Containers, pod),)
    hits = sorted(cut.hits, key=lambda c: not c.sure)
    return cut._replace(hits=tuple(hits), wants=unique((*asked, *cut.wants)))


def _list_cuts(pod: Ref, attempt: Attempt, way: PacketWay, snap: Facts) -> list[_Cut]:
    """Return the faults of the Node that this connection hits."""
    to_service = bool(find_service_meant(attempt.address, pod, snap).hits)
    known = bool(snap.of(Containers, pod))
    return [
        _Cut(attempt, fault, fault.kind in _SURE and known and not to_service)
        for fault in way.faults
        if _is_met(fault, attempt)
        and (attempt.met == "silence" or fault.kind == "own-address")
        and (fault.kind != "own-address" or _is_left_over(attempt, to_service, snap))
        and (fault.kind != "unfiltered-bridge" or _is_beside(pod, attempt, snap))
    ]


def _is_beside(pod: Ref, attempt: Attempt, snap: Facts) -> bool:
    """Tell whether a ready Pod behind the Service runs on the client's own Node, in another network."""
    own = find_node(pod, snap)
    meant = find_service_meant(attempt.address, pod, snap)
    if own is None or attempt.node or "FORWARD" not in attempt.hooks:
        return False
    return any(b.node == own.name for s in meant.hits for b in list_ready_pods(s, snap))


def _is_left_over(attempt: Attempt, to_service: bool, snap: Facts) -> bool:
    """Tell whether the address that the Pod's Node has is neither a Node's nor a Service's."""
    held = [f for f in snap.every(AddressHolders) if f.about.name == attempt.address]
    own = any(f.nodes or f.pods for f in held) or not held
    return not (own or to_service or attempt.node or attempt.address.startswith(_LINK_LOCAL))


def _is_met(fault: WayFault, attempt: Attempt) -> bool:
    forwarded = "FORWARD" in attempt.hooks
    if fault.kind == "no-forwarding" or (fault.kind == "refusing-rule" and fault.source):
        # Of packets of the Node's own none is forwarded; whose range a rule has is that of its Pods.
        return forwarded
    return not (fault.kind == "fixed-neighbour" and _ADD_ONS.match(fault.device))


def _make_finding(pod: Ref, one: _Cut, snap: Facts) -> Finding:
    attempt, fault = one.attempt, one.fault
    node = attempt.find_place(pod, snap) or Ref("Node")
    name = node.name or "NODE"
    see, change = _help(fault)
    where = place_on_node(node.name)
    return Finding(
        _tell(fault, attempt, name),
        culprit=Ref("Route", node.name, fault.detail[:_QUOTED]),
        blocks=list_blocked(pod, attempt),
        help=(
            Step(say("see it there"), where=where, command=see),
            Step(change, where=where, verify=_ANSWERED),
        ),
        do_not=(
            DoNot(
                say("change the server's address in the program"),
                say("the server may be unchanged: it is this node that does not send to it"),
            ),
        ),
    )


def _tell(fault: WayFault, attempt: Attempt, node: str) -> Text:
    detail, device = fault.detail[:_QUOTED], fault.device
    told = {
        "refusing-route": say(
            "Node {node} has the route “{detail}”, which refuses what goes there", node=node, detail=detail
        ),
        "refusing-rule": say(
            "on Node {node} policy routing has the rule “{detail}”, which refuses the packets that match it",
            node=node,
            detail=detail,
        ),
        "fixed-neighbour": say(
            "Node {node} has a permanent neighbour entry on {device}: “{detail}”; if that is the hardware "
            "address of another card, nothing arrives there",
            node=node,
            device=device,
            detail=detail,
        ),
        "no-forwarding": say(
            "on Node {node} {detail}, although ip_forward is 1: it forwards nothing that comes in by "
            "{device} to its Pods, answers included",
            node=node,
            detail=detail,
            device=device,
        ),
        "unfiltered-bridge": say(
            "on Node {node} {detail}: the answers of a Service's Pod to another Pod of this node bypass the "
            "packet filter, and keep an address that the client does not know",
            node=node,
            detail=detail,
        ),
        "own-address": say(
            "Node {node} has the address {address} itself, on its interface {device}, so packets to it do "
            "not leave the node",
            node=node,
            address=attempt.address,
            device=device,
        ),
        "delay": say(
            "Node {node} delays or drops what goes out by {device}: “{detail}”",
            node=node,
            device=device,
            detail=detail,
        ),
    }[fault.kind]
    to, whose = attempt.shown, name_container(attempt.container or None)
    if attempt.back:
        return told + say("; so the answers to {whose} from {to} do not come back", whose=whose, to=to)
    if attempt.met == "refused":
        return told + say("; so the connection of {whose} to {to} is refused there", whose=whose, to=to)
    if attempt.by == "program":
        return told + say("; so the connection of {whose} to {to} gets no answer", whose=whose, to=to)
    return told + say(
        "; so the {probe} probe of {whose} to {to} gets no answer", probe=attempt.by, whose=whose, to=to
    )


def _help(fault: WayFault) -> tuple[Command, Text]:
    """Return the command that shows the fault, and its fix."""
    device = given.plain(fault.device)
    if fault.kind == "refusing-route":
        return command("ip route show table all"), say(
            "delete the route if nothing needs it any more (ip route del), and at its source (a VPN, a "
            "script)"
        )
    if fault.kind == "refusing-rule":
        return command("ip rule show; ip route show table all"), say(
            "delete the rule if nothing needs it any more (ip rule del), and at its source (a VPN, an egress "
            "gateway, a script)"
        )
    if fault.kind == "fixed-neighbour":
        entry = _NEIGHBOUR.match(fault.detail)
        address = entry["address"] if entry else ""
        card = entry["card"] if entry else ""
        return command("ip neigh show {address}", address=given.host(address)), say(
            "compare {card} with the hardware address that the owner of {address} has (ip link, there); if "
            "they differ, delete the entry: ip neigh del {address} dev {device}",
            card=card,
            address=address,
            device=fault.device,
        )
    if fault.kind == "unfiltered-bridge":
        return command(
            "grep -rs bridge-nf-call /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d"
        ), say(
            "set net.bridge.bridge-nf-call-iptables to 1 with sysctl (with the module br_netfilter loaded), "
            "and in the file that sets it to 0"
        )
    if fault.kind == "own-address":
        return command("ip -4 address show dev {device}", device=device), say(
            "if it is left over (of kube-proxy's ipvs mode, a load balancer, keepalived), delete it: "
            "ip address del {address} dev {device}; if the server is to run on this node, start it",
            address=fault.detail.partition(" ")[0],
            device=fault.device,
        )
    if fault.kind == "no-forwarding":
        return command(
            "grep -rs forwarding /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d"
        ), say(
            "set net.ipv4.conf.{device}.forwarding to 1 with sysctl, and in the file that turns it off",
            device=fault.device,
        )
    return command("tc -s qdisc show dev {device}", device=device), say(
        "if it is left of a test, delete it: tc qdisc del dev {device} root", device=fault.device
    )


CAUSE = Cause(
    id="network.way-cut-on-node",
    title=say("the node itself drops or diverts the packets"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
