"""A route attaches to a listener that its Gateway does not have

## How it happens

`sectionName` or `port` of a parentRef chooses one listener of the Gateway. The listener was renamed, is
misspelt, or is another Gateway's; no parent accepts the route, or only its other parents do.

## How to tell

The route's status reports a fault, and the Gateway of a parentRef, which exists, has no listener of that name
or port.

## Known limits

Whether an existing listener takes this route is not checked here: its Namespaces are field.route-not-allowed,
and the Gateway's controller reports hostnames and kinds.

## References

- gateway-api apis/v1, ParentReference, RouteReasonNoMatchingParent
"""

from __future__ import annotations

from unstuck.causes.field._listeners import is_in_question, make_listener_steps
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages, list_names, who
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Presence, Touches
from unstuck.facts.aspects.references import Reference, References, Section, Sections
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import ROUTES
from unstuck.stages.references import find_references

say = Messages(__name__)

_MOST, _SHOWN = 4, 6
_NAME, _PORT = "sectionName", "port"


def _check(subject: Ref, snap: Facts) -> Sign[Misfit]:
    chosen = [
        (r, key, value)
        for r in find_references(subject, snap)
        for key, value in r.beside
        if key in (_NAME, _PORT)
    ]
    chosen = [c for c in chosen if c[0].to.kind.startswith("Gateway.")][:_MOST]
    if not chosen or not is_in_question(subject, snap):
        return Sign(False, seen=snap.of(References, subject))
    return any_of([_hold(subject, *one, snap) for one in chosen])


def _hold(subject: Ref, one: Reference, key: str, value: str, snap: Facts) -> Sign[Misfit]:
    def fits(section: Section) -> bool:
        return value == (section.name if key == _NAME else str(section.port))

    return some(
        snap,
        Sections,
        one.to,
        lambda f: (
            [_find_misfit(subject, one, key, value, f.items)]
            if f.whole and not any(map(fits, f.items))
            else []
        ),
    )


def _find_misfit(subject: Ref, one: Reference, key: str, value: str, sections: tuple[Section, ...]) -> Misfit:
    field = f"{one.field}.{key}"
    there = [s.name if key == _NAME else str(s.port) for s in sections]
    near = pick_nearest(value, there) or (tuple(there) if len(there) == 1 else ())
    mend = (
        say("set {field} to an existing listener: {name}", field=field, name=near[0])
        if near
        else say("set {field} to an existing listener, or add the listener", field=field)
    )
    return Misfit(
        of=subject,
        field=field,
        says=say(
            "{subject} attaches to listener {value} of {gateway} in {field}, and that has only {there}",
            subject=who(subject),
            value=value,
            gateway=who(one.to),
            field=field,
            there=list_names([f"{s.name} ({s.port})" for s in sections[:_SHOWN]]),
        )
        if sections
        else say(
            "{subject} attaches to listener {value} of {gateway} in {field}, which does not have this "
            "listener",
            subject=who(subject),
            value=value,
            gateway=who(one.to),
            field=field,
        ),
        help=make_listener_steps(mend, one.to),
    )


PAIRS = (
    Pair(
        "a listener that it attaches to is not among the Gateway's",
        "contained",
        ROUTES,
        _check,
        frozenset({References, Sections, Deletion, Presence, Workload, Conditions, Reported, Touches}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.section-missing",
    title=say("a route attaches to a listener that its Gateway does not have"),
    subjects=ROUTES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
