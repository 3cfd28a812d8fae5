"""Whether somebody has stopped an object on purpose: by which field, who and since when, where `managedFields` tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.text import Text, lasting
from unstuck.facts.aspects.cluster import NodeShape, Workload
from unstuck.facts.aspects.objects import Conditions, Owners, Touches
from unstuck.facts.aspects.reported import Reported, Switches
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.knowledge.conditions import tone_of
from unstuck.knowledge.standstills import switch
from unstuck.knowledge.status_words import tone_of_word
from unstuck.stages.state_wording import stated


@record()
class Held(Record):
    """says: what was done, by whom and since when. since: when at the latest."""

    says: Text
    since: datetime | None
    evidence: tuple[Fact, ...]


def find_hold(ref: Ref, snap: Facts) -> Held | None:
    """Return by what it is held; None where nothing does, or where its controller may not be stopped so."""
    # What a controller keeps at 0 is the controller's: an old ReplicaSet of a Deployment.
    owned = any(f.controller for f in snap.of(Owners, ref))
    for fact in snap.of(Switches, ref):
        for item in fact.items:
            found = switch(ref.kind, item.field, item.value)
            if found and not (owned and item.field == "spec.replicas"):
                by = _by(ref, snap, Text(*found.says), item.field, fact)
                return replace(by, says=by.says + _left_back(ref, snap)) if item.field == "spec.paused" else by
    # A description or a table does not show the field itself.
    if workload := next((f for f in snap.of(Workload, ref) if f.suspended), None):
        return _by(ref, snap, Text("suspended", "已挂起"), "spec.suspend", workload)
    return _said(ref, snap)


def cordoned(node: Ref, snap: Facts) -> tuple[Text, datetime | None]:
    """Return who cordoned a Node and when, as what stands behind that it is; nothing where nobody told."""
    shape = next((f for f in snap.of(NodeShape, node) if f.cordoned), None)
    if shape is None:
        return Text("", ""), None
    found = _by(node, snap, Text("", ""), "spec.unschedulable", shape)
    return found.says, found.since


def with_held(state: State, ref: Ref, snap: Facts) -> State:
    """Return the state of an object that may be held: held where nothing else is wrong with it, else what is wrong and that it is held."""
    by = find_hold(ref, snap)
    if by is None:
        return state
    if state.name == "stuck":
        says = (state.says or Text("", "")) + Text("; and ", "；且") + by.says
        told = stated(ref, "stuck", says, state.since, (*state.evidence, *by.evidence), word=state.word)
        return replace(told, own=state.own)
    return stated(ref, "held", by.says, by.since, (*by.evidence, *(f for f in state.evidence if f not in by.evidence)))


def _by(ref: Ref, snap: Facts, done: Text, field: str, fact: Fact) -> Held:
    touches = [(t, f) for f in snap.of(Touches, ref) for t in f.items if field in t.fields]
    told = max(touches, key=lambda one: (one[0].at is not None, one[0].at or snap.now, one[0].manager), default=None)
    if told is None:
        return Held(done, None, (fact,))
    touch, where = told
    says = done + Text(f" by {touch.manager}", f"（由 {touch.manager} 操作）") if touch.manager else done
    if touch.at:
        # The row's time is that of the manager's last write: it was not done later.
        span = lasting(snap.now - touch.at)
        says += Text(f", {span.en} ago or earlier", f"，至少已 {span.zh}")
    return Held(says, touch.at, (fact, where))


def _left_back(ref: Ref, snap: Facts) -> Text:
    """Tell what a Deployment runs of an older template."""
    workload = next((f for f in snap.of(Workload, ref) if f.wanted > f.updated), None)
    if workload is None or ref.kind != "Deployment":
        return Text("", "")
    old = workload.wanted - workload.updated
    return Text(f"; {old} of {workload.wanted} still run an older template", f"；{workload.wanted} 个副本中有 {old} 个仍为旧模板")


def _said(ref: Ref, snap: Facts) -> Held | None:
    """Return what its controller says of it: a condition `Paused`, a phase `Suspended`."""
    for fact in snap.of(Conditions, ref):
        for c in fact.items:
            if tone_of(ref.kind, c.type, c.status, c.reason) == "held":
                reason = Text(f": {c.reason}", f"：{c.reason}") if c.reason else Text("", "")
                return Held(Text(f"{c.type}={c.status}", f"{c.type}={c.status}") + reason, c.since, (fact,))
    for told in snap.of(Reported, ref):
        for word in told.words:
            if tone_of_word(ref.kind, word.field, word.value) == "held":
                return Held(Text(f"{word.field}={word.value}", f"{word.field}={word.value}"), word.since, (told,))
    return None
