"""Nothing listens on the probe's port

## How it happens

The probe names another port than the program listens on (the Service's port, the default of another image, an
old port after a change of the configuration), the program listens on 127.0.0.1 alone, or it has not opened
its port at all: it waits, or failed to.

## How to tell

The kubelet gets `connection refused` from the Pod's own address long after the container started, and on the
Node the Pod's network namespace has no socket that listens on that port, or none that is reachable from
outside of the Pod.

## Known limits

While a program starts its port is closed for a while: refusals in the first half minute, those of a startup
probe, and those before the same probe got another answer do not count. Without a look at the Node a rejecting
firewall looks the same, so this is likely at most. A last line that reports a wait or a failure, without an
earlier one that the program listens, is no wrong port: then this stays open.

## References

- Kubernetes pkg/probe/tcp, pkg/probe/http; proc(5) `/proc/PID/net/tcp`
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from unstuck.causes import _node_config
from unstuck.causes._commands import logs
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes._told_by_node import NodeWords
from unstuck.causes.container._ends import name_container
from unstuck.causes.container._probed import PROBES, point_to, tell_logged_ports
from unstuck.causes.probe._answers import says_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Placement, TroubleLines
from unstuck.facts.aspects.sockets import Listener, Listening
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.asked import find_asked
from unstuck.facts.derive.pods import find_container_spec, find_node, make_container_ref
from unstuck.facts.derive.told_ports import find_told_ports
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

say = Messages(__name__)

_USUAL = ("127.0.0.1", "::1")
_STARTING = timedelta(seconds=30)
# A startup probe is refused for as long as the program was given to start.
_PROBES: tuple[Operation, ...] = ("probe-liveness", "probe-readiness")
# Answers that only a program that listens by now can give.
_ANSWERED: tuple[ErrorWord, ...] = ("http-status", "timeout", "deadline-exceeded")


def _rule(pod: Ref, snap: Facts) -> Signs:
    running = some(
        snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state == "running" and not s.ready]
    )
    since = {s.name: s.since for s in running.hits}
    shared = any(f.host_network for f in snap.of(Containers, pod))

    answers = [
        f for f in snap.of(Failure, pod) if f.operation in _PROBES and f.error in _ANSWERED and f.src.at
    ]

    def answered(f: Failure) -> bool:
        return any(
            o.container == f.container and o.operation == f.operation and f.src.at and o.src.at > f.src.at
            for o in answers
            if o.src.at
        )

    def late(f: Failure) -> list[Failure]:
        began = since.get(f.container or "")
        refused = (
            f.operation in _PROBES
            and f.error == "connection-refused"
            and _find_port(f) is not None
            and (shared or not _is_elsewhere(f))
        )
        long = began is not None and f.src.at is not None and f.src.at - began >= _STARTING
        return [f] if refused and long and not answered(f) else []

    said = hearsay(snap, Failure, pod, late)
    port = _find_port(said.hits[-1]) if said.hits else None
    closed: Sign[Any] = some(
        snap, Listening, pod, lambda f: [f] if all(i.port != port or i.local for i in f.items) else []
    )
    proof: Sign[Any] = (
        all_of([said, closed])
        if said.value
        else Sign(running.value if running.value is False else None, seen=running.seen)
    )
    if said.value and proof.value is None and (container := said.hits[-1].container):
        # A program that still waits for others does not listen yet: its log says so.
        proof = proof._replace(wants=(*proof.wants, Want(LastLines, make_container_ref(pod, container))))
    return Signs(
        decisive={"the probe is refused long after the start, and nothing listens there for others": proof},
        supporting={
            "the probe is refused long after the start": Sign(None, said.hits, said.seen)
            if _still_waits(pod, said.hits, snap)
            else said
        },
        finding=lambda: _make_finding(
            pod, said.hits[-1], closed.hits[0].items if closed.hits else None, snap
        ),
    )


def _still_waits(pod: Ref, said: tuple[Failure, ...], snap: Facts) -> bool:
    """Tell whether the program's log shows that it does not listen yet: it waits or fails, and has not
    reported that it listens.
    """
    if not said or not said[-1].container:
        return False
    lines = [
        line.strip()
        for f in snap.of(LastLines, make_container_ref(pod, said[-1].container))
        for line in f.lines
        if line.strip()
    ]
    return bool(lines) and says_why(lines[-1]) and not find_told_ports(lines)


def _find_port(f: Failure) -> int | None:
    port = (f.host or "").rpartition(":")[2]
    if port.isdecimal():
        return int(port)
    asked = find_asked(f.message)
    return asked[-1].port if asked else None


def _is_elsewhere(f: Failure) -> bool:
    """Tell whether a loopback address was dialled: the kubelet dials from the node's own network, where that
    is the Node, unless the Pod shares it.
    """
    asked = find_asked(f.message)
    return bool(asked) and asked[-1].is_loopback


def _list_notes(
    port: int, listeners: tuple[Listener, ...] | None, declared: tuple[tuple[str, int], ...]
) -> Iterator[Text]:
    if listeners is not None and not _listens_only_inside(port, listeners):
        others = ", ".join(str(i.port) for i in listeners[:8] if not i.local)
        yield (
            say("listening ports: {others}", others=others) if others else say("nothing is listening at all")
        )
    if declared and port not in [n for _, n in declared]:
        shown = ", ".join(str(n) for _, n in declared[:8])
        yield say("the container declares {shown}", shown=shown)


def _listens_only_inside(port: int, listeners: tuple[Listener, ...] | None) -> bool:
    """Tell whether the port has a listener, given that none can be reached from outside the Pod."""
    return any(i.port == port for i in listeners or ())


def _find_address(port: int, listeners: tuple[Listener, ...] | None) -> str:
    """Return the address at which the port has a listener; one of the loopback ones if unknown."""
    return next((i.address for i in listeners or () if i.port == port and i.address), _USUAL[0])


def _make_finding(pod: Ref, said: Failure, listeners: tuple[Listener, ...] | None, snap: Facts) -> Finding:
    port, name = _find_port(said) or 0, said.container
    probe = said.operation.partition("-")[2]
    kind = PROBES[probe]
    spec = find_container_spec(pod, name, snap)
    says = say(
        "nothing listens on port {port} of {name}, the port of its {kind} probe",
        port=port,
        name=name_container(name),
        kind=kind,
    )
    if _listens_only_inside(port, listeners):
        says = say(
            "{name} listens on port {port} only at {address}, "
            "and its {kind} probe asks the Pod's own address",
            name=name_container(name),
            port=port,
            kind=kind,
            address=_find_address(port, listeners),
        )
    bound = _find_address(port, listeners)
    logged = _find_logged_ports(pod, name, snap) if listeners is None else ()
    if logged and port not in logged:
        says += tell_logged_ports(logged)
    point = (
        point_to(logged[0])
        if len(logged) == 1 and port not in logged
        else say(
            "point the probe to the program's own port, "
            "or make the program listen on that port on all addresses (0.0.0.0)"
        )
    )
    told = tell_config(find_node(pod, snap), (bound,), snap) if bound not in _USUAL else NodeWords()
    finding = Finding(
        says,
        culprit=Ref("Port", f"{pod.within}/{pod.name}", str(port)),
        blocks=(make_container_ref(pod, name), pod),
        notes=tuple(_list_notes(port, listeners, spec.ports if spec else ())),
        help=(
            Step(
                say("see which port the program reports listening on"),
                command=logs(pod, name),
            ),
            Step(
                point,
                where="source",
                verify=say("the probe succeeds within its period"),
            ),
        ),
        enrich=(Want(LastLines, make_container_ref(pod, name)), *_ask_log(pod, listeners, snap))
        if name
        else (),
        do_not=(
            DoNot(
                say("remove the probe"),
                say("traffic would be sent to a closed port"),
            ),
        ),
    )
    return add_node_words(finding, told)


def _find_logged_ports(pod: Ref, container: str | None, snap: Facts) -> tuple[int, ...]:
    """Return the ports on which a container says in its log that it listens."""
    told = (p for f in snap.of(TroubleLines, pod) for p in f.ports if p.container == container)
    return unique(p.port for p in told)


def _ask_log(pod: Ref, listeners: tuple[Listener, ...] | None, snap: Facts) -> tuple[Want, ...]:
    """Return the question about the beginning of its log, if its sockets were not seen."""
    want = Want(TroubleLines, pod)
    return (want,) if listeners is None and not snap.of(TroubleLines, pod) else ()


CAUSE = Cause(
    id="probe.port-closed",
    title=say("nothing listens on the probe's port"),
    subjects=("Pod",),
    stages=("started", "ready", "stays-up"),
    reads=frozenset({Failure, Containers, ContainerStatuses, LastLines, Listening, Placement, TroubleLines})
    | _node_config.READS,
    rule=_rule,
)
