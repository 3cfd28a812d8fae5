"""The state of a PersistentVolumeClaim: bound, waiting for a volume or for a Pod, or growing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import Messages, format_duration, same_in_both, who
from unstuck.facts.aspects.cluster import Claim, StorageClass, Workload
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.objects import Conditions, Phase, Presence
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_quantity
from unstuck.stages.consumers import judge_waiting_claim, wait_event
from unstuck.stages.growing import find_growth_start, is_resizing, wants_more
from unstuck.stages.remarks import tell_remark
from unstuck.stages.state_wording import add_headline, choose_threshold

say = Messages(__name__)
_FILE_SYSTEM = "FileSystemResizePending"


def judge_claim(ref: Ref, snap: Facts, after: float | None, state_of_pod: Callable[[Ref], State]) -> State:
    """Return the state of a PersistentVolumeClaim. state_of_pod: the state of a Pod that uses it."""
    phase = snap.one(Phase, ref)
    if phase is None:
        return add_headline(ref, "unknown", say("its phase was not seen"))
    if phase.phase == "Bound" and (grows := next((f for f in snap.of(Claim, ref) if wants_more(f)), None)):
        return _judge_growing_claim(ref, snap, (phase, grows), after)
    if phase.phase == "Bound":
        return _judge_bound_claim(ref, snap, phase)
    present = snap.one(Presence, ref)
    begun = present.created if present else None
    span = format_duration(snap.now - begun) if begun else None
    says = same_in_both(phase.phase)
    if span:
        says += say(" for {span}", span=span)
    claim = snap.one(Claim, ref)
    waits = (
        claim
        and claim.storage_class
        and any(f.waits for f in snap.of(StorageClass, Ref("StorageClass", None, claim.storage_class)))
    )
    if phase.phase == "Pending" and not waits and (said := wait_event(ref, snap)):
        return judge_waiting_claim(ref, says, begun, (phase, said), snap, state_of_pod)
    if phase.phase == "Pending" and waits:
        return judge_waiting_claim(ref, says, begun, (phase,), snap, state_of_pod)
    if phase.phase == "Pending" and begun is not None and snap.now - begun < choose_threshold("claim", after):
        return add_headline(ref, "progressing", says, begun, (phase,), word=phase.phase)
    return add_headline(ref, "stuck", says, begun, (phase,), word=phase.phase)


def _judge_bound_claim(ref: Ref, snap: Facts, phase: Phase) -> State:
    """Return the state of a bound claim and, if no Pod uses it, the StatefulSet that keeps it for one."""
    fine = add_headline(ref, "fine", same_in_both("Bound"), evidence=(phase,), word=phase.phase)
    used = snap.of(Users, ref)
    if not used:
        return replace(fine, wants=(Want(Users, ref),))
    seen = next((f for f in used if f.whole and not f.refs and not f.waiting), None)
    if seen is None:
        return fine
    says = same_in_both("Bound")
    if volume := next((f.volume for f in snap.of(Claim, ref) if f.volume), ""):
        says = say("Bound to {volume}", volume=volume)
    says += say("; no Pod uses it now")
    keepers = snap.of(Deciders, ref)
    for decider in (d for f in keepers for d in f.items):
        workload = next((f for f in snap.of(Workload, decider.ref)), None)
        says += say("; {keeper} made it ({field})", keeper=who(decider.ref), field=decider.field)
        if workload:
            says += say(
                (
                    " and has {count} {count:replica|replicas}: a StatefulSet keeps the claims of Pods that "
                    "it was scaled down by"
                ),
                count=workload.wanted,
            )
        says += tell_remark(decider.ref, snap)
    told = add_headline(ref, "fine", says, evidence=(phase, seen, *keepers), word=phase.phase)
    return told if keepers else replace(told, wants=(Want(Deciders, ref),))


def _judge_growing_claim(ref: Ref, snap: Facts, seen: tuple[Phase, Claim], after: float | None) -> State:
    """Judge a claim that requests more than it has: stuck once its controller has waited too long for a
    resizer to begin.
    """
    phase, claim = seen
    says = say(
        "Bound; waits to grow from {has} to {asked}",
        has=format_quantity(claim.capacity or 0),
        asked=format_quantity(claim.size or 0),
    )
    since = find_growth_start(ref, snap)
    begun = is_resizing(ref, snap)
    waiting = [
        f
        for f in snap.of(Conditions, ref)
        if any(c.type == _FILE_SYSTEM and c.status == "True" for c in f.items)
    ]
    if waiting:
        says += say(
            (
                ": the volume has grown, and its file system does so when a Pod uses "
                "the claim next ({condition})"
            ),
            condition=_FILE_SYSTEM,
        )
    late = since is not None and snap.now - since >= choose_threshold("claim", after) and not begun
    return replace(
        add_headline(ref, "stuck" if late else "progressing", says, since, seen, word=phase.phase),
        granted=begun,
    )
