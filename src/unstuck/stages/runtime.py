"""Checks whether a Node's container runtime answers: for the causes about runtimes, and for causes that would
blame the kubelet.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, negate, some, unless_no
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.kubelet import Endpoint, KubeletEndpoints
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.aspects.runtime import RuntimeAnswer
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import TERMINAL
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.pod_deletion import has_final_delete
from unstuck.stages.waiting import find_node_under

_ALL = frozenset({"containerd", "dockerd", "crio", "cri-dockerd"})
# By the scheme of `containerRuntimeVersion`. docker's containers are containerd's too.
_BEHIND: Mapping[str, frozenset[str]] = {
    "containerd": frozenset({"containerd"}),
    "docker": frozenset({"dockerd", "containerd", "cri-dockerd"}),
    "cri-o": frozenset({"crio"}),
}
_BEFORE = ("", "ContainerCreating", "PodInitializing")
_ELSEWHERE: tuple[Operation, ...] = (
    "volume-set-up",
    "volume-attach",
    "image-pull",
    "container-create",
    "container-start",
    "network-set-up",
)
# A kubelet whose runtime hangs calls its Node Ready for some two minutes more.
_NOTICED = timedelta(minutes=4)
# From its last sign of life 40 to 50 s, plus half a minute before it reports a missing runtime.
_SILENT = timedelta(minutes=2)
_ASK_RUNTIME = ("/metrics", "/stats/summary", "/runningpods")


def find_daemons(node: Ref, snap: Facts) -> frozenset[str]:
    """Return the daemons that the Node's kubelet depends on; all possible ones, if they are unknown."""
    info = snap.one(NodeInfo, node)
    behind = _BEHIND.get(info.runtime.partition("://")[0]) if info else None
    if behind is not None:
        return behind
    facts = snap.of(RuntimeAnswer, node)
    own = frozenset(f.daemon for f in facts if f.for_kubelet)
    return own or _ALL - {f.daemon for f in facts if f.for_kubelet is False}


def may_wait_for_runtime(subject: Ref, snap: Facts) -> Sign[Any]:
    """Return no for a Pod that is bound to no Node, or that waits for no runtime."""
    return unless_no(find_node_under(subject, snap), waits_for_runtime(subject, snap))


def was_ready_since(failure: Failure, node: Ref | None, snap: Facts) -> bool:
    """Tell whether the Node was Ready for minutes after this failure: a silent runtime would have prevented
    that.

    Source: pkg/kubelet/nodestatus/setters.go (`ReadyCondition`), pkg/kubelet/runtime.go (`runtimeErrors`).
    """
    ready = (
        next((c for f in snap.of(Conditions, node) for c in f.items if c.type == "Ready"), None)
        if node
        else None
    )
    if failure.src.at is None or ready is None or node is None:
        return False
    if ready.status == "Unknown" and find_end_of_readiness(node, snap) is None:
        return False
    last = ready.updated if ready.status == "True" else ready.since
    return last is not None and last - failure.src.at > _NOTICED


def find_end_of_readiness(node: Ref, snap: Facts) -> datetime | None:
    """Return the end of readiness of a Node whose kubelet is silent; None for any other reason, and if the
    kubelet had already reported not ready.

    A Node becomes Unknown 40 to 50 s after its kubelet's last sign of life
    (pkg/controller/nodelifecycle/node_lifecycle_controller.go).
    """
    silent = [
        c.since
        for f in snap.of(Conditions, node)
        for c in f.items
        if c.type == "Ready" and c.status == "Unknown" and c.since
    ]
    told = [e for f in snap.of(Events, node) for e in f.items if e.last]
    became = max((e.last for e in told if e.reason == "NodeReady" and e.last), default=None)
    fell = [
        e.last for e in told if e.reason == "NodeNotReady" and e.reporter.startswith("kubelet") and e.last
    ]
    if not silent or any(became is None or at > became for at in fell):
        return None
    return min(silent) - _SILENT


def are_daemons_known(node: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the daemons that the Node's kubelet depends on are known; never a no. If not, an unknown
    daemon may be the hung one.
    """
    named = tuple(f for f in snap.of(NodeInfo, node) if f.runtime.partition("://")[0] in _BEHIND)
    used = tuple(f for f in snap.of(RuntimeAnswer, node) if f.for_kubelet)
    known = (*named, *used)
    return Sign(True, known, known) if known else Sign(None, wants=(Want(NodeInfo, node),))


def find_silent_runtime(node: Ref, snap: Facts, mine: frozenset[str] | None = None) -> Sign[RuntimeAnswer]:
    """Return yes if one of these daemons accepts connections and twice left a cheap call unanswered; no if
    each known daemon answers.

    mine: None stands for all daemons.
    """
    facts = tuple(f for f in snap.of(RuntimeAnswer, node) if mine is None or f.daemon in mine)
    bad = tuple(f for f in facts if f.accepts and f.answers is False)
    if bad:
        return Sign(True, bad, bad, sure=any(snap.sure(f) for f in bad))
    well = tuple(f for f in facts if f.whole and f.answers)
    return Sign(False, seen=well) if well else Sign(None, seen=facts, wants=(Want(RuntimeAnswer, node),))


def find_stopped_runtime(node: Ref, snap: Facts, mine: frozenset[str] | None = None) -> Sign[DaemonState]:
    """Return yes if the process of one of these daemons is in state T; never a no, because a daemon may hang
    in other states too.
    """
    facts = tuple(f for f in snap.of(DaemonState, node) if f.daemon in (_ALL if mine is None else mine))
    bad = tuple(f for f in facts if f.running and f.stopped)
    if bad:
        return Sign(True, bad, bad, sure=any(snap.sure(f) for f in bad))
    return Sign(None, seen=facts, wants=() if facts else (Want(DaemonState, node),))


def is_unresponsive(node: Ref, snap: Facts, mine: frozenset[str] | None = None) -> Sign[Any]:
    """Return yes if one of these daemons is suspended or silent; no if they answer."""
    silent, stopped = find_silent_runtime(node, snap, mine), find_stopped_runtime(node, snap, mine)
    yes = any_of([silent, stopped])
    if yes.value:
        return yes
    return (
        silent
        if silent.value is False
        else Sign(None, seen=silent.seen, wants=(*stopped.wants, *silent.wants))
    )


def waits_for_runtime(subject: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the subject still waits for its container runtime.

    A Pod being deleted waits until its phase is terminal, a starting Pod until the first of its containers
    was tried; a Node always waits.
    """
    if subject.kind == "Node":
        return Sign(True)
    ending = is_being_deleted(subject, snap)
    if ending is None:
        return Sign(None, wants=(Want(Deletion, subject),))
    if ending:
        over = some(snap, Phase, subject, lambda f: [f] if f.phase in TERMINAL else [])
        return all_of([negate(has_final_delete(subject, snap)), negate(over)])
    tried = some(
        snap,
        ContainerStatuses,
        subject,
        lambda f: [s for s in f.items if s.container_id or s.reason not in _BEFORE],
    )
    pending = some(snap, Phase, subject, lambda f: [f] if f.phase == "Pending" else [])
    return all_of([negate(tried), pending])


def fails_elsewhere(subject: Ref, snap: Facts) -> Sign[Failure]:
    """Return yes if a Pod's start failed for a reason other than a silent runtime; never a no."""
    return hearsay(snap, Failure, subject, lambda f: [f] if f.operation in _ELSEWHERE else [])


def find_hanging_endpoints(node: Ref, snap: Facts) -> Sign[Endpoint]:
    """Return yes if the kubelet's paths that ask the runtime hang while others answer. Never a no."""

    def hang(fact: KubeletEndpoints) -> list[Endpoint]:
        hung = [e for e in fact.items if e.seconds is None and e.path.startswith(_ASK_RUNTIME)]
        return hung if any(e.seconds is not None for e in fact.items) else []

    return hearsay(snap, KubeletEndpoints, node, hang)
