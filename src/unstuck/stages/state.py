"""Decides whether an object is fine, progressing, stuck or unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache
from types import MappingProxyType

from unstuck.diagnosis.answer import Stage, State, StateName
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, format_duration, list_names, same_in_both
from unstuck.facts.aspects.cluster import ApiService, Workload
from unstuck.facts.aspects.objects import Below, Deletion, Events, Owners, Phase, Presence
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import is_terminal
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.vocabulary.kinds import WEBHOOKS
from unstuck.knowledge.standstills import RECLAIM_POLICY
from unstuck.stages.backends import depends_on, judge_conversion, judge_empty, judge_served_by_others
from unstuck.stages.certificates import find_unfit_certificates, judge_certificates
from unstuck.stages.claim_state import judge_claim
from unstuck.stages.consumers import judge_device_claim
from unstuck.stages.counterparts import judge_counterparts
from unstuck.stages.due import judge_due, judge_owned
from unstuck.stages.hold import apply_hold
from unstuck.stages.job_state import judge_cron_job, judge_failed_job
from unstuck.stages.keys import judge_shown_secrets
from unstuck.stages.lease import judge_lease
from unstuck.stages.lines import is_being_deleted, list_stages, stop_evidence
from unstuck.stages.messages import find_messages_about
from unstuck.stages.namespace_deletion import find_evidence_of_emptiness
from unstuck.stages.node_state import judge_node
from unstuck.stages.pod_deletion import request_time
from unstuck.stages.pod_state import judge_starting_pod
from unstuck.stages.port_protocols import find_other_protocols
from unstuck.stages.references import find_references, judge_by_references, looks_at_targets, tell_held_target
from unstuck.stages.reported_state import find_outright_conditions, judge_by_status, list_own_words
from unstuck.stages.selecting import judge_selected, judge_selection
from unstuck.stages.signing import judge_request
from unstuck.stages.state_wording import add_headline, choose_threshold
from unstuck.stages.status import TERMINATING
from unstuck.stages.switches import find_setting
from unstuck.stages.told_state import judge_account, judge_text, judge_webhook
from unstuck.stages.uneven_ports import find_refusing_pods
from unstuck.stages.unwritten import judge_unwritten
from unstuck.stages.used import judge_used
from unstuck.stages.warnings import find_warnings
from unstuck.stages.workload_state import judge_workload

say = Messages(__name__)
_NAMED = 3
# The deletion of a volume's storage waits for its detachment.
_RECLAIMED = timedelta(minutes=15)
# Phases of an object that is as it should be (kubernetes core/v1, PersistentVolumePhase).
_HELD_WELL: Mapping[str, tuple[str, ...]] = MappingProxyType({"PersistentVolume": ("Available", "Bound")})


def judge_state(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None = None) -> State:
    """Return the subject's state at the Snapshot's time. after: `--after`, seconds that replace every
    threshold.

    For an object without a line of stages to place a statement on, the statement is among its evidence.
    """
    state = _state(ref, snap, stages, after)
    if stages or state.name not in ("stuck", "unknown"):
        return state
    return replace(
        state,
        evidence=unique((*state.evidence, *find_messages_about(ref, snap))),
        own=state.own or list_own_words(ref, snap),
    )


def _state(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None) -> State:
    if unreadable := tuple(f for f in snap.of(Unreadable, ref) if f.whole):
        return add_headline(ref, "stuck", say("stored, but cannot be read"), evidence=unreadable)
    if is_being_deleted(ref, snap):
        return _make_deletion_state(ref, snap, after)
    if ref.kind == "Pod" and stages and stages[0].id == "requested":
        return _make_vanishing_state(ref, snap)
    if ref.kind == "Pod":
        return judge_starting_pod(ref, snap, stages, after)
    if ref.kind == "Node":
        return judge_node(ref, snap)
    alone = cache(lambda other: judge_state_alone(other, snap, after))
    state = judge_state_alone(ref, snap, after)
    ill = state.name in ("stuck", "unknown")
    # If its controller has stopped at its own trouble, references come second at most.
    own_trouble = state.name == "stuck" and find_outright_conditions(ref, snap)
    if state.name != "held" and not own_trouble and (referred := judge_by_references(ref, snap, alone)):
        state = referred
    state = tell_held_target(ref, snap, state, alone)
    if state.name == "fine" and (unfit := judge_certificates(ref, snap) or judge_shown_secrets(ref, snap)):
        state = unfit
    state = judge_due(ref, snap, judge_selected(ref, snap, judge_selection(ref, snap, state)))
    state = judge_counterparts(ref, snap, state)
    state = judge_used(ref, snap, judge_owned(ref, snap, state, alone), _make_pod_judge(snap, after))
    # Only the content of a Namespace shows whether all is well with it.
    wants = (
        (Want(Below, ref),)
        if ref.kind == "Namespace"
        else (
            *depends_on(ref, snap),
            *looks_at_targets(ref, snap, alone, ill=ill),
            *find_unfit_certificates(ref, snap).wants,
        )
    )
    return replace(state, wants=unique((*state.wants, *wants))) if wants else state


def judge_state_alone(ref: Ref, snap: Facts, after: float | None = None) -> State:
    """Return the state of an object that is not being deleted, without following its references."""
    state = judge_state_unheld(ref, snap, after)
    return apply_hold(
        state,
        ref,
        snap,
        lambda other: judge_state(other, snap, (), after),
        lambda other: judge_state_unheld(other, snap, after),
    )


def judge_state_unheld(ref: Ref, snap: Facts, after: float | None) -> State:
    """Return its own state, regardless of holds."""
    known = _judge_kind(ref, snap, after)
    # A trouble shown by its kind's own numbers says more than its conditions.
    if known is None or known.name in ("fine", "unknown"):
        known = _own_state(ref, snap, after, known)
    return known or judge_unwritten(ref, snap, after) or _make_presence_state(ref, snap)


def _judge_kind(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Return the state by rules of the subject's kind; None if there are none, or too little was seen."""
    if ref.kind in ("PersistentVolumeClaim", "ResourceClaim"):
        return _claim(ref, snap, after)
    if workload := snap.one(Workload, ref):
        return judge_failed_job(ref, snap) or _judge_workload(ref, snap, workload, after)
    if ref.kind == "CronJob":
        return judge_cron_job(ref, snap, lambda job, told: _judge_workload(job, snap, told, after))
    if ref.kind == "Namespace":
        return _judge_namespace(ref, snap, after)
    judge = _BY_KIND.get(ref.kind)
    return judge(ref, snap) if judge else None


def _judge_workload(ref: Ref, snap: Facts, workload: Workload, after: float | None) -> State:
    return judge_workload(ref, snap, workload, after, _make_pod_judge(snap, after))


def _claim(ref: Ref, snap: Facts, after: float | None) -> State | None:
    of_pod = _make_pod_judge(snap, after)
    return (
        judge_claim(ref, snap, after, of_pod)
        if ref.kind == "PersistentVolumeClaim"
        else judge_device_claim(ref, snap, of_pod)
    )


def _make_pod_judge(snap: Facts, after: float | None) -> Callable[[Ref], State]:
    return lambda pod: judge_state(pod, snap, list_stages(pod, snap), after)


def _own_state(ref: Ref, snap: Facts, after: float | None, known: State | None) -> State | None:
    """Return the state that it reports itself, if that says more: it is not fine, or nothing else is known of
    it.

    An unseen part (`unknown`) hides no reported trouble.
    """
    told = judge_by_status(ref, snap, after)
    if told is None or known is None:
        return told or known
    more = told.name == "stuck" if known.name == "unknown" else told.name != "fine"
    return told if more else known


def _find_volume(ref: Ref, snap: Facts) -> State | None:
    """Return a PersistentVolume that is Failed, or Released while the deletion of its storage fails
    (external-provisioner leaves its phase).

    Said once, it may have been asked for before the volume was detached, as it usually is.
    """
    phases = snap.of(Phase, ref)
    if failed := [f for f in phases if f.phase == "Failed"]:
        return add_headline(ref, "stuck", same_in_both("Failed"), evidence=(failed[0],), word="Failed")
    said = tuple(
        f
        for f in snap.of(Events, ref)
        if sum(e.count for e in f.items if e.reason == "VolumeFailedDelete") > 1
    )
    released = [f for f in phases if f.phase == "Released"]
    kept = find_setting(ref, snap, RECLAIM_POLICY, "Retain")
    if released and kept and not said:
        says = say(
            "Released: its claim is gone, and by persistentVolumeReclaimPolicy Retain it keeps its data "
            "until an administrator decides"
        )
        return add_headline(ref, "held", says, evidence=(released[0], kept[0]), word="Released")
    if said and released:
        says = say("Released, and deleting it fails")
        return add_headline(ref, "stuck", says, evidence=(released[0], *said), word="Released")
    return _judge_unreclaimed(ref, snap) if released else None


def _judge_unreclaimed(ref: Ref, snap: Facts) -> State | None:
    """Return a volume that should have been deleted with its claim, by its reclaim policy, long ago."""
    for fact in snap.of(Reported, ref):
        since = next((w.since for w in fact.words if w.field == "status.lastPhaseTransitionTime"), None)
        if since and snap.now - since >= _RECLAIMED:
            says = say(
                "Released for {span}: its claim is gone, and by persistentVolumeReclaimPolicy Delete it "
                "should be deleted",
                span=format_duration(snap.now - since),
            )
            return add_headline(ref, "stuck", says, since, (fact,), word="Released")
    return None


def _judge_api_service(ref: Ref, snap: Facts) -> State | None:
    """Return an APIService that is not available, in the aggregator's word for it."""
    fact = next((f for f in snap.of(ApiService, ref) if f.available is False), None)
    if fact is None:
        return None
    says = say("not available: {reason}", reason=fact.reason) if fact.reason else say("not available")
    return add_headline(ref, "stuck", says, fact.since, (fact,))


def _make_presence_state(ref: Ref, snap: Facts) -> State:
    """Judge an object whose presence alone is known."""
    present = snap.one(Presence, ref)
    if present and present.exists and present.whole:
        if is_being_deleted(ref, snap) is None:
            says = say("exists; whether it is being deleted was not seen")
            return add_headline(ref, "unknown", says, evidence=(present,))
        if phase := next((f for f in snap.of(Phase, ref) if f.phase in _HELD_WELL.get(ref.kind, ())), None):
            return add_headline(ref, "fine", same_in_both(phase.phase), evidence=(phase,), word=phase.phase)
        if named := _list_found_targets(ref, snap):
            return add_headline(ref, "fine", say("what it refers to exists"), evidence=(present, *named))
        if warned := find_warnings(ref, snap, lasting=False):
            says = say(
                "says nothing of itself, and its newest event warns: {event}",
                event=warned[0].field.removeprefix("event "),
            )
            told = add_headline(ref, "unknown", says, warned[0].since, (warned[0].fact,))
            return replace(told, own=warned)
        # Nothing of it was found to be wrong, as nothing else of it is judged: it is not well for that.
        says = say("exists and is not being deleted; nothing else of it is judged")
        return replace(add_headline(ref, "fine", says, evidence=(present,)), unjudged=True)
    return add_headline(ref, "unknown", say("too little was seen of it"))


def _list_found_targets(ref: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return that all targets that it needs exist; nothing if it needs none, or one is not known to be
    there.
    """
    targets = [
        next((f for f in snap.of(Presence, r.to) if f.exists), None)
        for r in find_references(ref, snap)
        if r.required
    ]
    return unique(f for f in targets if f) if targets and all(targets) else ()


def _make_vanishing_state(ref: Ref, snap: Facts) -> State:
    """Judge a Pod that seems to be ending although no deletion was seen."""
    if seen := stop_evidence(ref, snap):
        says = say("ended, stopped by its kubelet; whether it is being deleted was not seen")
        return add_headline(ref, "unknown", says, evidence=seen)
    return add_headline(ref, "unknown", say("its cleanup fails; its deletion was not seen"))


def _make_deletion_state(ref: Ref, snap: Facts, after: float | None) -> State:
    # Of several facts about it, prefer one with a time.
    fact = min((f for f in snap.of(Deletion, ref) if f.requested), key=lambda f: f.due is None)
    began = request_time(fact)
    if fact.due is None or began is None:
        return add_headline(
            ref, "stuck", say("Terminating (start time unknown)"), evidence=(fact,), word=TERMINATING
        )
    span = format_duration(snap.now - began)
    says = say("{word} for {span}", word=TERMINATING, span=span)
    over = snap.now - fact.due
    if over < timedelta(0):
        left = format_duration(-over)
        tail = say("; its grace period ends in {left}", left=left)
        return add_headline(ref, "progressing", says + tail, began, (fact,), word=TERMINATING)
    if fact.grace:
        grace = format_duration(timedelta(seconds=fact.grace))
        says += say(" (grace period was {grace})", grace=grace)
    empty = find_evidence_of_emptiness(ref, snap) if ref.kind == "Namespace" else ()
    if empty:
        says += say(": it is empty as far as it can be listed, but the API cannot be listed completely")
    name: StateName = (
        "stuck"
        if over >= choose_threshold("namespace" if ref.kind == "Namespace" else "deleting", after)
        else "progressing"
    )
    return add_headline(ref, name, says, began, (fact, *empty), word=TERMINATING)


def _judge_service(ref: Ref, snap: Facts) -> State | None:
    """Tell whether it has Pods to send to, or, without a selector, endpoints."""
    spec, pods = snap.one(ServiceSpec, ref), snap.one(ServicePods, ref)
    if (spec is None or spec.selector) and (pods is None or not (pods.whole or pods.matched)):
        # A text shows some of the Pods: whether any is behind it, its endpoints tell.
        if empty := judge_empty(ref, snap):
            return empty
        pods = None
    if spec is None:
        return None
    if spec.outside:
        says = say("stands for a name outside the cluster, which is not checked")
        return None if find_references(ref, snap) else add_headline(ref, "fine", says, evidence=(spec,))
    if not spec.selector:
        return judge_served_by_others(ref, spec, snap)
    if pods is None:
        return add_headline(ref, "unknown", say("the Pods behind it were not seen"), evidence=(spec,))
    ready = sum(p.ready for p in pods.matched)
    names = {name for p in pods.matched for name, _ in p.ports}
    lost = next((p for p in spec.ports if not p.target.isdecimal() and p.target not in names), None)
    if ready and lost:
        says = say("does not serve its port {port}", port=lost.port)
        return add_headline(ref, "stuck", says, evidence=(spec, pods))
    if ready and (other := find_other_protocols(ref, snap)).value:
        one = other.hits[0]
        says = say("{ready} ready Pods", ready=ready) + say(
            "; its port {port} is {sent}, and they declare {number} for {declared}",
            port=one.port.port,
            sent=one.port.protocol,
            number=one.number,
            declared=list_names(one.declared),
        )
        return add_headline(ref, "stuck" if one.lost or one.probed else "unknown", says, evidence=other.seen)
    refused = find_refusing_pods(ref, snap)
    if ready and refused.hits:
        uneven = refused.hits[0]
        says = say("{ready} ready Pods", ready=ready) + say(
            "; {lacks} does not declare port {target}, which {declares} does",
            lacks=uneven.lacks.name,
            target=uneven.port.target,
            declares=uneven.declares.name,
        )
        return add_headline(ref, "stuck" if refused.value else "unknown", says, evidence=refused.seen)
    if ready:
        return add_headline(ref, "fine", say("{ready} ready Pods", ready=ready), evidence=(pods,))
    if pods.matched:
        n = len(pods.matched)
        return add_headline(ref, "stuck", say("none of its {n} Pods is ready", n=n), evidence=(pods,))
    return add_headline(ref, "stuck", say("no Pod to send to"), evidence=(spec, pods))


def _judge_namespace(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Return that something in the Namespace is stuck; None if nothing is, or nothing was read."""
    inside = unique(snap.canon(r) for f in snap.of(Below, ref) for r in f.refs)
    # A Pod that has failed was replaced by its controller, which tells whether that helped.
    asked = (
        r
        for r in sorted(inside, key=lambda r: r.key)
        if not (is_terminal(r, snap) and any(f.controller for f in snap.of(Owners, r)))
    )
    states = ((r, judge_state(r, snap, list_stages(r, snap), after)) for r in asked)
    stuck = [(r, state) for r, state in states if state.name == "stuck"]
    if not stuck:
        return None
    names = list_names(f"{r.kind} {r.name}" for r, _ in stuck[:_NAMED])
    more = len(stuck) - _NAMED
    says = say("{count} stuck in it: {names}", count=len(stuck), names=names)
    if more > 0:
        says += say(" and {more} more", more=more)
    since = min((state.since for _, state in stuck if state.since), default=None)
    return add_headline(
        ref, "stuck", says, since, tuple(dict.fromkeys(f for f in snap.of(Below, ref) if f.refs))
    )


_BY_KIND: Mapping[str, Callable[[Ref, Facts], State | None]] = MappingProxyType(
    {
        "Service": _judge_service,
        "CustomResourceDefinition": judge_conversion,
        "Lease": judge_lease,
        "APIService": _judge_api_service,
        "CertificateSigningRequest": judge_request,
        **dict.fromkeys(WEBHOOKS, judge_webhook),
        "ServiceAccount": judge_account,
        "Text": judge_text,
        "PersistentVolume": _find_volume,
    }
)
