"""A server that a program could not reach: the Service of that name, and its endpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from unstuck.causes._commands import place_on_node
from unstuck.causes._given import find_alias
from unstuck.causes._hosts_line import tell_hosts_line
from unstuck.causes._node_config import add_node_words
from unstuck.causes.program._asked_address import make_wrong_port_finding
from unstuck.causes.program._behind import (
    COMPARE,
    look_at_service,
    make_nobody_finding,
    make_other_nodes_finding,
    make_ready_server_finding,
)
from unstuck.causes.program._inside import make_inside_finding
from unstuck.causes.program._links import (
    advise_on_links,
    describe_links,
    find_narrow_links,
    keep_silent_links,
)
from unstuck.causes.program._plain import NEXT_RUN, make_no_unknown, make_plain_signs, mend
from unstuck.causes.program._service import (
    find_service_meant,
    has_ready_pods_elsewhere,
    lacks_port,
    lacks_ready_pods,
    list_ready_pods,
)
from unstuck.causes.program._socket import find_socket, make_socket_finding
from unstuck.causes.program._told import (
    ProgramMessage,
    find_lone_messages,
    find_program_messages,
    make_finding,
    write_address,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign, any_of, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.packet_way import LinkSizes
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

# The Service `kubernetes` has the first address of its range: network.pod-to-apiserver-broken covers that
# connection.
_TO_API_SERVER = regex(r"(?:10|172|192)(?:\.\d{1,3}){2}\.1")
_TLS = 443
_CORRECT = mend(
    say(
        "if this is the address that is meant: bring its server up; if not: correct the name and port in the "
        "program's settings"
    )
)
# EHOSTUNREACH and ENETUNREACH: the kernel has no route, or the next hop does not answer. The request reached
# no server.
_NO_WAY = regex(
    r"(?i:no route to host|host (?:is )?unreachable|network is unreachable)|EHOSTUNREACH|ENETUNREACH"
    r"|NoRouteToHost"
)
_ADDRESS = regex(r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F:]+")
# A URL without a port has that of its scheme (RFC 9110).
_SCHEME = regex(r"\b(?P<scheme>https?)://")
_PORTS = MappingProxyType({"http": 80, "https": 443})
_HERE = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]")


@record()
class _Shown(Record):
    """The cluster's evidence about Services: nobody: no ready backend; port: no such port; local: ready
    backends on other nodes only.
    """

    nobody: Sign[Ref]
    port: Sign[Ref]
    local: Sign[Ref]
    links: Sign[LinkSizes]


def make_unreachable_signs(pod: Ref, snap: Facts, error: ProgramError, says: Callable[[Text], Text]) -> Signs:
    """Return the signs for a server that did not answer. says: makes the sentence about the failure from ` by
    web:80` or an empty text.
    """
    if pod.kind == "Text":
        return make_plain_signs(
            pod,
            snap,
            (error,),
            lambda one: make_finding(
                pod,
                one,
                _means(one, says),
                fitting(_see(one), Remedy(bool(one.complaint.name or one.complaint.port), _CORRECT)),
            ),
        )
    every = find_program_messages(pod, snap, error)
    hits = tuple(t for t in every.hits if not _to_api_server(t.complaint))
    said = (
        Sign(True, hits, every.seen, sure=every.sure)
        if hits
        else Sign(False if every.value else every.value, seen=every.seen, wants=every.wants)
    )
    meant = [find_service_meant(t.complaint.name, pod, snap, t.complaint.port) for t in hits]
    # Ask for the owner of an unknown address before its backends.
    whose = [Sign[Ref](None, wants=m.wants) for m in meant if m.value is None and m.wants]
    services = unique(s for m in meant for s in m.hits)
    nobody = _join_any([*(lacks_ready_pods(s, snap) for s in services), *whose])
    port = _join_any(
        [lacks_port(s, t.complaint.port, snap) for t, m in zip(hits, meant, strict=True) for s in m.hits]
    )
    local = _join_any([has_ready_pods_elsewhere(s, pod, snap) for s in services])
    links = _find_links(pod, services, error, snap)
    lone = find_lone_messages(pod, snap, error)
    return Signs(
        necessary={"the last log lines of a failed run say so": said},
        decisive={
            "the Service with this name has no ready endpoint": nobody,
            "the Service of this name does not have this port": port,
            (
                "the Service of this name sends to the client's own node alone, and has "
                "nobody who is ready there"
            ): local,
            **_lose_packets(error, links),
        },
        supporting={"its message is that of a failed connection": said if said.value else lone},
        finding=lambda: _make_finding(pod, said.hits[0], says, _Shown(nobody, port, local, links), snap),
    )


def _find_links(pod: Ref, services: Sequence[Ref], error: ProgramError, snap: Facts) -> Sign[LinkSizes]:
    """Return the Nodes on the way to the servers that carry less than their Pods send; a refusal is a
    small answer.
    """
    if error != "connection-timed-out" or not services:
        return Sign(None)
    return any_of([find_narrow_links(pod, list_ready_pods(s, snap), snap) for s in services])


def _lose_packets(error: ProgramError, links: Sign[LinkSizes]) -> dict[str, Sign[LinkSizes]]:
    """Return the sign that large packets are lost on the way: a refusal rules that out."""
    if error != "connection-timed-out":
        return {}
    name = "a Node between the two carries less than its Pods send, and does not say so"
    return {name: keep_silent_links(links)}


def _to_api_server(said: Complaint) -> bool:
    return said.port == _TLS and _TO_API_SERVER.fullmatch(said.name) is not None


def _join_any(signs: Sequence[Sign[Ref]]) -> Sign[Ref]:
    return make_no_unknown(any_of(signs)) if signs else Sign(None)


def _make_finding(
    pod: Ref, one: ProgramMessage, says: Callable[[Text], Text], shown: _Shown, snap: Facts
) -> Finding:
    name = one.complaint.name
    service = next(iter(find_service_meant(name, pod, snap, one.complaint.port).hits), None)
    means = _means(one, says, find_node(pod, snap))
    if service is not None and service in shown.nobody.hits:
        return make_nobody_finding(pod, one, means, service, snap)
    if service is not None and service in shown.port.hits:
        return make_wrong_port_finding(pod, one, means, service, snap)
    if service is not None and service in shown.local.hits:
        return make_other_nodes_finding(pod, one, means, service, snap)
    if name in _HERE:
        return make_inside_finding(pod, one, means, snap)
    if (alias := find_alias(pod, one.complaint.line, snap)).says.en:
        return make_finding(pod, one, means + alias.says, (mend(alias.change),))
    if service is None and (socket := find_socket(one.complaint.line)):
        return make_socket_finding(pod, one, means, socket, snap)
    if service is None:
        told = tell_hosts_line(pod, one.complaint, snap, NEXT_RUN)
        return add_node_words(_make_outside_finding(pod, one, means, snap), told)
    if shown.links.value:
        means += describe_links(shown.links.hits)
        return make_finding(pod, one, means, advise_on_links(shown.links.hits, NEXT_RUN))
    if ready := list_ready_pods(service, snap):
        return make_ready_server_finding(pod, one, means, service, ready, snap)
    return make_finding(pod, one, means, (look_at_service(service), _CORRECT))


def _means(one: ProgramMessage, says: Callable[[Text], Text], node: Ref | None = None) -> Text:
    """Return the sentence about the program's failure: no route differs from no answer."""
    if not _NO_WAY.search(one.complaint.line):
        return says(_describe_where(one))
    to = write_address(one.complaint) or say("where it connects to")
    return (
        say(
            "no route leads from Node {node} to {to}, or a firewall on the way rejects it",
            node=node.name,
            to=to,
        )
        if node and node.name
        else say("no route leads to {to}, or a firewall on the way rejects it", to=to)
    )


def _make_outside_finding(pod: Ref, one: ProgramMessage, means: Text, snap: Facts) -> Finding:
    """Return the finding for a server that is no Service. A refusal is an answer; a silent server leaves the
    route in question.
    """
    name, node = one.complaint.name, find_node(pod, snap)
    if one.complaint.error == "connection-refused":
        return make_finding(pod, one, means, fitting(Remedy(bool(name or one.complaint.port), _CORRECT)))
    if node is not None and node.name and not _NO_WAY.search(one.complaint.line):
        means += say("; the Pod runs on Node {node}", node=node.name)
    route = Step(
        say(
            "see which route that node takes there: one of its own interfaces with this range, such as a "
            "bridge, keeps the packets"
        ),
        where=place_on_node(node.name if node else None),
        command=command("ip route get {address}", address=given.host(name))
        if _ADDRESS.fullmatch(name)
        else command("ip route"),
    )
    return make_finding(pod, one, means, fitting(Remedy(bool(name), route), COMPARE))


def _describe_where(one: ProgramMessage) -> Text:
    where = write_address(one.complaint)
    return say(" by {where}", where=where) if where else NO_TEXT


def _see(one: ProgramMessage) -> Step:
    """Return the look from the place where the line was written: whether the address answers."""
    address = write_address(one.complaint)
    scheme = None if one.complaint.port else _SCHEME.search(one.complaint.line)
    if address and scheme:
        address = f"{address}:{_PORTS[scheme['scheme']]}"
    says = say(
        "from where this was written, see whether anything answers there, and which firewall is in between"
    )
    return (
        Step(says, command=command("curl -sv telnet://{address}", address=given.host(address)))
        if address
        else Step(says)
    )
