"""Finds the setting by which an object was stopped on purpose, with its writer and time if `managedFields`
show them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, make_text, same_in_both, who
from unstuck.facts.aspects.cluster import NodeShape, Workload
from unstuck.facts.aspects.disruption import DisruptionBudget
from unstuck.facts.aspects.objects import Conditions, Labels, Owners, Presence, Touches
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.knowledge.conditions import find_tone, names_approval
from unstuck.knowledge.standstills import APPROVED, QUEUE, QUEUE_LABEL, RUNS
from unstuck.knowledge.status_words import find_word_tone
from unstuck.stages.approval import find_approval
from unstuck.stages.lifting import find_hold_field, judge_deciders
from unstuck.stages.remarks import find_remarks, tell_remark
from unstuck.stages.reported_state import list_own_words
from unstuck.stages.state_wording import add_headline
from unstuck.stages.switches import describe_writer, find_setting, find_stops

say = Messages(__name__)


@record()
class Hold(Record):
    """says: the action, its author and its time. since: its latest possible time. lifted_by: the object that
    should end it, if any.

    wants: the facts that would show more about that object.
    """

    says: Text
    since: datetime | None
    evidence: tuple[Fact, ...]
    lifted_by: Ref | None = None
    wants: tuple[Want, ...] = ()


def find_hold(ref: Ref, snap: Facts) -> Hold | None:
    """Return the hold on the object; None if there is none, or if its controller cannot be stopped this
    way.
    """
    # Replicas kept at 0 by a controller are no hold: an old ReplicaSet of a Deployment.
    owned = any(f.controller for f in snap.of(Owners, ref))
    if any(f.finished for f in snap.of(Workload, ref)):
        return None
    for fact, item, switch in find_stops(ref, snap):
        if item.field.startswith("status."):
            reported = _find_reported_hold(ref, snap)
            return Hold(make_text(switch.says), reported.since if reported else None, (fact,))
        if item.field == "spec.suspend" and (queued := _find_queue_hold(ref, snap, fact)):
            return queued
        if item.field == APPROVED:
            approval = find_approval(ref, snap)
            return replace(
                _make_hold(ref, snap, make_text(switch.says) + approval.says, item.field, fact),
                wants=approval.wants,
            )
        if not (owned and item.field == "spec.replicas"):
            by = _make_hold(ref, snap, make_text(switch.says), item.field, fact)
            return (
                replace(by, says=by.says + _describe_older_template(ref, snap))
                if item.field == "spec.paused"
                else by
            )
    # A description or a table does not show the field itself.
    if workload := next((f for f in snap.of(Workload, ref) if f.suspended), None):
        return _make_hold(ref, snap, say("suspended"), "spec.suspend", workload)
    return _find_budget_hold(ref, snap) or _find_reported_hold(ref, snap)


def find_cordon_origin(node: Ref, snap: Facts) -> tuple[Text, datetime | None]:
    """Return the author and time of a Node's cordoning, worded to follow the fact itself; empty if
    unknown.
    """
    shape = next((f for f in snap.of(NodeShape, node) if f.cordoned), None)
    if shape is None:
        return NO_TEXT, None
    found = _make_hold(node, snap, NO_TEXT, "spec.unschedulable", shape)
    return found.says, found.since


def apply_hold(
    state: State,
    ref: Ref,
    snap: Facts,
    state_of_other: Callable[[Ref], State],
    state_of_decider: Callable[[Ref], State],
) -> State:
    """Return `held` for a held object with no other problem, unless the hold can never end; else its state,
    with a note on the hold.

    state_of_decider: the state of the object that should end the hold, even if that object is held too.
    """
    by = find_hold(ref, snap)
    if by is None:
        return state
    if state.name == "stuck":
        says = (state.says or NO_TEXT) + say("; and ") + by.says
        told = add_headline(ref, "stuck", says, state.since, (*state.evidence, *by.evidence), word=state.word)
        return replace(told, own=state.own)
    seen = (*by.evidence, *(f for f in state.evidence if f not in by.evidence))
    if by.lifted_by is None:
        says = by.says + tell_remark(ref, snap)
        if odd := list_own_words(ref, snap) if state.name == "unknown" else ():
            says += say("; and it reports {what}", what=" ".join(filter(None, (odd[0].field, odd[0].value))))
        held = replace(
            add_headline(ref, "held", says, by.since, (*seen, *find_remarks(ref, snap))), wants=by.wants
        )
        return judge_deciders(ref, find_hold_field(ref, snap), held, snap, state_of_decider)
    return _judge_lifter(ref, by, by.lifted_by, seen, snap, state_of_other)


def _judge_lifter(
    ref: Ref,
    by: Hold,
    lifter: Ref,
    seen: tuple[Fact, ...],
    snap: Facts,
    state_of_other: Callable[[Ref], State],
) -> State:
    """Return held if the holder works; stuck if the holder is missing or stuck, because then the hold never
    ends.
    """
    there = snap.of(Presence, lifter)
    if not there:
        return replace(add_headline(ref, "held", by.says, by.since, seen), wants=(Want(Presence, lifter),))
    if not any(f.exists for f in there):
        says = by.says + say(", and there is no {lifter}", lifter=who(lifter))
        return add_headline(ref, "stuck", says, by.since, (*seen, *there))
    other = state_of_other(snap.canon(lifter))
    if other.name != "stuck":
        return replace(add_headline(ref, "held", by.says, by.since, seen), wants=other.wants)
    says = by.says + say(
        ", and {lifter} admits nothing: {why}", lifter=who(lifter), why=other.says or say("stuck")
    )
    return add_headline(ref, "stuck", says, by.since, (*seen, *other.evidence))


def find_queue(ref: Ref, snap: Facts) -> tuple[Ref, Labels] | None:
    """Return the queue that should admit a suspended object, with the labels that name it."""
    for labels in snap.of(Labels, ref):
        if queue := dict(labels.items).get(QUEUE_LABEL):
            return Ref(QUEUE, ref.within, queue), labels
    return None


def _make_hold(ref: Ref, snap: Facts, done: Text, field: str, fact: Fact) -> Hold:
    """Return the hold with its writer and time. done: the field's meaning."""
    by, at = describe_writer(ref, field, snap)
    return Hold(done + by, at, (fact, *(snap.of(Touches, ref) if by.en else ())))


def _find_queue_hold(ref: Ref, snap: Facts, fact: Fact) -> Hold | None:
    """Return the hold of a queue, by its label; the writer of `suspend` did not decide how long."""
    if (found := find_queue(ref, snap)) is None:
        return None
    queue, labels = found
    since = _make_hold(ref, snap, NO_TEXT, "spec.suspend", fact).since
    return Hold(
        say("suspended until Kueue admits it from queue {queue}", queue=queue.name),
        since,
        (fact, labels),
        queue,
    )


def _find_budget_hold(ref: Ref, snap: Facts) -> Hold | None:
    """Return the hold of a PodDisruptionBudget that requires all of its Pods, so that none may be evicted."""
    budget = next(
        (
            f
            for f in snap.of(DisruptionBudget, ref)
            if f.allowed <= 0 and 0 < f.expected <= f.desired <= f.healthy
        ),
        None,
    )
    if budget is None:
        return None
    says = (
        say(
            "allows no eviction: {bound} requires {n} of its {n} {n:Pod|Pods}",
            bound=budget.bound,
            n=budget.expected,
        )
        if budget.bound
        else say("allows no eviction: it requires {n} of its {n} {n:Pod|Pods}", n=budget.expected)
    )
    return Hold(says, None, (budget,))


def _describe_older_template(ref: Ref, snap: Facts) -> Text:
    """Return how many Pods of a Deployment still run an older template, as a clause."""
    workload = next((f for f in snap.of(Workload, ref) if f.wanted > f.updated), None)
    if workload is None or ref.kind != "Deployment":
        return NO_TEXT
    old = workload.wanted - workload.updated
    return say("; {old} of {wanted} still run an older template", old=old, wanted=workload.wanted)


def _find_reported_hold(ref: Ref, snap: Facts) -> Hold | None:
    """Return the hold that its controller reports: a condition `Paused`, a phase `Suspended`."""
    for fact in snap.of(Conditions, ref):
        for c in fact.items:
            if find_tone(ref.kind, c.type, c.status, c.reason) == "held":
                reason = say(": {reason}", reason=c.reason) if c.reason else NO_TEXT
                says = same_in_both(f"{c.type}={c.status}") + reason + _name_idle_target(ref, c.reason, snap)
                if names_approval(c.reason) or names_approval(c.type):
                    return _make_approval_hold(ref, says, c.since, fact, snap)
                return Hold(says, c.since, (fact,))
    for told in snap.of(Reported, ref):
        for word in told.words:
            runs = word.value.lower() == "stopped" and any(find_setting(ref, snap, *one) for one in RUNS)
            if not runs and find_word_tone(ref.kind, word.field, word.value) == "held":
                says = same_in_both(f"{word.field}={word.value}")
                return (
                    _make_approval_hold(ref, says, word.since, told, snap)
                    if names_approval(word.value)
                    else Hold(says, word.since, (told,))
                )
    return None


def _make_approval_hold(ref: Ref, says: Text, since: datetime | None, fact: Fact, snap: Facts) -> Hold:
    approval = find_approval(ref, snap)
    return Hold(says + approval.says, since, (fact, *approval.evidence), wants=approval.wants)


def _name_idle_target(ref: Ref, reason: str, snap: Facts) -> Text:
    """Name an autoscaler's target without replicas: ScalingDisabled means nothing more."""
    if ref.kind != "HorizontalPodAutoscaler" or reason != "ScalingDisabled":
        return NO_TEXT
    target = next(
        (r.to for f in snap.of(References, ref) for r in f.items if r.field == "spec.scaleTargetRef"), None
    )
    if target is None:
        return NO_TEXT
    return say(
        ": {target} is scaled to 0 replicas, and an autoscaler leaves such a target alone", target=who(target)
    )
