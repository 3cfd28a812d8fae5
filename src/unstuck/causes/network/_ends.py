"""Finds the other end of a connection: the node with the address, or the nodes of the Pods behind it, where
the same packets arrive and whose answers must find their way back.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes.network._attempts import Attempt
from unstuck.causes.program._service import find_service_meant
from unstuck.diagnosis.objects_named import find_address_of_host
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.services import AddressHolders, ServicePods, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.derive.target_ports import find_target_port
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record, replace

READS: frozenset[type[Fact]] = frozenset({AddressHolders, NodeInfo, ServicePods, ServiceSpec})
# The most other ends of one connection that are looked at.
_MOST = 2
_TO_POD, _TO_NODE = ("PREROUTING", "FORWARD"), ("PREROUTING", "INPUT")


@record()
class OtherEnds(Record):
    """The other ends of a connection, as attempts there, and the questions about them. nodes: the Nodes that
    have its address themselves.
    """

    attempts: tuple[Attempt, ...] = ()
    nodes: tuple[Ref, ...] = ()
    wants: tuple[Want, ...] = ()


def find_ends(attempt: Attempt, pod: Ref, snap: Facts) -> OtherEnds:
    """Return the other ends of a program's connection."""
    if attempt.by != "program" or not attempt.address:
        return OtherEnds()
    meant = find_service_meant(attempt.address, pod, snap)
    if meant.value is None and meant.wants:
        return OtherEnds(wants=meant.wants)
    if meant.hits:
        return _find_behind(attempt, meant.hits[0], pod, snap)
    address = find_address_of_host(attempt.address)
    if address is None:
        return OtherEnds()
    want = Want(AddressHolders, address)
    held = snap.one(AddressHolders, address)
    if held is None:
        return OtherEnds(wants=() if snap.answered(want) else (want,))
    own = find_node(pod, snap)
    there = [
        *(replace(attempt, node=n.name or "", hooks=_TO_NODE) for n in held.nodes),
        *(replace(attempt, node=n.name or "", hooks=_TO_POD) for _, n in held.pods),
    ]
    there = [a for a in there if a.node and (own is None or a.node != own.name)]
    return _add_backs(OtherEnds(tuple(there[:_MOST]), held.nodes), pod, snap)


def _find_behind(attempt: Attempt, service: Ref, pod: Ref, snap: Facts) -> OtherEnds:
    """Return the ways to the ready Pods of a Service: on each of their nodes the packets are for the Pod."""
    spec, behind = snap.one(ServiceSpec, service), snap.one(ServicePods, service)
    if spec is None or behind is None:
        want = Want(ServicePods, service)
        return OtherEnds(wants=() if snap.answered(want) else (want,))
    port = next((p for p in spec.ports if p.port == attempt.port), None)
    ready = [b for b in behind.matched if b.ready and b.node and b.address and ":" not in b.address]
    there = [
        replace(attempt, node=b.node, hooks=_TO_POD, address=b.address, port=number, to=attempt.shown)
        for b in ready
        if port and (number := find_target_port(port, b))
    ]
    by_node = {a.node: a for a in there}
    return _add_backs(OtherEnds(tuple(by_node[n] for n in sorted(by_node))[:_MOST]), pod, snap)


def _add_backs(ends: OtherEnds, pod: Ref, snap: Facts) -> OtherEnds:
    """Return the ends with the ways of the answers, from each of these nodes to the Pods of the client's."""
    own = find_node(pod, snap)
    there = [a for a in ends.attempts if own is not None and a.node != own.name and a.met == "silence"]
    shared = any(f.host_network for f in snap.of(Containers, pod))
    if not there or own is None or shared:
        return ends
    info = snap.one(NodeInfo, own)
    if info is None:
        want = Want(NodeInfo, own)
        return replace(ends, wants=() if snap.answered(want) else (want,))
    first = next(_list_first_addresses(info.pod_cidrs or ()), "")
    backs = [replace(a, address=first, port=0, to=a.shown, back=True) for a in there if first]
    return replace(ends, attempts=(*ends.attempts, *backs))


def _list_first_addresses(ranges: tuple[str, ...]) -> Iterator[str]:
    """Yield an address of each IPv4 range."""
    for one in ranges:
        start, _, _ = one.partition("/")
        head, _, last = start.rpartition(".")
        if head and last.isdecimal() and ":" not in start:
            yield f"{head}.{int(last) + 1}"
