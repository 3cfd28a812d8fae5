"""Checks the objects that should end a hold: objects that scale or switch the held object, and objects named
in its annotations.
"""

from __future__ import annotations

from collections.abc import Callable

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, same_in_both, who
from unstuck.facts.aspects.deciders import Decider, Deciders
from unstuck.facts.aspects.objects import Below, Conditions, Presence
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record, replace
from unstuck.facts.regex import regex
from unstuck.stages.remarks import tell_remark
from unstuck.stages.state_wording import add_headline
from unstuck.stages.switches import describe_writer, find_stops, quote_setting

say = Messages(__name__)
StateOfDecider = Callable[[Ref], State]
_REPLICAS = "spec.replicas"
# Its controller ignores a target without replicas (pkg/controller/podautoscaler/horizontal.go).
_NEVER_FROM_NONE = "HorizontalPodAutoscaler"
_BY_NAME = ("metadata.annotations[", "spec.jobTemplate")
_LOWERS = regex(
    r"(?i)(?<![a-z])(?:down|downscal\w*|sleep|stop|off|shutdown|hibernat\w*|suspend|pause|last)(?![a-z])"
)
_QUIET = ("Active",)


@record()
class BrokenLifter(Record):
    """A decider that does not end a hold. why: its fault, worded to follow its name. suspended: it was
    switched off.
    """

    decider: Decider
    why: Text
    evidence: tuple[Fact, ...]
    suspended: bool = False


def find_deciders(ref: Ref, field: str, snap: Facts) -> tuple[Decider, ...]:
    """Find the objects that should end the hold by this field: for replicas every decider, for another field
    the deciders that name the object.
    """
    found = unique(d for f in snap.of(Deciders, ref) for d in f.items)
    return tuple(d for d in found if field == _REPLICAS or d.field.startswith(_BY_NAME))


def find_hold_field(ref: Ref, snap: Facts) -> str:
    """Return the field of its spec or the annotation that holds the object, "" for none."""
    fields = (item.field for _, item, _ in find_stops(ref, snap))
    return next((field for field in fields if not field.startswith("status.")), "")


def find_broken_lifters(
    ref: Ref, field: str, snap: Facts, state_of_decider: StateOfDecider
) -> tuple[BrokenLifter, ...]:
    """Find the objects that should end the hold and do not work; none if a known one works."""
    raising = [
        d for d in find_deciders(ref, field, snap) if d.ref.kind != _NEVER_FROM_NONE and not _lowers(d)
    ]
    told = [(d, _find_fault(d, snap, state_of_decider)) for d in raising]
    if any(d.replicas and broken is None for d, broken in told):
        return ()
    return tuple(broken for _, broken in told if broken)


def _lowers(decider: Decider) -> bool:
    """Tell whether the decider only stops the object: by its replicas, else by its name."""
    if decider.replicas is not None:
        return decider.replicas == 0
    named = decider.field.partition("[")[2] or decider.ref.name or ""
    return _LOWERS.search(decider.ref.name or "") is not None or _LOWERS.search(named) is not None


def _find_fault(decider: Decider, snap: Facts, state_of_decider: StateOfDecider) -> BrokenLifter | None:
    ref = snap.canon(decider.ref)
    there = snap.of(Presence, ref)
    if there and not any(f.exists for f in there):
        return (
            BrokenLifter(decider, say("does not exist"), there)
            if ref.kind == "CronJob" or "." in ref.kind
            else None
        )
    if ref.kind == "CronJob" and (stopped := tuple(fact for fact, _, _ in find_stops(ref, snap))):
        return BrokenLifter(decider, _describe_suspension(ref, snap), stopped, suspended=True)
    state = state_of_decider(ref)
    return (
        BrokenLifter(decider, say("does not work: {why}", why=state.says or say("stuck")), state.evidence)
        if state.name == "stuck"
        else None
    )


def _describe_suspension(ref: Ref, snap: Facts) -> Text:
    says = say("is suspended") + quote_setting("spec.suspend", "true")
    return says + describe_writer(ref, "spec.suspend", snap)[0] + tell_remark(ref, snap)


def judge_deciders(ref: Ref, field: str, held: State, snap: Facts, state_of_decider: StateOfDecider) -> State:
    """Judge a held object by the objects that should end the hold. held: its state by its own field."""
    facts = snap.of(Deciders, ref)
    if not field or not facts:
        return replace(held, wants=(*held.wants, Want(Deciders, ref))) if field else held
    deciders, says = find_deciders(ref, field, snap), held.says or say("stuck")
    if broken := find_broken_lifters(ref, field, snap, state_of_decider):
        one = broken[0]
        says += (
            say(
                ", and {decider}, which is to end that ({field}), ",
                decider=who(one.decider.ref),
                field=one.decider.field,
            )
            + one.why
        )
        return add_headline(ref, "stuck", says, held.since, unique((*held.evidence, *facts, *one.evidence)))
    for decider in deciders[:2]:
        says += _describe_decider(decider, snap)
    told = add_headline(
        ref, "held", says, held.since, unique((*held.evidence, *facts)) if deciders else held.evidence
    )
    wants = (w for d in deciders for w in (*state_of_decider(snap.canon(d.ref)).wants, *_ask(d.ref)))
    return replace(told, wants=unique((*held.wants, *wants)))


def _ask(decider: Ref) -> tuple[Want, ...]:
    """Return the questions about a decider's state: a CronJob's last Jobs show it."""
    return (Want(Below, decider),) if decider.kind == "CronJob" else ()


def _describe_decider(decider: Decider, snap: Facts) -> Text:
    if decider.ref.kind == _NEVER_FROM_NONE:
        return say("; {decider} does not scale it up from 0", decider=who(decider.ref))
    says = say("; {decider} decides on that ({field})", decider=who(decider.ref), field=decider.field)
    if stopped := next((item for _, item, _ in find_stops(decider.ref, snap)), None):
        return says + say(", and has {field}: {value}", field=stopped.field, value=stopped.value)
    quiet = [
        c
        for f in snap.of(Conditions, decider.ref)
        for c in f.items
        if c.type in _QUIET and c.status == "False"
    ]
    return says + same_in_both(f": {quiet[0].type}=False {quiet[0].reason}".rstrip()) if quiet else says
