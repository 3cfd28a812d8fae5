"""The container runtime is not running

## How it happens

The daemon behind the kubelet (containerd, dockerd with cri-dockerd, CRI-O) is stopped, crashes at its start,
or listens on another socket than the kubelet's configured one. The kubelet itself runs: it reports its Node
as not ready, and neither starts nor ends containers; running ones keep running.

## How to tell

The socket refuses the connection or is missing: `dial unix /run/containerd/containerd.sock: connect:
connection refused` (or no such file), `Cannot connect to the Docker daemon … Is the docker daemon running?`.
The daemon has no process. The Node's Ready condition says `container runtime is down`.

## Known limits

A runtime that takes the connection and does not answer is runtime.unresponsive: `container runtime is down`
is in both. Its own log shows why it does not start.

## References

- Kubernetes pkg/kubelet/runtime.go, k8s.io/cri-client pkg/remote_runtime.go (1.34)
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from unstuck.causes import _starting
from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some
from unstuck.diagnosis.text import NO_TEXT, Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import DaemonState, LogSeen
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.aspects.runtime import RuntimeAnswer
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.earlier import is_of_earlier_process, want_unread_logs
from unstuck.facts.lookup import Facts
from unstuck.stages.runtime import (
    find_daemons,
    find_end_of_readiness,
    may_wait_for_runtime,
    waits_for_runtime,
)
from unstuck.stages.waiting import find_node_under

say = Messages(__name__)

_DOWN = "container runtime is down"
# The units of distributions with a containerd of their own, by its socket (k3s and RKE2 run it as a child),
# and of cri-dockerd.
_UNITS = (
    ("/run/k3s/", ("k3s", "k3s-agent", "rke2-server", "rke2-agent")),
    ("/run/k0s/", ("k0scontroller", "k0sworker")),
    ("/microk8s/", ("snap.microk8s.daemon-containerd",)),
    ("cri-docker", ("cri-docker",)),
)
# A kubelet sets its Node to not Ready half a minute after its runtime's last answer, and reports that within
# ten seconds.
_UNHEARD = timedelta(seconds=60)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    refused: Sign[Any] = _refuses_connections(node, snap) if node else Sign(None, wants=under.wants)
    absent: Sign[DaemonState] = _find_absent(node, snap) if node and refused.value is None else Sign(None)
    answered, began = (_find_last_answer(node, subject, snap), _began(node, snap)) if node else (None, None)

    def gone(f: Failure) -> bool:
        return (
            f.error == "runtime-gone"
            and not (answered and f.src.at and f.src.at < answered)
            and not (began and f.src.at and f.src.at < began)
            and not (node and is_of_earlier_process(f, node, snap))
        )

    # A later error from the runtime shows that it answered since.
    told = [_starting.start_failures(about, snap, gone) for about in dict.fromkeys((subject, node)) if about]
    said: Sign[Failure] = any_of([s for s in told if s.value]) if any(s.value for s in told) else Sign(None)
    if node and refused.value is None:
        events = (Want(Events, node),) if said.hits and not snap.of(Events, node) else ()
        later = [Want(fact, node) for fact in (DaemonState, NodeInfo) if not snap.of(fact, node)]
        if subject.kind == "Pod" and not snap.of(ContainerStatuses, subject):
            later.append(Want(ContainerStatuses, subject))
        refused = refused._replace(
            wants=(
                *refused.wants,
                *events,
                *(later if said.hits else ()),
                *want_unread_logs(said.hits, node, snap),
            ),
        )
    return Signs(
        necessary={
            "it is a Node, or bound to one": under if not said.value else Sign(True),
            "it waits for its runtime": waits_for_runtime(subject, snap),
        },
        decisive={
            "the runtime's socket accepts no connection, or the runtime has no process": absent
            if absent.value
            else refused
        },
        supporting={"a call found no listener on the runtime's socket": said},
        finding=lambda: _make_finding(
            subject, node, refused.hits if refused.value else (), said.hits, absent.hits
        ),
    )


def _find_last_answer(node: Ref, subject: Ref, snap: Facts) -> datetime | None:
    """Return the time of its runtime's last answer, if the Node shows it: it is Ready only while the runtime
    answers. None if unknown.

    The kubelet also says when it becomes Ready (ReadyCondition in pkg/kubelet/nodestatus/setters.go). A
    started container of the subject also proves an answer of the runtime.
    """
    ready = [c for f in snap.of(Conditions, node) for c in f.items if c.type == "Ready"]
    times = [c.since for c in ready if c.status == "True" and c.since]
    held = [max(*times, snap.now - _UNHEARD)] if times and len(times) == len(ready) else []
    became = [e.last for f in snap.of(Events, node) for e in f.items if e.reason == "NodeReady" and e.last]
    begun = [
        c.since
        for f in snap.of(ContainerStatuses, subject)
        for c in f.items
        if c.state == "running" and c.since
    ]
    until = find_end_of_readiness(node, snap)
    return max((*held, *became, *begun, *([until] if until else ())), default=None)


def _began(node: Ref, snap: Facts) -> datetime | None:
    """Return the start of the daemon that its kubelet depends on, if it runs: a failure before that is
    another instance's.
    """
    mine = find_daemons(node, snap)
    runs = (
        [f.proc for f in snap.of(DaemonState, node) if f.daemon in mine and f.running]
        if len(mine) == 1
        else []
    )
    return runs[0].start if len(runs) == 1 and runs[0] else None


def _refuses_connections(node: Ref, snap: Facts) -> Sign[Any]:
    """Return yes if the kubelet's runtime takes no connection and no other socket of it answers; no if it
    answers.
    """
    mine = find_daemons(node, snap)
    facts = tuple(f for f in snap.of(RuntimeAnswer, node) if f.daemon in mine and f.for_kubelet is not False)
    taken = tuple(f for f in facts if f.accepts)
    shut = tuple(f for f in facts if not f.accepts and f.for_kubelet)
    if shut and not taken:
        return Sign(True, shut, shut, sure=any(snap.sure(f) for f in shut))
    if any(f.whole for f in taken):
        return Sign(False, seen=taken)
    # The kubelet's own message about a runtime that has not answered it for half a minute, for any reason.
    told = hearsay(
        snap,
        Conditions,
        node,
        lambda f: [c for c in f.items if c.type == "Ready" and c.status != "True" and _DOWN in c.message],
    )
    # The time when the Node became Ready outdates earlier messages.
    unread = () if snap.of(Conditions, node) else (Want(Conditions, node),)
    return Sign(None, told.hits, told.seen or facts, (Want(RuntimeAnswer, node), *unread))


def _find_absent(node: Ref, snap: Facts) -> Sign[DaemonState]:
    """Return yes if the process of the daemon that the kubelet is set to use is not among all of the Node's;
    it takes its socket with it.

    Of the stopped runtimes only that one is reported (`daemon_states` in collect/node/kubelet.py), whichever
    the Node reported last.
    """
    gone = some(
        snap, DaemonState, node, lambda f: [f] if f.whole and not f.running and f.daemon != "kubelet" else []
    )
    return only_yes(gone)


def _daemon(socket: str) -> str:
    """Return the daemon that owns the socket, by its name."""
    if "cri-docker" in socket:
        return "cri-dockerd"
    return "dockerd" if "docker" in socket else "crio" if "crio" in socket else "containerd"


def _make_finding(
    subject: Ref,
    node: Ref | None,
    shut: tuple[RuntimeAnswer, ...],
    said: tuple[Failure, ...],
    absent: tuple[DaemonState, ...],
) -> Finding:
    socket = shut[0].socket if shut else next((f.path for f in said if f.path), None)
    known = shut[0].daemon if shut else absent[0].daemon if absent else None
    daemon = known or _daemon(socket or "")
    units = next(
        (units for part, units in _UNITS if part in (socket or "")),
        ({"dockerd": "docker"}.get(daemon, daemon),),
    )
    which = say(" ({units}: the one that is enabled)", units=list_names(units)) if len(units) > 1 else NO_TEXT
    name = node.name if node else None
    where = place_on_node(name)
    on = say(" of Node {name}", name=name) if name else NO_TEXT
    return Finding(
        say(
            "{daemon}{on} is not running: nothing accepts connections at {socket}",
            daemon=daemon,
            on=on,
            socket=socket or say("its socket"),
        ),
        culprit=Ref("Runtime", name, daemon),
        blocks=tuple(dict.fromkeys((*((node,) if node else ()), subject))),
        help=(
            Step(
                say("check whether it is running, and its last log lines"),
                where=where,
                command=command(
                    "journalctl --unit={units} -n 50 --no-pager",
                    units=given.together(given.unit(u) for u in units),
                ),
            ),
            Step(
                say("start it again")
                + which
                + say(
                    ": running containers survive with containerd and CRI-O; dockerd without live-restore "
                    "restarts them"
                ),
                where=where,
                command=command("systemctl start {unit}", unit=given.unit(units[0]))
                if len(units) == 1
                else NO_COMMAND,
                risk="disrupts",
                verify=say("the node is Ready and its Pods start, within two minutes"),
            ),
        ),
        do_not=(
            DoNot(
                say("force delete Pods of this node"),
                say("their containers keep running there and nothing stops them"),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.down",
    title=say("the container runtime is not running"),
    subjects=("Pod", "Node"),
    stages=(),
    needs=may_wait_for_runtime,
    reads=_starting.READS
    | {RuntimeAnswer, Conditions, ContainerStatuses, DaemonState, LogSeen, NodeInfo, Deletion, Phase},
    rule=_rule,
)
