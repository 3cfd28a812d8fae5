"""A bridge of the Node has the range of an outside address

## How it happens

docker, libvirt or another program on the node made a bridge for itself and gave it a range of addresses,
`172.17.0.0/16` for docker0. A server outside of the cluster has an address in that range: the node looks for
it on its own bridge, where no host has it. From other nodes the server stays reachable.

## How to tell

A program ended as it got no answer from the address, and on its Pod's node the most specific route to it (`ip
route get ADDRESS`) leads to a bridge of the node itself, without a gateway. The missing answer shows as `No
route to host`, or in the node's table of neighbours.

## Known limits

Without one of these two it stays likely: an address on the bridge may be a container of docker that does not
answer. Other routing tables than the main one, and IPv6, are not looked at.

## References

- ip-route(8), arp(7); Docker documentation: Packet filtering and firewalls, `bip` and `default-address-pools`
  in daemon.json
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._commands import place_on_node
from unstuck.causes.network._attempts import Attempt
from unstuck.causes.network._way import READS, find_attempts, find_on_ways, keep_addressed
from unstuck.causes.program._told import STAGES
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.packet_way import PacketWay, Route
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node, make_container_ref, make_program_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

# Bridges that programs make on a machine for themselves: docker, libvirt, LXC, podman, nerdctl.
_BRIDGE = regex(
    r"docker\d*|br-[0-9a-f]{12}|virbr\d+|lxcbr\d+|lxdbr\d+|podman\d+|cni-podman\d+|nerdctl\d+|docker_gwbridge"
)
_DOCKER = regex(r"docker\d*|br-[0-9a-f]{12}|docker_gwbridge")
_UNREACHED = "no route to host"


@record()
class _Shadow(Record):
    """A connection and the route that misleads it. nobody: no host answers on its link. instead: the route
    that it would take otherwise.
    """

    attempt: Attempt
    route: Route
    nobody: bool
    instead: Route


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = keep_addressed(find_attempts(pod, snap), lambda a: a.met == "silence" and a.by == "program")
    misled: Sign[_Shadow] = _find(pod, said, snap) if said.hits else Sign(None)
    sure = tuple(s for s in misled.hits if s.nobody)
    proof: Sign[_Shadow] = (
        misled._replace(hits=sure) if sure else Sign(None, misled.hits, misled.seen, misled.wants)
    )
    return Signs(
        necessary={
            "no answer came to a connection": said,
            "its route leads to a bridge of the Node itself": misled,
        },
        decisive={"no Pod has the address on that bridge": proof},
        supporting={"its route leads to a bridge of the Node itself": misled._replace(wants=())},
        finding=lambda: _make_finding(pod, (*proof.hits, *misled.hits)[0], snap),
    )


def _find(pod: Ref, said: Sign[Attempt], snap: Facts) -> Sign[_Shadow]:
    misled = find_on_ways(said, pod, snap, _list_shadows, lambda way: way.route is not None or way.whole)
    return misled._replace(wants=()) if misled.value else misled


def _list_shadows(attempt: Attempt, way: PacketWay) -> list[_Shadow]:
    route = way.route
    instead = next((r for r in way.wider if r.gateway or not _BRIDGE.fullmatch(r.device)), None)
    if route is None or route.gateway or instead is None or not _BRIDGE.fullmatch(route.device):
        return []
    nobody = way.unanswered is True or route.ports == 0 or _UNREACHED in attempt.line.lower()
    return [_Shadow(attempt, route, nobody, instead)]


def _make_finding(pod: Ref, one: _Shadow, snap: Facts) -> Finding:
    node = find_node(pod, snap) or Ref("Node")
    name, attempt, route = node.name or "NODE", one.attempt, one.route
    by = f"{one.instead.gateway} ({one.instead.device})" if one.instead.gateway else one.instead.device
    where = place_on_node(node.name)
    move = Step(
        say(
            (
                "give {device} another range, or remove it if it is no longer used; meanwhile its workloads "
                "are cut off"
            ),
            device=route.device,
        ),
        where=where,
        risk="disrupts",
        verify=say(
            "ip route get {address} names another device, and the next run gets its answer",
            address=attempt.address,
        ),
    )
    if _DOCKER.fullmatch(route.device):
        move = replace(
            move,
            says=say(
                "give docker another range (`bip`, `default-address-pools` in /etc/docker/daemon.json) and "
                "restart it, or remove {device} if it is no longer used; meanwhile its workloads are cut off",
                device=route.device,
            ),
        )
    return Finding(
        say(
            "Node {node} looks for {to} on its own bridge {device}, which has the range {range}: so no "
            "answer comes to container {container}; without that route it would go by {by}",
            node=name,
            to=f"{attempt.address}:{attempt.port}",
            device=route.device,
            range=route.to,
            container=attempt.container,
            by=by,
        ),
        culprit=Ref("Route", node.name, route.to),
        blocks=(
            make_program_ref(pod, attempt.container),
            make_container_ref(pod, attempt.container or None),
            pod,
        ),
        help=(
            Step(
                say("see the route, and the interfaces on the bridge"),
                where=where,
                command=command(
                    "ip route get {address}; ip addr show dev {device}",
                    address=given.host(attempt.address),
                    device=given.plain(route.device),
                ),
            ),
            move,
        ),
        do_not=(
            DoNot(
                say("change the server's address in the program"),
                say("the server may be unchanged: it is this node that routes to it wrongly"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.route-shadowed",
    title=say("a bridge of the node has the range of an outside address"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
