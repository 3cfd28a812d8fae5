"""A PodDisruptionBudget selects Pods whose owner has no scale, so it cannot be evaluated

## How it happens

A budget with a percentage, or with `maxUnavailable`, needs to know how many Pods there should be. The
controller asks the owner of each selected Pod for its scale. A Job has none, nor has a DaemonSet or a custom
type without the subresource: a selector by a team's or an application's label takes such Pods in, and from
then on the budget allows no eviction at all.

## How to tell

Its condition DisruptionAllowed is False with the reason SyncFailed, and the message names the type that does
not implement the scale subresource. The owner of the Pods that its selector matches is of that type.

## Known limits

Owners are known by the type's name in the message; another owner without a scale comes to light once the
first one is left out. Whether a wider selector was intended is not visible.

## References

- kubernetes pkg/controller/disruption/disruption.go, getExpectedScale;
  staging/src/k8s.io/api/policy/v1/types.go
"""

from __future__ import annotations

import re

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Owners
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import stays

say = Messages(__name__)

_WITHOUT = re.compile(
    r"(?P<plural>[a-z0-9-]+)(?P<group>\.[a-z0-9.-]+)? does not implement the scale subresource"
)
# Pods of one owner are usually alike; as many are looked at.
_MOST = 100


def _rule(budget: Ref, snap: Facts) -> Signs:
    said = some(snap, Conditions, budget, _list_types_without_scale)
    owners = _find_owners(budget, said.hits[0], snap) if said.value else Sign[Ref](None)
    return Signs(
        applies=stays(budget, snap),
        necessary={"its controller says that a type has no scale": said},
        decisive={"it selects a Pod whose owner is of that type": owners},
        supporting={"its controller names the type": said},
        finding=lambda: _make_finding(budget, said.hits[0], owners.hits),
    )


def _list_types_without_scale(f: Conditions) -> list[str]:
    """Return the types that the controller could not ask for their scale, as `jobs.batch`."""
    failed = (
        c.message
        for c in f.items
        if c.type == "DisruptionAllowed" and c.status == "False" and c.reason == "SyncFailed"
    )
    return [found[0].partition(" ")[0] for message in failed if (found := _WITHOUT.search(message))]


def _find_owners(budget: Ref, type_: str, snap: Facts) -> Sign[Ref]:
    """Find controllers of this type among the owners of the Pods that the budget selects."""
    listed = [f for f in snap.of(Below, budget) if f.kind == "Pod"]
    if not listed:
        return Sign(None, wants=(Want(Below, budget),))
    pods = [r for f in listed for r in f.refs][:_MOST]
    told = [
        f for p in pods for f in snap.of(Owners, p) if f.controller and _is_of_type(f.controller.kind, type_)
    ]
    if told:
        hits = unique(snap.canon(f.controller) for f in told if f.controller)
        return Sign(True, hits, (*listed, told[0]), sure=any(snap.sure(f) for f in listed))
    unowned = tuple(Want(Owners, p) for p in pods if not snap.of(Owners, p))
    whole = not unowned and all(f.whole and len(f.refs) <= _MOST for f in listed)
    return Sign(False if whole else None, seen=tuple(listed), wants=unowned)


def _is_of_type(kind: str, type_: str) -> bool:
    """Tell whether a kind, as `Job` or `Task.example.com`, is of this type, as `jobs.batch` or
    `tasks.example.com`.
    """
    plural, _, group = type_.partition(".")
    name, _, of = kind.lower().partition(".")
    return (not of or of == group) and plural in (f"{name}s", f"{name}es", f"{name[:-1]}ies")


def _make_finding(budget: Ref, type_: str, owners: tuple[Ref, ...]) -> Finding:
    if owners:
        says = say(
            (
                "{budget} cannot be reckoned and allows no eviction: it selects Pods of {owner}, and {type} "
                "has no scale"
            ),
            budget=who(budget),
            owner=who(owners[0]),
            type=type_,
        )
    else:
        says = say(
            (
                "{budget} cannot be reckoned and allows no eviction: it selects Pods of a type that has no "
                "scale, {type}"
            ),
            budget=who(budget),
            type=type_,
        )
    verify = say("within a minute its condition DisruptionAllowed says something else than SyncFailed")
    return Finding(
        says,
        culprit=owners[0] if owners else budget,
        blocks=(budget,),
        notes=tuple(say("it also selects Pods of {owner}", owner=who(o)) for o in owners[1:3]),
        help=(
            Step(
                say("see its selector, and which labels these Pods have"),
                command=command(
                    "kubectl describe {budget} {space}", budget=given.of(budget), space=given.space(budget)
                ),
            ),
            Step(
                say(
                    "narrow its selector to labels that these Pods do not have, or give minAvailable as a "
                    "number, which needs no scale"
                ),
                where="source",
                verify=verify,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the budget so that a drain continues"),
                say("nothing holds back evictions of the other Pods that it selects any more"),
            ),
        ),
    )


CAUSE = Cause(
    id="controller.budget-without-scale",
    title=say("a PodDisruptionBudget selects Pods whose owner has no scale"),
    subjects=("PodDisruptionBudget",),
    reads=frozenset({Conditions, Below, Owners, Deletion}),
    rule=_rule,
)
