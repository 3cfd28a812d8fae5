"""A Gateway's listener does not allow routes of this Namespace

## How it happens

Each listener of a Gateway takes routes from certain Namespaces: from its own alone, which is the default,
from all, or from those that its selector matches. A route in another Namespace, or in one whose label is
missing or misspelt, is not accepted, and its controller reports NotAllowedByListeners without naming the
label.

## How to tell

The route's own status reports a fault. `allowedRoutes.namespaces` of each listener that it may attach to is
compared with its Namespace: whether it is the Gateway's own, or has the labels. None of them takes it.

## Known limits

Kinds and host names that a listener takes are not compared. A proof means that no listener takes the route;
the owners decide which side is wrong.

## References

- gateway-api apis/v1 AllowedRoutes, RouteNamespaces
"""

from __future__ import annotations

from unstuck.causes.field._listeners import is_in_question, make_listener_steps
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Labels, Presence, Touches
from unstuck.facts.aspects.references import Reference, References, Section, Sections
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import holds, write_requirement
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import ROUTES
from unstuck.stages.references import find_references
from unstuck.stages.selecting import list_near_labels

say = Messages(__name__)

_MOST, _SHOWN = 4, 4


def _check(subject: Ref, snap: Facts) -> Sign[Misfit]:
    parents = [r for r in find_references(subject, snap) if r.to.kind.startswith("Gateway.")][:_MOST]
    if not parents or not is_in_question(subject, snap):
        return Sign(False, seen=snap.of(References, subject))
    return any_of([_hold(subject, one, snap) for one in parents])


def _hold(subject: Ref, one: Reference, snap: Facts) -> Sign[Misfit]:
    listeners = some(snap, Sections, one.to, lambda f: list(_choose(one, f)))
    if not listeners.value:
        return Sign(listeners.value, seen=listeners.seen, wants=listeners.wants)
    if any(s.routes == "All" or _is_own(s, subject, one) for s in listeners.hits):
        return Sign(False, seen=listeners.seen)
    if not any(s.routes == "Selector" for s in listeners.hits):
        return Sign(True, (_find_misfit(subject, one, listeners.hits[0], ()),), listeners.seen)
    labels = some(
        snap,
        Labels,
        Ref("Namespace", None, subject.within),
        lambda f: (
            []
            if any(_takes(s, f.items) for s in listeners.hits)
            else [_find_misfit(subject, one, s, f.items) for s in listeners.hits]
        ),
    )
    return all_of((listeners, labels))


def _choose(one: Reference, sections: Sections) -> tuple[Section, ...]:
    """Return the listeners that a route attaches to, by name and port if it gives them; if there are none of
    these, all.
    """
    chosen = dict(one.beside)
    named = tuple(
        s
        for s in sections.items
        if chosen.get("sectionName", s.name) == s.name and chosen.get("port", str(s.port)) == str(s.port)
    )
    # A listener that is not there is another fault; the right one is to take the route, too.
    return named or sections.items


def _is_own(section: Section, subject: Ref, one: Reference) -> bool:
    return section.routes == "Same" and subject.within == one.to.within


def _takes(section: Section, labels: tuple[tuple[str, str], ...]) -> bool:
    return section.routes == "Selector" and all(holds(r, dict(labels)) for r in section.asked)


def _find_misfit(
    subject: Ref, one: Reference, section: Section, labels: tuple[tuple[str, str], ...]
) -> Misfit:
    asked = ",".join(map(write_requirement, section.asked))
    if section.routes == "Selector":
        says = say(
            "listener {listener} of {gateway} takes routes of Namespaces with {asked}, and Namespace {space} "
            "does not have these labels",
            listener=section.name,
            gateway=who(one.to),
            asked=asked,
            space=subject.within,
        ) + _tell_near(section, asked, labels)
        change = say(
            "give Namespace {space} the label {asked}, or widen allowedRoutes of the listener",
            space=subject.within,
            asked=asked,
        )
    else:
        says = say(
            "listener {listener} of {gateway} accepts only routes of its own Namespace, and {subject} is "
            "in another one",
            listener=section.name,
            gateway=who(one.to),
            subject=who(subject),
        )
        change = say("set allowedRoutes.namespaces.from of the listener to All, or to Selector with labels")
    return Misfit(
        of=subject,
        field=one.field,
        says=says,
        help=make_listener_steps(change, one.to),
    )


def _tell_near(section: Section, asked: str, labels: tuple[tuple[str, str], ...]) -> Text:
    """Return the Namespace's labels that resemble the required ones. asked: those, as kubectl writes them."""
    values = {v for r in section.asked for v in r.values}
    written = [f"{key}={value}" for key, value in labels]
    near = dict.fromkeys(
        (*list_near_labels(asked, written), *(w for w in written if w.partition("=")[2] in values))
    )
    return say("; it has {near}", near=list_names([*near][:_SHOWN])) if near else NO_TEXT


PAIRS = (
    Pair(
        "no listener that it attaches to takes routes of its Namespace",
        "allowed",
        ROUTES,
        _check,
        frozenset(
            {References, Sections, Labels, Deletion, Presence, Workload, Conditions, Reported, Touches}
        ),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.route-not-allowed",
    title=say("a Gateway's listener does not allow routes of this Namespace"),
    subjects=ROUTES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
