"""Finds the connections that a Pod's programs and probes could not make, and the way of their packets on the
Node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from unstuck.causes.container._ends import Run
from unstuck.causes.network import _ends
from unstuck.causes.network._attempts import Attempt, Met
from unstuck.causes.network._ends import find_ends
from unstuck.causes.program._service import find_service_meant
from unstuck.causes.program._told import READS as PROGRAM_READS
from unstuck.causes.program._told import ProgramMessage, find_program_messages
from unstuck.diagnosis.objects_named import find_name_server
from unstuck.diagnosis.sign import Sign, hearsay, unique
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.packet_way import PacketWay
from unstuck.facts.aspects.pod import Complaint, Containers, LastLines, Placement, Termination
from unstuck.facts.aspects.services import ServicesAt, ServiceSpec
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.asked import find_asked, is_ipv4
from unstuck.facts.derive.pods import list_statuses, make_container_ref, make_program_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.facts.vocabulary.programs import ProgramError

T = TypeVar("T")

READS: frozenset[type[Fact]] = (
    PROGRAM_READS
    | _ends.READS
    | {
        Containers,
        Events,
        Failure,
        PacketWay,
        Placement,
        ServiceSpec,
        ServicesAt,
    }
)

_ERRORS: tuple[ProgramError, ...] = ("connection-refused", "connection-timed-out", "name-unanswered")
_NO_END = Termination(-1)
_PROBES: tuple[Operation, ...] = ("probe-liveness", "probe-readiness", "probe-startup")
_SILENT: tuple[ErrorWord, ...] = ("timeout", "deadline-exceeded", "EHOSTUNREACH", "ENETUNREACH")
_HERE = "127."
_DNS = 53
_LATE = regex(r"(?i)time(?:d)?[ -]?out|no servers could be reached|deadline exceeded|temporary failure")


def find_attempts(pod: Ref, snap: Facts) -> Sign[Attempt]:
    """Find the connections of its programs and probes that were not made, with their ports."""
    by_program, by_probe = _find_of_programs(pod, snap), _find_of_probes(pod, snap)
    hits = unique((*by_program.hits, *by_probe.hits))
    seen = unique((*by_program.seen, *by_probe.seen))
    wants = () if hits else unique((*by_program.wants, *by_probe.wants))
    if hits:
        return Sign(True, hits, seen, sure=by_program.sure if by_program.hits else by_probe.sure)
    # The kubelet reports failed probes in Events.
    over = by_program.value is False and any(f.whole for f in snap.of(Events, pod))
    return Sign(
        False if over else None, seen=unique((*seen, *snap.of(Events, pod))) if over else seen, wants=wants
    )


def look_up(attempt: Attempt, pod: Ref, snap: Facts) -> tuple[PacketWay | None, tuple[Want, ...]]:
    """Return the way of its packets on its node, if it was checked, and the questions about it."""
    node = attempt.find_place(pod, snap)
    if node is None or not node.name:
        return None, (Want(Placement, pod),)
    way = attempt.way(node)
    want = Want(PacketWay, way)
    return next(iter(snap.of(PacketWay, way)), None), () if snap.answered(want) else (want,)


def keep_addressed(said: Sign[Attempt], fits: Callable[[Attempt], bool] = lambda _: True) -> Sign[Attempt]:
    """Keep the connections to a known address. fits: only those for which it returns True."""
    hits = tuple(a for a in said.hits if a.address and fits(a))
    return said._replace(value=True if hits else False if said.value else said.value, hits=hits)


def find_on_ways(
    said: Sign[Attempt],
    pod: Ref,
    snap: Facts,
    pick: Callable[[Attempt, PacketWay], Iterable[T]],
    covers: Callable[[PacketWay], bool] = lambda way: way.whole,
    *,
    ends: bool = False,
) -> Sign[T]:
    """Find obstacles on the ways of these connections. No: every way was seen, and none has one. pick: the
    obstacles of one connection. covers: whether a look at a way may be a no. ends: whether the nodes at the
    other ends count as well.
    """
    hits, seen, wants, covered = list[T](), list[Fact](), list[Want](), True
    others = [find_ends(attempt, pod, snap) for attempt in said.hits if ends]
    wants += (want for one in others for want in one.wants)
    covered = not wants
    for attempt in (*said.hits, *(a for one in others for a in one.attempts)):
        way, asked = look_up(attempt, pod, snap)
        wants += asked
        covered = covered and way is not None and covers(way)
        seen += [way] if way else []
        hits += pick(attempt, way) if way else ()
    if hits:
        return Sign(True, tuple(hits), unique((*said.seen, *seen)), unique(wants))
    return Sign(False if covered else None, seen=tuple(seen), wants=unique(wants))


def list_blocked(pod: Ref, attempt: Attempt) -> tuple[Ref, ...]:
    """Return the objects that wait for the connection: the program, the port, the container and the Pod."""
    return unique(
        (
            make_program_ref(pod, attempt.container),
            Ref("Port", f"{pod.within}/{pod.name}", str(attempt.port)),
            make_container_ref(pod, attempt.container or None),
            pod,
        )
    )


def _find_of_programs(pod: Ref, snap: Facts) -> Sign[Attempt]:
    ended = find_program_messages(pod, snap, *_ERRORS)
    running = _find_of_running(pod, snap)
    said = running if running.hits and not ended.value else ended
    if not said.value:
        return Sign(said.value, seen=said.seen)
    shared = any(f.host_network for f in snap.of(Containers, pod))
    hooks = ("OUTPUT",) if shared else ("PREROUTING", "FORWARD")
    out, wants = [*_list_queries(pod, hooks, snap)], list[Want]()
    for one in said.hits:
        name, port = one.complaint.name, one.complaint.port
        if not port or name.startswith(_HERE) or name == "localhost" or _is_query(one.complaint):
            continue
        address, asked = _find_address(name, pod, snap)
        wants += asked
        if not asked:
            met: Met = "refused" if one.complaint.error == "connection-refused" else "silence"
            out.append(Attempt(one.run.name, "program", met, address, port, hooks, one.complaint.line))
    return Sign(True if out else None, tuple(out), said.seen, tuple(wants), sure=said.sure)


def _find_of_running(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    """Find the messages of containers that run, and are not ready for it."""
    waiting = [s for s in list_statuses(pod, snap) if s.state == "running" and not s.ready]
    found = [
        (ProgramMessage(Run(s, _NO_END), f.complaint), f)
        for s in waiting
        for f in snap.of(LastLines, make_container_ref(pod, s.name or None))
        if not f.previous and f.complaint and f.complaint.error in _ERRORS
    ]
    return Sign(True if found else None, tuple(m for m, _ in found), unique(f for _, f in found))


def _is_query(said: Complaint) -> bool:
    return said.error == "name-unanswered"


def _list_queries(pod: Ref, hooks: tuple[str, ...], snap: Facts) -> Iterator[Attempt]:
    """Yield the queries to name servers that got no answer: their packets are of UDP."""
    for one in find_program_messages(pod, snap, "name-unanswered").hits:
        server = find_name_server(one.complaint.line)
        if is_ipv4(server) and not server.startswith(_HERE) and _LATE.search(one.complaint.line):
            yield Attempt(
                one.run.name, "program", "silence", server, _DNS, hooks, one.complaint.line, udp=True
            )


def _find_address(name: str, pod: Ref, snap: Facts) -> tuple[str, tuple[Want, ...]]:
    """Return the IPv4 address of a name, "" if unknown, and the questions about it."""
    if is_ipv4(name):
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


def _find_of_probes(pod: Ref, snap: Facts) -> Sign[Attempt]:
    return hearsay(snap, Failure, pod, lambda f: list(_read_failure(f)))


def _read_failure(f: Failure) -> tuple[Attempt, ...]:
    refused = f.error == "connection-refused"
    if f.operation not in _PROBES or not (refused or f.error in _SILENT):
        return ()
    asked = next((a for text in (f.src.quote, f.message) for a in find_asked(text) if is_ipv4(a.host)), None)
    host, _, number = (f.host or "").rpartition(":")
    address, port = (asked.host, str(asked.port)) if asked else (host, number)
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
