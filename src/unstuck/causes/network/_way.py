"""The connections that a Pod's programs, or its Node for their sake, could not make, and the way of their
packets on the Node.
"""

from __future__ import annotations

from typing import Literal

from unstuck.causes.program._service import find_service_meant
from unstuck.causes.program._told import READS as PROGRAM_READS
from unstuck.causes.program._told import find_program_messages
from unstuck.diagnosis.sign import Sign, hearsay, unique
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.packet_way import PacketWay
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

READS: frozenset[type[Fact]] = PROGRAM_READS | {
    Containers,
    Events,
    Failure,
    PacketWay,
    Placement,
    ServiceSpec,
    ServicesAt,
}

Met = Literal["refused", "silence"]
_PROBES: tuple[Operation, ...] = ("probe-liveness", "probe-readiness", "probe-startup")
_SILENT: tuple[ErrorWord, ...] = ("timeout", "deadline-exceeded", "EHOSTUNREACH", "ENETUNREACH")
_ASKED = regex(r"(?:https?://|dial tcp |address \"?)(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})\b")
_ADDRESS = regex(r"\d{1,3}(?:\.\d{1,3}){3}")
_HERE = "127."


@record()
class Attempt(Record):
    """A connection that was not made. by: whose: `program` or the word of a probe. met: what it met. hooks:
    of the kernel, on its way.

    address: "" if it is not known. line: the words that show it.
    """

    container: str
    by: str
    met: Met
    address: str
    port: int
    hooks: tuple[str, ...]
    line: str

    def way(self, node: Ref) -> Ref:
        """Return the way on a node that a fact is about."""
        return Ref("Route", node.name, f"{self.address}:{self.port}")


def find_attempts(pod: Ref, snap: Facts) -> Sign[Attempt]:
    """Return the connections of its programs and probes that were not made, with their ports."""
    by_program, by_probe = _of_programs(pod, snap), _of_probes(pod, snap)
    hits = unique((*by_program.hits, *by_probe.hits))
    seen = unique((*by_program.seen, *by_probe.seen))
    wants = () if hits else unique((*by_program.wants, *by_probe.wants))
    if hits:
        return Sign(True, hits, seen, sure=by_program.sure if by_program.hits else by_probe.sure)
    # What the kubelet said of probes stands in the events.
    over = by_program.value is False and any(f.whole for f in snap.of(Events, pod))
    return Sign(
        False if over else None, seen=unique((*seen, *snap.of(Events, pod))) if over else seen, wants=wants
    )


def look_up(attempt: Attempt, pod: Ref, snap: Facts) -> tuple[PacketWay | None, tuple[Want, ...]]:
    """Return the way of its packets on the Pod's node, if that was checked, and the questions for it."""
    node = find_node(pod, snap)
    if node is None or not node.name:
        return None, (Want(Placement, pod),)
    way = attempt.way(node)
    want = Want(PacketWay, way)
    return next(iter(snap.of(PacketWay, way)), None), () if snap.answered(want) else (want,)


def _of_programs(pod: Ref, snap: Facts) -> Sign[Attempt]:
    said = find_program_messages(pod, snap, "connection-refused", "connection-timed-out")
    if not said.value:
        return Sign(said.value, seen=said.seen)
    shared = any(f.host_network for f in snap.of(Containers, pod))
    hooks = ("OUTPUT",) if shared else ("PREROUTING", "FORWARD")
    out, wants = [], list[Want]()
    for one in said.hits:
        name, port = one.complaint.name, one.complaint.port
        if not port or name.startswith(_HERE) or name == "localhost":
            continue
        address, asked = _address_of(name, pod, snap)
        wants += asked
        if not asked:
            met: Met = "refused" if one.complaint.error == "connection-refused" else "silence"
            out.append(Attempt(one.run.name, "program", met, address, port, hooks, one.complaint.line))
    return Sign(True if out else None, tuple(out), said.seen, tuple(wants), sure=said.sure)


def _address_of(name: str, pod: Ref, snap: Facts) -> tuple[str, tuple[Want, ...]]:
    """Return the IPv4 address that a name means, "" if unknown, and its evidence."""
    if _ADDRESS.fullmatch(name):
        return name, ()
    service = next(iter(find_service_meant(name, pod, snap).hits), None)
    if service is None:
        return "", ()
    told = [a for f in snap.of(ServiceSpec, service) for a in f.addresses if ":" not in a]
    want = Want(ServiceSpec, service)
    return (
        (told[0], ())
        if told
        else ("", () if snap.of(ServiceSpec, service) or snap.answered(want) else (want,))
    )


def _of_probes(pod: Ref, snap: Facts) -> Sign[Attempt]:
    return hearsay(snap, Failure, pod, lambda f: list(_of_failure(f)))


def _of_failure(f: Failure) -> tuple[Attempt, ...]:
    refused = f.error == "connection-refused"
    if f.operation not in _PROBES or not (refused or f.error in _SILENT):
        return ()
    found = next((m for text in (f.src.quote, f.message) if (m := _ASKED.search(text))), None)
    host, _, number = (f.host or "").rpartition(":")
    address, port = (found[1], found[2]) if found else (host, number)
    if not port.isdecimal() or address.startswith(_HERE):
        return ()
    probe = f.operation.partition("-")[2]
    # The kubelet's own packets; to a Pod in the node's network they come in again.
    hooks = ("OUTPUT", "INPUT")
    return (
        Attempt(
            f.container or "",
            probe,
            "refused" if refused else "silence",
            address,
            int(port),
            hooks,
            f.message or f.src.quote,
        ),
    )
