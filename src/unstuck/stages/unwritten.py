"""Tells whether an object's status was never written, although its type gets one: its controller has not
handled it.
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, format_duration
from unstuck.facts.aspects.cluster import Candidate
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.reported import ControllerLines, Reported, Switches, TypeStatus
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import EMPTY_AT_FIRST, JOB_CONTROLLER, WRITTEN_BY_THE_MANAGER
from unstuck.knowledge.statusless import has_no_status
from unstuck.stages.state_wording import add_headline, choose_threshold
from unstuck.stages.switches import find_setting

say = Messages(__name__)
_WRITTEN = (*WRITTEN_BY_THE_MANAGER, *EMPTY_AT_FIRST)


def is_unwritten(ref: Ref, snap: Facts, after: float | None = None) -> Sign[Reported]:
    """Tell whether it has a spec and no status, and has had the time to get one."""
    if ref.kind not in _WRITTEN and ("." not in ref.kind or has_no_status(ref.kind)):
        return Sign(False)
    switches = find_setting(ref, snap, "spec.suspend", "true")
    if switches and find_manager(ref, snap):
        # Another cluster's controller has nothing to report about a Job that waits.
        return Sign(False, seen=switches)
    empty = some(snap, Reported, ref, lambda f: [f] if f.unwritten and f.whole else [])
    if empty.value and ref.kind == "Job" and not snap.of(Switches, ref):
        # The server fills in fields that show its controller, and whether it has one.
        return Sign(None, seen=empty.seen, wants=(Want(Switches, ref),))
    if not empty.value:
        # With a status, or without a spec, the object may have no Reported: the facts that always exist show
        # that it was read.
        read = tuple(f for f in snap.of(Presence, ref) if f.whole)
        return Sign(False if read else None, seen=empty.seen or read)
    made = next((f for f in snap.of(Presence, ref) if f.created), None)
    if made is None or made.created is None:
        return Sign(None, seen=empty.seen, wants=(Want(Presence, ref),))
    old = snap.now - made.created >= choose_threshold("unwritten", after)
    return Sign(old, empty.hits if old else (), (*empty.seen, made), sure=empty.sure)


def is_expected(ref: Ref, snap: Facts) -> Sign[TypeStatus]:
    """Tell whether a status is written for objects of its type: others have one, the type offers one and its
    controller is down, or its controller reports trouble with this object in its log.

    For a type with the subresource and no object with a status this is unknown: many of these never get one.
    """
    if ref.kind in _WRITTEN:
        return Sign(True)
    if beside := _find_written_beside(ref, snap):
        return Sign(True, seen=(beside,))
    facts = snap.of(TypeStatus, ref)
    if not facts:
        return Sign(None, wants=(Want(TypeStatus, ref),))
    if yes := tuple(f for f in facts if f.written or (f.offered and find_stopped_controllers(f))):
        return Sign(True, yes, yes)
    if told := tuple(f for f in snap.of(ControllerLines, ref) if f.items):
        return Sign(True, facts, (*facts, *told))
    wants = list_wants_of_log(ref, snap) if any(f.offered for f in facts) else ()
    return Sign(None if any(f.offered for f in facts) else False, seen=facts, wants=wants)


def list_wants_of_log(ref: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return the question about the log of its controller, if one runs that was not read yet."""
    runs = any(c.ready for f in snap.of(TypeStatus, ref) for c in f.controllers)
    want = Want(ControllerLines, ref)
    return (want,) if runs and not snap.of(ControllerLines, ref) and not snap.answered(want) else ()


def _find_written_beside(ref: Ref, snap: Facts) -> Reported | None:
    """Return another object of the type whose status was read beside it, as in a bundle."""
    others = (
        f
        for f in snap.every(Reported)
        if f.about.kind == ref.kind and not f.unwritten and snap.canon(f.about) != snap.canon(ref)
    )
    return next((f for f in others if f.observed is not None or f.words), None)


def find_stopped_controllers(fact: TypeStatus) -> tuple[Candidate, ...]:
    """Return the controllers without a Ready Pod; none if another possible one runs."""
    down = tuple(c for c in fact.controllers if c.ready == 0)
    return down if len(down) == len(fact.controllers) else ()


def find_elsewhere(ref: Ref, fact: TypeStatus) -> Candidate | None:
    """Return the controller that runs and is set up for other Namespaces than the object's; None if another
    possible one is not.
    """
    runs = [c for c in fact.controllers if c.ready]
    elsewhere = [c for c in runs if ref.within and c.watched and ref.within not in c.watched]
    return elsewhere[0] if elsewhere and len(elsewhere) == len(runs) else None


def find_manager(ref: Ref, snap: Facts) -> str:
    """Return the controller that a Job is delegated to instead of Kubernetes' own, "" for none."""
    named = (i.value for f in snap.of(Switches, ref) for i in f.items if i.field == "spec.managedBy")
    return next((name for name in named if ref.kind == "Job" and name not in ("", JOB_CONTROLLER)), "")


def judge_unwritten(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Return that its status was never written; None if that is no fault, or there was no time for it."""
    empty = is_unwritten(ref, snap, after)
    if empty.value is False or not any(f.unwritten and f.whole for f in snap.of(Reported, ref)):
        return None
    expected = is_expected(ref, snap)
    if expected.value is False:
        return None
    made = next((f.created for f in snap.of(Presence, ref) if f.created), None)
    says = say("has no status")
    if made:
        span = format_duration(snap.now - made)
        says += say(", {span} after it was created", span=span)
    if manager := find_manager(ref, snap):
        says += say("; spec.managedBy hands it to {manager}", manager=manager)
    sure = expected.value and empty.value
    state = add_headline(ref, "stuck" if sure else "unknown", says, made, (*empty.seen, *expected.seen))
    return replace(state, wants=unique((*empty.wants, *expected.wants)))
