"""Detects objects that report success and yet are past their own deadline or have stopped working."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, Text, format_duration, who
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.due import Due, End, Lapse
from unstuck.facts.aspects.references import Owned
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)
# A start may come late: a controller that was away makes up for it once it is back.
_SLACK = timedelta(minutes=15)
# An unknown time zone differs from UTC by this much at most.
_ZONES = timedelta(hours=14)
# A policy of Forbid is meant for a run that is a little longer than its period.
_MOST_LEFT_OUT = 2
# So many periods without a success are no slow first run.
_MOST_UNFINISHED = 3


def judge_due(ref: Ref, snap: Facts, state: State) -> State:
    """Judge an otherwise healthy object by its deadlines and schedule. state: its state without them."""
    for due in snap.of(Due, ref) if state.name == "fine" else ():
        past = min((e for e in due.ends if e.at < snap.now), key=lambda e: (e.at, e.field), default=None)
        if past:
            says = _tell_past(past, snap, state)
            return add_headline(ref, "stuck", says, past.at, unique((*state.evidence, due)))
        if due.schedule:
            return _judge_starts(due, ref, snap, state)
        if late := min(
            (e for e in due.lapses if e.due < snap.now), key=lambda e: (e.due, e.field), default=None
        ):
            return _make_lapsed_state(late, due, ref, snap, state)
    return state


def _tell_past(time: End | Lapse, snap: Facts, state: State) -> Text:
    """Return how long ago a time of the object was, after what it is so far."""
    span = format_duration(snap.now - time.at)
    if state.unjudged:
        return say("its {field} was {span} ago", field=time.field, span=span)
    return (state.says or say("well")) + say(", but its {field} was {span} ago", field=time.field, span=span)


def _make_lapsed_state(late: Lapse, due: Due, ref: Ref, snap: Facts, state: State) -> State:
    """Return that the object no longer acts as often as it should. What else it does is not known."""
    says = _tell_past(late, snap, state)
    if late.by:
        says += say(", and its {by} is {value}", by=late.by, value=late.value)
    return add_headline(ref, "unknown", says, late.due, unique((*state.evidence, due)))


def find_dead_schedule(ref: Ref, snap: Facts) -> Sign[Due]:
    """Tell whether a CronJob's schedule is valid and never due."""
    return some(
        snap,
        Due,
        ref,
        lambda f: [f] if f.schedule and f.legible and not f.starts else [],
    )


def find_replaced_runs(ref: Ref, snap: Facts) -> Sign[Due]:
    """Tell whether each run of a CronJob is replaced before it is done: one is active, and none has succeeded
    for several periods.
    """
    return some(snap, Due, ref, lambda f: [f] if _replaces_its_runs(f, snap.now) else [])


def _replaces_its_runs(due: Due, now: datetime) -> bool:
    if not (due.replaces and due.active and due.last and due.succeeded and len(due.starts) > 1):
        return False
    period = due.starts[1] - due.starts[0]
    return now - due.succeeded > _MOST_UNFINISHED * period and now - due.last <= period


def _fails_its_runs(due: Due) -> bool:
    """Tell whether no run is active, and none of the last few that were started was a success."""
    if due.active or not (due.last and due.succeeded and len(due.starts) > 1):
        return False
    return due.last - due.succeeded > _MOST_UNFINISHED * (due.starts[1] - due.starts[0])


def _make_failing_state(due: Due, ref: Ref, snap: Facts) -> State:
    done, begun = ((snap.now - at if at else timedelta()) for at in (due.succeeded, due.last))
    says = say(
        "it started its last Job {span} ago, and none has succeeded for {done}",
        span=format_duration(begun),
        done=format_duration(done),
    )
    return add_headline(ref, "unknown", says, due.succeeded, (due,))


def _judge_starts(due: Due, ref: Ref, snap: Facts, state: State) -> State:
    """Return the state of a CronJob by its schedule, if none of its Jobs is in trouble."""
    if not due.legible:
        return state
    if not due.starts:
        says = say("no date fits its schedule {schedule}: it never runs", schedule=due.schedule)
        return add_headline(ref, "stuck", says, evidence=(due,))
    missed = [at for at in due.starts if snap.now - at > _find_slack(due)]
    if missed and due.active and due.forbids:
        if len(missed) < _MOST_LEFT_OUT:
            return state
        says = say(
            "its runs since {at} are left out: an earlier one has not ended, and its concurrencyPolicy is "
            "Forbid",
            at=_write_time(missed[0]),
        )
        return add_headline(ref, "stuck", says, missed[0], (due,))
    if missed:
        says = say(
            "did not start the run of {at}, which is due by its schedule {schedule}",
            at=_write_time(missed[0]),
            schedule=_describe_schedule(due),
        )
        return add_headline(ref, "stuck", says, missed[0], (due,))
    if _replaces_its_runs(due, snap.now):
        says = say("none of its runs finishes: each is replaced by the next (concurrencyPolicy Replace)")
        return add_headline(ref, "stuck", says, due.succeeded, (due,))
    if _fails_its_runs(due):
        return _make_failing_state(due, ref, snap)
    if not state.unjudged:
        return state
    return add_headline(ref, "fine", _tell_next_run(due, snap), None, (due,))


def _tell_next_run(due: Due, snap: Facts) -> Text:
    coming = next((at for at in due.starts if at > snap.now), None)
    schedule = _describe_schedule(due)
    if coming and due.exact:
        says = say(
            "next run at {at}, in {left}, by its schedule {schedule}",
            at=_write_time(coming),
            left=format_duration(coming - snap.now),
            schedule=schedule,
        )
    else:
        says = say("it runs by its schedule {schedule}", schedule=schedule)
    if due.last is None:
        return says + say("; it has not been due since it was made")
    span = format_duration(snap.now - due.last)
    return says + say("; it started its last Job {span} ago", span=span)


def _find_slack(due: Due) -> timedelta:
    """Return how late a start may seem without being missed."""
    return _SLACK if due.exact else _SLACK + _ZONES


def _describe_schedule(due: Due) -> str:
    return f"{due.schedule} ({due.zone})" if due.zone and due.zone not in due.schedule else due.schedule


def _write_time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}Z"


def judge_owned(ref: Ref, snap: Facts, state: State, state_of_other: Callable[[Ref], State]) -> State:
    """Judge a CustomResource that reports itself healthy by its workloads. state: its state without them."""
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
