"""The state of workloads: all desired Pods are up, on their way, or stuck on a Pod that fails to start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, format_duration
from unstuck.facts.aspects.cluster import Lease, Workload
from unstuck.facts.aspects.objects import Below, Conditions, Events, Failure, Owners, Presence
from unstuck.facts.aspects.pod import Life
from unstuck.facts.aspects.reported import Switches
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import find_node_of_pod, is_terminal
from unstuck.facts.lookup import Facts
from unstuck.knowledge.standstills import PARTITION
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.node import is_silent
from unstuck.stages.overdue import is_overdue
from unstuck.stages.pod_deletion import request_time
from unstuck.stages.state_wording import add_headline, choose_threshold
from unstuck.stages.status import TERMINATING
from unstuck.stages.switches import find_last_change

say = Messages(__name__)
# Between two Pods of a rolling update all may be ready.
_UPDATE = timedelta(hours=1)
StateOfPod = Callable[[Ref], State]


def judge_workload(
    ref: Ref, snap: Facts, workload: Workload, after: float | None, state_of_pod: StateOfPod
) -> State:
    """Return the state of a Deployment, StatefulSet, DaemonSet, ReplicaSet or Job. state_of_pod: the state
    of one of its Pods.
    """
    old = max(workload.wanted, workload.created) - workload.updated if workload.rolls else 0
    down = workload.wanted - workload.ready
    if down <= 0 and (kept := _find_held_update(ref, snap, workload)):
        return kept
    if down <= 0 and (halted := _find_halted_update(ref, snap, workload)):
        return halted
    if workload.finished or workload.suspended or (down <= 0 and old <= 0):
        return add_headline(ref, "fine", say("at its desired state"), evidence=(workload,))
    if down > 0:
        says = say("{down} of {wanted} not ready", down=down, wanted=workload.wanted)
    else:
        says = say("still runs {old} of an older template: its rollout has stalled", old=old)
    conditions = snap.one(Conditions, ref)
    times = [t for c in conditions.items for t in (c.since, c.updated) if t] if conditions else []
    present = snap.one(Presence, ref)
    begun = max(times) if times else (present.created if present else None)
    if held := _find_pod_to_be_gone(ref, snap):
        return add_headline(ref, "stuck", says + held[0], held[1], (workload, *held[2]))
    if refused := find_refused_creations(ref, snap, workload):
        # Its controller only tries the same again.
        since = min((f.first for f in refused if f.first), default=begun)
        return add_headline(
            ref, "stuck", says + say("; creating its Pods is refused"), since, (workload, *refused)
        )
    pods = [(pod, state_of_pod(pod)) for pod in _list_newest_pods(ref, snap)]
    # Its deadline is for Pods that are on their way; a stuck Pod does not come up by waiting.
    if stuck := [state for pod, state in pods if state.name == "stuck" and not is_being_deleted(pod, snap)]:
        since = min((state.since for state in stuck if state.since), default=begun)
        return add_headline(ref, "stuck", says, since, (workload, *snap.of(Below, ref)))
    # A StatefulSet or DaemonSet has no time of its own; its Pods do.
    if not times and (since := _find_start(workload, [state for _, state in pods])):
        return add_headline(ref, "progressing", says, since, (workload, *snap.of(Below, ref)))
    limit = (
        choose_threshold("workload", after)
        if after is not None or not workload.deadline
        else timedelta(seconds=min(workload.deadline, 120))
    )
    if begun and snap.now - begun < limit:
        return add_headline(ref, "progressing", says, begun, (workload,))
    return add_headline(ref, "stuck", says, begun, (workload,))


def find_refused_creations(ref: Ref, snap: Facts, workload: Workload) -> tuple[Failure, ...]:
    """Return the refusals of Pods (and of a StatefulSet's claims) that it lacks; none if one was created
    after them.
    """
    lacks = workload.created < workload.wanted or (workload.rolls and workload.updated < workload.wanted)
    refused = tuple(f for f in snap.of(Failure, ref) if f.operation == "pod-create") if lacks else ()
    times = [f.src.at for f in refused if f.src.at]
    return () if times and list_creations_after(max(times), ref, snap) else refused


def list_creations_after(at: datetime, ref: Ref, snap: Facts) -> tuple[Events, ...]:
    """Return the Events by which its controller created a Pod after a time."""
    return tuple(
        f
        for f in snap.of(Events, ref)
        if any(e.reason == "SuccessfulCreate" and e.last and e.last > at for e in f.items)
    )


def _find_held_update(ref: Ref, snap: Facts, workload: Workload) -> State | None:
    """Return that Pods keep an older template by intention: by a partition, or an update strategy of
    OnDelete.
    """
    old = workload.wanted - workload.updated
    if ref.kind not in ("StatefulSet", "DaemonSet") or old <= 0:
        return None
    says = say("{old} of {wanted} still run an older template", old=old, wanted=workload.wanted)
    if workload.strategy == "OnDelete":
        says += say(": by updateStrategy OnDelete a Pod gets the new one once it is deleted")
        return add_headline(ref, "held", says, None, (workload,))
    for fact in snap.of(Switches, ref):
        for item in fact.items:
            if item.field == PARTITION and item.value not in ("", "0"):
                says += say(
                    ": {field} is {value}, and only Pods from this number on get the new one",
                    field=item.field,
                    value=item.value,
                )
                return add_headline(ref, "held", says, None, (workload, fact))
    return None


def _find_halted_update(ref: Ref, snap: Facts, workload: Workload) -> State | None:
    """Return that a rolling update of a StatefulSet or DaemonSet does not go on, although all Pods are ready:
    its template was not changed of late.
    """
    old = workload.wanted - workload.updated
    if ref.kind not in ("StatefulSet", "DaemonSet") or workload.strategy != "RollingUpdate":
        return None
    changed = find_last_change(ref, snap)
    if old <= 0 or not workload.updated or (changed and snap.now - changed < _UPDATE):
        return None
    says = say("{old} of {wanted} still run an older template", old=old, wanted=workload.wanted)
    return add_headline(ref, "unknown", says, changed, (workload,))


def _list_newest_pods(ref: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return its Pods that have not ended for good, of a Deployment those of its newest template."""
    pods = [p for p in unique(_list_pods(ref, snap)) if not is_terminal(p, snap)]
    if ref.kind != "Deployment":
        return tuple(pods)
    # A corrected template creates new Pods beside the failed ones.
    made = [(f.created, p) for p in pods for f in snap.of(Life, p) if f.created]
    owner = _find_controller(max(made, key=lambda one: (one[0], one[1].key))[1], snap) if made else None
    return tuple(p for p in pods if owner is None or _find_controller(p, snap) == owner)


def _list_pods(ref: Ref, snap: Facts) -> Iterator[Ref]:
    yield from (snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Pod" for r in f.refs)
    if ref.kind == "Deployment":
        return
    # A scan reads the Pods that are not up without asking whose they are.
    mine = snap.canon(ref)
    yield from (
        snap.canon(f.about)
        for f in snap.every(Owners)
        if f.controller and f.about.kind == "Pod" and snap.canon(f.controller) == mine
    )


def _find_controller(pod: Ref, snap: Facts) -> Ref | None:
    return next((snap.canon(f.controller) for f in snap.of(Owners, pod) if f.controller), None)


def _find_start(workload: Workload, pods: list[State]) -> datetime | None:
    """Return since when the youngest of its Pods that are not up is on its way; None if one is missing or not
    seen.
    """
    since = [state.since for state in pods if state.name == "progressing" and state.since]
    # As many as the owner says are down; of the others nothing needs to be known.
    return max(since) if len(since) >= max(1, workload.wanted - workload.ready) else None


def _find_pod_to_be_gone(ref: Ref, snap: Facts) -> tuple[Text, datetime | None, tuple[Fact, ...]] | None:
    """Return a StatefulSet's Pod that should be gone: its name is not free, so no other Pod can take its
    place. Text, since, evidence.
    """
    if ref.kind != "StatefulSet":
        return None
    pods = [snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Pod" for r in f.refs]
    late = [(p, fact) for p in pods for fact in is_overdue(p, snap).hits]
    if not late:
        return None
    pod, fact = min(late, key=lambda one: one[0].key)
    began = request_time(fact)
    span = format_duration(snap.now - began) if began else say("long")
    says = say(": {name} {word} for {span}", name=pod.name, word=TERMINATING, span=span)
    node = find_node_of_pod(pod, snap)
    lease = snap.one(Lease, node) if node else None
    if node and is_silent(node, snap).value:
        says += say(" on Node {name}, which does not report", name=node.name)
        if lease and lease.renewed:
            quiet = format_duration(snap.now - lease.renewed)
            says += say(" (for {quiet})", quiet=quiet)
    says += say("; the same name cannot start elsewhere")
    return says, began, (fact, *((lease,) if lease else ()))
