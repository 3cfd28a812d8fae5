"""A reference names its target by an apiVersion that the API server does not serve

## How it happens

A version was removed by an upgrade (`extensions/v1beta1`), the group is misspelt, or the manifest is older
than the definition. The target exists in the served version, and its followers request another one in vain.

## How to tell

The object's status reports a fault, its reference has an `apiVersion`, and discovery, in which every group
answered, has no such version of that kind.

## Known limits

Owner references are not looked at. If a group does not answer, it is open which versions it has.

## References

- Kubernetes documentation "Deprecated API Migration Guide"; pkg/controller/podautoscaler/horizontal.go
  (FailedGetScale)
"""

from __future__ import annotations

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Presence, Touches
from unstuck.facts.aspects.references import Reference, References, ServedVersions
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.references import find_references
from unstuck.stages.reported_state import list_own_words

say = Messages(__name__)

_MOST = 4
_SHOWN = 4


def _check(subject: Ref, snap: Facts) -> Sign[Misfit]:
    named = [r for r in find_references(subject, snap) if r.api and r.needed][:_MOST]
    if not named or not list_own_words(subject, snap):
        return Sign(False, seen=snap.of(References, subject))
    return any_of([_hold(subject, r, snap) for r in named])


def _hold(subject: Ref, one: Reference, snap: Facts) -> Sign[Misfit]:
    kind = Ref("ServedKind", None, one.to.kind.partition(".")[0])
    return some(
        snap,
        ServedVersions,
        kind,
        lambda f: [_find_misfit(subject, one, f.versions)] if f.whole and one.api not in f.versions else [],
    )


def _find_misfit(subject: Ref, one: Reference, versions: tuple[str, ...]) -> Misfit:
    field, kind = f"{one.field}.apiVersion", one.to.kind.partition(".")[0]
    served: Text = (
        say("serves {kind} as {versions}", kind=kind, versions=list_names(versions[:_SHOWN]))
        if versions
        else say("serves no {kind}", kind=kind)
    )
    mend = (
        say("set {field} to {version}", field=field, version=versions[0])
        if versions
        else say("install what defines {kind}, or correct {field}", kind=kind, field=field)
    )
    # Whose name it is: the kind in another version is the same object.
    target = who(Ref(kind, one.to.within, one.to.name))
    return Misfit(
        of=subject,
        field=field,
        says=say(
            "{subject} names {target} in {field} as {api}, which the API server does not serve: it {served}",
            subject=who(subject),
            target=target,
            field=field,
            api=one.api,
            served=served,
        ),
        help=(
            Step(mend, where="source", verify=say("{subject} continues automatically", subject=who(subject))),
            Step(
                say("check whether the target exists"),
                command=command(
                    "kubectl get {target} {space}",
                    target=given.obj(kind, one.to.name),
                    space=given.space(one.to),
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("recreate the target because of it"),
                say("it is not at fault, and its service would be interrupted"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a reference's apiVersion is not served",
        "served",
        ("*",),
        _check,
        frozenset({References, ServedVersions, Deletion, Presence, Workload, Conditions, Reported, Touches}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.api-version-unserved",
    title=say("a reference names its target by an apiVersion that is not served"),
    subjects=("*",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
