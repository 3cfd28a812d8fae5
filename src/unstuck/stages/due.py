"""Whether an object that says that it is well has outlived its own time, or has stopped doing what it is
for.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, format_duration, who
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.due import Due
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
_SLACK = timedelta(hours=1)


def judge_due(ref: Ref, snap: Facts, state: State) -> State:
    """Return the state of an object that is well by itself, by the times in it. state: by itself."""
    for due in snap.of(Due, ref) if state.name == "fine" else ():
        past = min((e for e in due.ends if e.at < snap.now), key=lambda e: (e.at, e.field), default=None)
        if past:
            span, so_far = format_duration(snap.now - past.at), state.says or say("well")
            says = so_far + say(", but its {field} was {span} ago", field=past.field, span=span)
            return add_headline(ref, "stuck", says, past.at, unique((*state.evidence, due)))
        if due.schedule:
            return _judge_starts(ref, snap, due, state)
    return state


def _judge_starts(ref: Ref, snap: Facts, due: Due, state: State) -> State:
    made = next((f.created for f in snap.of(Presence, ref) if f.created), None)
    begun = due.last or made
    if begun and due.period and snap.now - begun > timedelta(seconds=2 * due.period) + _SLACK:
        span, longest = format_duration(snap.now - begun), format_duration(timedelta(seconds=due.period))
        says = say(
            (
                "has started no Job for {span}, and by its schedule {schedule} it does "
                "so at least every {longest}"
            ),
            span=span,
            schedule=due.schedule,
            longest=longest,
        )
        return add_headline(ref, "stuck", says, begun, (due,))
    if due.last is None or not state.unjudged:
        return state
    span = format_duration(snap.now - due.last)
    says = say("started its last Job {span} ago, by schedule {schedule}", span=span, schedule=due.schedule)
    return add_headline(ref, "fine", says, None, (due,))


def judge_owned(ref: Ref, snap: Facts, state: State, state_of_other: Callable[[Ref], State]) -> State:
    """Return the state of a CustomResource that calls itself well, by the workloads that it has made.
    state: by itself.
    """
    if state.name != "fine" or state.unjudged or "." not in ref.kind:
        return state
    owned = snap.of(Owned, ref)
    if not owned:
        return replace(state, wants=(*state.wants, Want(Owned, ref)))
    for child in unique(snap.canon(r) for f in owned for r in f.refs):
        workload = next(
            (
                f
                for f in snap.of(Workload, child)
                if child.kind in ("Deployment", "StatefulSet") and f.ready < f.wanted
            ),
            None,
        )
        other = state_of_other(child) if workload else None
        if other and other.name == "stuck":
            so_far, why = state.says or say("well"), other.says or say("stuck")
            says = so_far + say(", but {child}, which it made, is not well: {why}", child=who(child), why=why)
            return add_headline(
                ref, "stuck", says, other.since, unique((*state.evidence, *owned, *other.evidence))
            )
    return state
