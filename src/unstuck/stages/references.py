"""The state of an object by the objects that it refers to: whether they exist and are healthy."""

from __future__ import annotations

from collections.abc import Callable

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
# Kinds that are usually written by the controller of another object.
WRITTEN = ("Secret", "ConfigMap")


def find_references(ref: Ref, snap: Facts) -> tuple[Reference, ...]:
    """Return an object's references; none for an object that is being deleted, or for a workload with all its
    Pods, which no longer need them.
    """
    if is_being_deleted(ref, snap) or any(_has_references(ref, f) for f in snap.of(Workload, ref)):
        return ()
    return unique(r for f in snap.of(References, ref) for r in f.items)


def _has_references(ref: Ref, f: Workload) -> bool:
    renewed = f.updated >= f.wanted or ref.kind not in ("Deployment", "StatefulSet", "DaemonSet")
    return f.finished or (f.ready >= f.wanted and renewed)


def find_absent_targets(ref: Ref, snap: Facts, *, required: bool) -> Sign[Reference]:
    """Find references whose target the server does not have; no if there is no such reference."""
    asked = [r for r in find_references(ref, snap) if r.required is required and r.needed]
    return any_of([_find_absent(r, snap) for r in asked]) if asked else Sign(False)


def _find_absent(reference: Reference, snap: Facts) -> Sign[Reference]:
    return some(snap, Presence, reference.to, lambda f: [] if f.exists else [reference])


def find_missing_ports(ref: Ref, snap: Facts) -> Sign[Reference]:
    """Find references to a port that their Service, which exists, does not have; no if there is none."""
    asked = [r for r in find_references(ref, snap) if r.port and r.to.kind == "Service"]
    return any_of([_find_portless(r, snap) for r in asked]) if asked else Sign(False)


def _find_portless(reference: Reference, snap: Facts) -> Sign[Reference]:
    def lacks(f: ServiceSpec) -> list[Reference]:
        known = {word for p in f.ports for word in (str(p.port), p.name)}
        return [reference] if f.ports and not f.outside and reference.port not in known else []

    return some(snap, ServiceSpec, reference.to, lacks)


def find_serving_targets(ref: Ref, snap: Facts) -> tuple[Reference, ...]:
    """Return the references to existing objects without which the subject cannot serve."""
    there = (
        r for r in find_references(ref, snap) if r.serves and any(f.exists for f in snap.of(Presence, r.to))
    )
    return tuple(r for r in there if not is_being_deleted(r.to, snap))


def judge_by_references(ref: Ref, snap: Facts, state_of_target: Callable[[Ref], State]) -> State | None:
    """Return the state of an object whose targets are missing or unhealthy; None if neither is known.

    state_of_target: the state of another object, whose references are not followed further.
    """
    gone = find_absent_targets(ref, snap, required=True)
    if gone.value and gone.sure:
        one = gone.hits[0]
        says = say("refers to {to} in {field}, which does not exist", to=one.to, field=one.field)
        return add_headline(ref, "stuck", says, evidence=unique((*snap.of(References, ref), *gone.seen)))
    wrong = find_missing_ports(ref, snap)
    if wrong.value and wrong.sure:
        one = wrong.hits[0]
        says = say(
            "sends to port {port} of {to} in {field}, which has no such port",
            port=one.port,
            to=one.to,
            field=one.field,
        )
        return add_headline(ref, "stuck", says, evidence=unique((*snap.of(References, ref), *wrong.seen)))
    serving = [r for r in find_references(ref, snap) if r.serves]
    if stuck := next((one for one in serving if is_target_stuck(one, snap, state_of_target).value), None):
        state = state_of_target(snap.canon(stuck.to))
        why = state.says or say("stuck")
        says = say("refers to {to} in {field}: {why}", to=stuck.to, field=stuck.field, why=why)
        return add_headline(
            ref, "stuck", says, state.since, evidence=unique((*snap.of(References, ref), *state.evidence))
        )
    return None


def tell_held_target(ref: Ref, snap: Facts, state: State, state_of_target: Callable[[Ref], State]) -> State:
    """Return the state of an unhealthy object, with the target that somebody holds: the object may only wait
    for that.
    """
    if state.name != "stuck" or state.says is None:
        return state
    for one in find_references(ref, snap):
        if not (one.serves or "." in one.to.kind) or not any(f.exists for f in snap.of(Presence, one.to)):
            continue
        target = state_of_target(snap.canon(one.to))
        if target.name == "held":
            why = target.says or target.headline
            says = state.says + say("; {to} in {field} is held: {why}", to=one.to, field=one.field, why=why)
            told = add_headline(
                ref, "stuck", says, state.since, (*state.evidence, *target.evidence), word=state.word
            )
            return replace(told, own=state.own, wants=state.wants)
    return state


def is_target_stuck(
    reference: Reference, snap: Facts, state_of_target: Callable[[Ref], State]
) -> Sign[Reference]:
    """Tell whether the target is stuck; no for an absent or deleted object, whose state is another
    question.
    """
    present = some(snap, Presence, reference.to, lambda f: [reference] if f.exists else [])
    if not present.value:
        return present
    if is_being_deleted(reference.to, snap):
        return Sign(False, seen=present.seen)
    state = state_of_target(snap.canon(reference.to))
    if state.name == "unknown":
        return Sign(None, wants=(Want(ServicePods, reference.to),) if reference.to.kind == "Service" else ())
    return Sign(state.name == "stuck", (reference,), state.evidence)


def looks_at_targets(
    ref: Ref, snap: Facts, state_of_target: Callable[[Ref], State], *, ill: bool
) -> tuple[Want, ...]:
    """Return the questions about the targets' existence, and about the state of the serving ones. ill: the
    object reports a problem, so that optional targets are asked about, too.
    """
    signs = (
        find_absent_targets(ref, snap, required=True),
        *((find_absent_targets(ref, snap, required=False),) if ill else ()),
        *(is_target_stuck(r, snap, state_of_target) for r in find_references(ref, snap) if r.serves),
    )
    return unique(w for s in signs for w in s.wants)
