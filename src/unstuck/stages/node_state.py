"""Judges a Node: by its own report, by the start of its Pods, and by pending drains."""

from __future__ import annotations

from datetime import datetime, timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import Messages, Text, format_duration, list_names, same_in_both
from unstuck.facts.aspects.cluster import Lease, NodeShape
from unstuck.facts.aspects.disruption import Evictions
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Failure, Owners
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.knowledge.conditions import find_tone
from unstuck.knowledge.startup_taints import StartupTaint, find_startup_taint
from unstuck.stages.hold import find_cordon_origin as cordoned_by
from unstuck.stages.lines import is_being_deleted, list_stages
from unstuck.stages.pod_state import judge_starting_pod
from unstuck.stages.remarks import find_remarks, tell_remark
from unstuck.stages.runtime import find_daemons, is_unresponsive
from unstuck.stages.signing import find_waiting_requests
from unstuck.stages.state_wording import add_headline
from unstuck.stages.static_pods import find_rejected_manifests
from unstuck.stages.switches import find_writer

say = Messages(__name__)
_WAITING = timedelta(minutes=2)
# The time for the preparation of a Node that has just become Ready.
STARTING = timedelta(minutes=2)
_KEEPS_AWAY = ("NoSchedule", "NoExecute")
# A budget allows no eviction for a moment after each move of its Pods; kubectl drain retries every 5 s.
_MOVING = timedelta(seconds=60)
_SEVERAL = 2
_SYSTEM = "kube-system"
_CORDONED_WORD = "Ready,SchedulingDisabled"
_CORDONED = say("{word}: cordoned", word=_CORDONED_WORD)
_BEFORE_SANDBOX = ("", "ContainerCreating", "PodInitializing")


@record()
class StarvingPods(Record):
    """Pods of a Node that have waited long for their sandbox, and since when the first of them does."""

    pods: tuple[Ref, ...]
    since: datetime
    seen: tuple[Fact, ...]


def judge_node(node: Ref, snap: Facts) -> State:
    """Return the Node's state at the Snapshot's time: stuck if it is not Ready, silent, Ready but starting
    nothing, or impossible to drain.
    """
    conditions = snap.one(Conditions, node)
    ready = conditions.get("Ready") if conditions else None
    if conditions is None or ready is None:
        logs = tuple(f for f in snap.of(LogSeen, node) if f.worst)
        # A row of `kubectl get nodes` does not tell False from Unknown.
        if row := next(
            (f for f in snap.of(Failure, node) if f.operation == "node-ready" and f.reporter == "kubectl"),
            None,
        ):
            return add_headline(node, "stuck", same_in_both("NotReady"), None, (row, *logs), word="NotReady")
        return add_headline(node, "unknown", say("its conditions were not seen"), None, logs)
    if ready.status != "True":
        says = same_in_both("NotReady")
        if ready.since:
            span = format_duration(snap.now - ready.since)
            says += say(" for {span}", span=span)
        if ready.status != "False":
            says += say(": it no longer reports")
        return add_headline(node, "stuck", says, ready.since, (conditions,), word="NotReady")
    lease = snap.one(Lease, node)
    if lease and lease.renewed and snap.now - lease.renewed > timedelta(seconds=lease.duration):
        span = format_duration(snap.now - lease.renewed)
        says = say("Ready, but has not renewed its lease for {span}", span=span)
        return add_headline(node, "stuck", says, lease.renewed, (conditions, lease), word="Ready")
    return _judge_ready(node, snap, conditions, ready.since)


def _judge_ready(node: Ref, snap: Facts, conditions: Conditions, since: datetime | None) -> State:
    waiting = find_starving(node, snap)
    if waiting:
        span = format_duration(snap.now - waiting.since)
        count = len(waiting.pods)
        says = say("Ready, but has started no Pod for {span}; {count} Pods wait", span=span, count=count)
        return add_headline(node, "stuck", says, waiting.since, (conditions, *waiting.seen), word="Ready")
    hung = is_unresponsive(node, snap, find_daemons(node, snap))
    if hung.value and hung.sure:
        says = say("Ready, but its container runtime does not answer")
        return add_headline(node, "stuck", says, None, (conditions, *hung.seen), word="Ready")
    cordoned = next((f for f in snap.of(NodeShape, node) if f.cordoned), None)
    if cordoned is None:
        return (
            _make_ill_state(node, conditions, same_in_both("Ready"))
            or _make_missing_daemon_state(node, snap, conditions)
            or _judge_without_static_pod(node, snap, conditions)
            or _judge_unprepared(node, snap, conditions, since)
            or _judge_uncertified(node, snap, conditions)
            or _make_reserved_state(node, snap, conditions, since)
        )
    seen = (conditions, cordoned)
    by, at = cordoned_by(node, snap)
    return (
        _make_ill_state(node, conditions, _CORDONED + by)
        or _judge_blocked_drain(node, snap, seen)
        or add_headline(node, "held", _CORDONED + by, at, seen, word=_CORDONED_WORD)
    )


def _make_ill_state(node: Ref, conditions: Conditions, says: Text) -> State | None:
    """Return the state by the Node's other conditions: under pressure it evicts Pods and accepts no more,
    yet reports Ready.
    """
    told = [c for c in conditions.items if find_tone("Node", c.type, c.status, c.reason) == "ill"]
    if not told:
        return None
    says += say(", but reports {names}", names=list_names(c.type for c in told))
    return add_headline(
        node,
        "stuck",
        says,
        min((c.since for c in told if c.since), default=None),
        (conditions,),
        word="Ready",
    )


def _make_missing_daemon_state(node: Ref, snap: Facts, conditions: Conditions) -> State | None:
    """Return the state of a Node with a stuck Pod that every Node needs."""
    lost = find_lost_daemons(node, snap)
    if not lost:
        return None
    pod, state = lost[0]
    says = say("Ready, but {within}/{name} is not: ", within=pod.within, name=pod.name)
    return add_headline(
        node,
        "stuck",
        says + (state.says or state.headline),
        state.since,
        (conditions, *state.evidence),
        word="Ready",
    )


def _judge_without_static_pod(node: Ref, snap: Facts, conditions: Conditions) -> State | None:
    """Return the state of a Node whose kubelet rejects the manifest of a static Pod."""
    rejected = find_rejected_manifests(node, snap)
    if not rejected.value:
        return None
    first = rejected.hits[0]
    says = say("Ready, but its kubelet does not start the static Pod of {path}", path=first.path or "")
    return add_headline(node, "stuck", says, first.first, (conditions, *rejected.seen), word="Ready")


def find_startup_taints(shape: NodeShape) -> list[StartupTaint]:
    """Return the Node's taints that a controller removes automatically once the Node is prepared."""
    return [row for t in shape.taints if t.effect in _KEEPS_AWAY and (row := find_startup_taint(t.key))]


def _judge_unprepared(node: Ref, snap: Facts, conditions: Conditions, since: datetime | None) -> State | None:
    """Return the state of a Node that gets no new Pods because of its startup taint."""
    shape = next((f for f in snap.of(NodeShape, node) if find_startup_taints(f)), None)
    if shape is None:
        return None
    first = find_startup_taints(shape)[0]
    says = say(
        "Ready, but no Pod is placed on it until {by} takes taint {taint} away", by=first.by, taint=first.key
    )
    late = since is not None and snap.now - since >= STARTING
    return add_headline(
        node, "stuck" if late else "progressing", says, since, (conditions, shape), word="Ready"
    )


def _make_reserved_state(node: Ref, snap: Facts, conditions: Conditions, since: datetime | None) -> State:
    """Return the state of a healthy Node, with the taints that repel Pods."""
    shape = next(
        (f for f in snap.of(NodeShape, node) if any(t.effect in _KEEPS_AWAY for t in f.taints)), None
    )
    if shape is None:
        return add_headline(node, "fine", same_in_both("Ready"), since, (conditions,), word="Ready")
    taints = (
        f"{t.key}{'=' if t.value else ''}{t.value}:{t.effect}"
        for t in shape.taints
        if t.effect in _KEEPS_AWAY
    )
    says = say("Ready; it takes only Pods that tolerate {taints}", taints=list_names(taints))
    by, _ = find_writer(node, "spec.taints", snap)
    if by:
        says += say(" (written by {manager})", manager=by)
    seen = (conditions, shape, *find_remarks(node, snap))
    return add_headline(node, "fine", says + tell_remark(node, snap), since, seen, word="Ready")


def _judge_uncertified(node: Ref, snap: Facts, conditions: Conditions) -> State | None:
    """Return the state of a Node with an unanswered certificate request of its kubelet."""
    waits = find_waiting_requests(node, snap)
    if not waits.value:
        return None
    first = waits.hits[0]
    says = say(
        "Ready, but its request {request} to signer {signer} is unanswered",
        request=first.about.name,
        signer=first.signer,
    )
    return add_headline(node, "stuck", says, None, (conditions, *waits.seen, first), word="Ready")


def find_lost_daemons(node: Ref, snap: Facts) -> list[tuple[Ref, State]]:
    """Return the Node's stuck Pods of system DaemonSets (its network, its proxy, its storage), among those
    seen.
    """
    pods = sorted(
        {snap.canon(r) for f in snap.of(Below, node) if f.kind == "Pod" for r in f.refs}, key=lambda r: r.key
    )
    ours = [
        p
        for p in pods
        if p.within == _SYSTEM
        and any(f.controller and f.controller.kind == "DaemonSet" for f in snap.of(Owners, p))
    ]
    states = (
        (p, judge_starting_pod(p, snap, list_stages(p, snap), None))
        for p in ours
        if is_being_deleted(p, snap) is False
    )
    return [(p, state) for p, state in states if state.name == "stuck"]


def _judge_blocked_drain(node: Ref, snap: Facts, seen: tuple[Fact, ...]) -> State | None:
    """Return the state of a cordoned Node with Pods that may not be evicted. It does not say whether a drain
    is running, only that no drain would finish.
    """
    told = [f for f in snap.of(Evictions, node) if f.items]
    held = [g for f in told for g in f.items]
    if not held:
        return None
    count = len({g.pod for g in held})
    since = min((g.since for g in held if g.since), default=None)
    if since and snap.now - since < _MOVING and not any(g.every for g in held):
        says = _CORDONED + say("; {count} {count:Pod|Pods} may not be evicted yet", count=count)
        return add_headline(node, "progressing", says, since, (*seen, *told), word=_CORDONED_WORD)
    says = _CORDONED + say(
        ", but cannot be drained: {count} {count:Pod|Pods} may not be evicted", count=count
    )
    if since:
        span = format_duration(snap.now - since)
        says += say(", for {span}", span=span)
    return add_headline(node, "stuck", says, since, (*seen, *told), word=_CORDONED_WORD)


def find_starving(node: Ref, snap: Facts) -> StarvingPods | None:
    """Return Pods that have waited two minutes for their sandbox while nothing on the Node was started; None
    unless there are two or more.

    Also None if not all Pods of the Node were seen: another one may have been started meanwhile.
    """
    below = [f for f in snap.of(Below, node) if f.kind == "Pod"]
    if not any(f.whole for f in below):
        return None
    pods = [snap.canon(r) for f in below for r in f.refs]
    waiting = {
        p: bound
        for p in pods
        if (bound := _bind_time(p, snap)) and _lacks_sandbox(p, snap) and snap.now - bound >= _WAITING
    }
    if len(waiting) < _SEVERAL:
        return None
    since = min(waiting.values())
    started = [s.since for p in pods for s in list_statuses(p, snap) if s.state == "running" and s.since]
    if any(at > since for at in started):
        return None
    seen = tuple(f for p in sorted(waiting, key=lambda r: r.key) for f in snap.of(Conditions, p))
    return StarvingPods(tuple(sorted(waiting, key=lambda r: r.key)), since, seen)


def _bind_time(pod: Ref, snap: Facts) -> datetime | None:
    """Return the time when the scheduler bound the Pod; None for a Pod that is being deleted."""
    if any(f.requested for f in snap.of(Deletion, pod)):
        return None
    found = [c for f in snap.of(Conditions, pod) if (c := f.get("PodScheduled"))]
    return next((c.since for c in found if c.status == "True"), None)


def _lacks_sandbox(pod: Ref, snap: Facts) -> bool:
    made = any(
        c.status == "True" for f in snap.of(Conditions, pod) if (c := f.get("PodReadyToStartContainers"))
    )
    seen = list_statuses(pod, snap)
    return not made and bool(seen) and all(s.state == "waiting" and s.reason in _BEFORE_SANDBOX for s in seen)
