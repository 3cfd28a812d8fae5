"""A rollout waits for itself: the old Pod holds resources that the new one needs

## How it happens

A Deployment makes a new Pod first and takes an old one away once the new one is available. If the new one
needs a resource that the old one holds, neither happens: a host port on the only Nodes that are left, a
separate Node by anti-affinity with no more Nodes than replicas, the last room of a small cluster, a volume
that only one Node or one Pod may use. With few replicas even the usual `maxUnavailable: 25%` allows none to
go, as it is rounded down.

## How to tell

The new Pod is Pending while all the old ones are ready, and `maxUnavailable` comes to 0. The scheduler's
filters are asked again, each time with one Pod of an older ReplicaSet taken away: it is proven where the new
Pod then fits, and the scheduler's own last words give the same reasons as the filters do with all of them
there. With the words alone (a host port, anti-affinity, a volume that is attached elsewhere) it is likely.

## Known limits

Only Deployments are looked at: a DaemonSet and a StatefulSet take the old Pod away first. A quota without
room for a new Pod is reported as such (admission.quota-exceeded). If a Node would open by other means as
well, both are true, and both are reported.

## References

- Kubernetes documentation: Deployments, Rolling Update Deployment, Proportional scaling
- pkg/controller/deployment/util/deployment_util.go (`ResolveFenceposts`, `NewRSNewReplicas`), rolling.go
"""

from __future__ import annotations

import importlib.util
import math
from importlib import import_module
from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._insufficient import READS as OF_ROOM
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Unschedulable, Workload
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Failure
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.rollout import RolloutOpening

_WORDS = ("free ports", "anti-affinity rules")
_SHOWN = 3


@record()
class _Stalled(Record):
    """A waiting new Pod. opening: the Node where it would fit, and the old Pod that would have to leave; None
    if only messages are known.
    """

    pod: Ref
    opening: RolloutOpening | None = None


def _rule(subject: Ref, snap: Facts) -> Signs:
    kept = some(snap, Workload, subject, lambda f: [f] if _keeps_old(f) else [])
    pods = unique(snap.canon(r) for f in snap.of(Below, subject) if f.kind == "Pod" for r in f.refs)
    opens: Sign[_Stalled] = any_of([_opens(subject, p, snap) for p in _list_waiting(pods, snap)])
    said: Sign[_Stalled] = any_of([_find_stalled_pod(p, pods, snap) for p in pods]) if pods else Sign(None)
    if not pods:
        opens = Sign(None, wants=(Want(Below, subject),))
    return Signs(
        applies=kept,
        decisive={"without one of its old Pods the new one fits": opens},
        supporting={"the new Pod's message is of something that an old Pod of it has": only_yes(said)},
        finding=lambda: _make_finding(subject, snap, (*opens.hits, *said.hits)[0], kept.hits),
    )


def _keeps_old(workload: Workload) -> bool:
    """Tell whether old Pods are left, and its strategy lets none of them go before a new one is available."""
    if not workload.rolls or not workload.surge or workload.created <= workload.updated:
        return False
    surge, away = (
        _absolute(workload.surge, workload.wanted, up=True),
        _absolute(workload.unavailable_at_most, workload.wanted, up=False),
    )
    # `ResolveFenceposts`: if both are zero, one Pod may be unavailable.
    return workload.ready <= workload.wanted - (1 if surge == 0 and away == 0 else away)


def _absolute(written: str, wanted: int, *, up: bool) -> int:
    number = written.removesuffix("%")
    if not number.isdigit():
        return 0
    if not written.endswith("%"):
        return int(number)
    exact = int(number) * wanted / 100
    return math.ceil(exact) if up else math.floor(exact)


def _list_waiting(pods: tuple[Ref, ...], snap: Facts) -> tuple[Ref, ...]:
    """Return the Pods that the scheduler refused, if known; all of one ReplicaSet are alike."""
    return tuple(p for p in pods if snap.of(Unschedulable, p))[:_SHOWN]


def _opens(subject: Ref, pod: Ref, snap: Facts) -> Sign[_Stalled]:
    at = _placed.find_known_analysis(pod, snap)
    if at is None or not at.certain:
        return Sign(None, wants=(_placed.OBJECTS,))
    if at.decision.fits:
        return Sign(False, seen=snap.of(Unschedulable, pod))
    statement = next((f for f in snap.of(Unschedulable, pod) if f.whole), None)
    if statement is None or not at.agrees(text for text, _ in statement.reasons):
        return Sign(None, wants=(Want(Conditions, pod),))
    mine = at.pod.shape.spec.owner
    sets = [f for f in snap.of(Below, subject) if f.kind == "ReplicaSet"]
    old = frozenset(f"ReplicaSet/{r.name}" for f in sets for r in f.refs) - {mine}
    if not sets:
        return Sign(None, wants=(Want(Below, subject),))
    from unstuck.scheduling.rollout import find_openings  # all filters, as in `_placed`

    found = tuple(find_openings(at.pod, at.cluster, old))
    inputs = snap.of(PlacingInputs, _placed.CLUSTER)
    return Sign(bool(found), tuple(_Stalled(pod, o) for o in found), (statement, *inputs, *sets))


def _find_stalled_pod(pod: Ref, pods: tuple[Ref, ...], snap: Facts) -> Sign[_Stalled]:
    """Return the message of its scheduler or its volume's attacher about it, if there are other Pods beside
    it.
    """
    by_scheduler = hearsay(
        snap,
        Unschedulable,
        pod,
        lambda f: [_Stalled(pod) for text, _ in f.reasons if any(w in text for w in _WORDS)],
    )
    others = {p.name for p in pods if p != pod and p.name}
    attached = hearsay(
        snap,
        Failure,
        pod,
        lambda f: (
            [_Stalled(pod)] if f.error == "multi-attach" and any(o in f.src.quote for o in others) else []
        ),
    )
    return any_of([s for s in (by_scheduler, attached) if s.value] if others else [])


def _make_finding(subject: Ref, snap: Facts, stalled: _Stalled, kept: tuple[Workload, ...]) -> Finding:
    pod, opening = stalled.pod, stalled.opening
    if opening:
        old = opening.owner.partition("/")[2]
        says = say(
            (
                "The rollout waits for itself: {pod} fits Node {node} only after an old Pod of {old} is "
                "gone from it"
            ),
            pod=pod.name,
            node=opening.node,
            old=old,
        )
    else:
        says = say("The rollout waits for itself: {pod} needs resources held by its old Pod", pod=pod.name)
    notes = tuple(_describe_strategy(w) for w in kept)
    return Finding(
        says,
        # Not the Deployment itself: that it waits follows from its Pod, whose own causes follow from this.
        culprit=Ref("Rollout", subject.within, subject.name),
        blocks=(pod, *_list_culprits(pod, snap)),
        notes=notes,
        help=(
            Step(
                say(
                    "remove an old Pod first (maxSurge: 0, maxUnavailable: 1); one Pod fewer serves meanwhile"
                ),
                where="source",
                command=command(
                    "kubectl patch {deployment} {space} -p "
                    """'{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}}}'""",
                    deployment=given.of(subject),
                    space=given.namespace(subject.within),
                ),
                risk="disrupts",
                verify=say("the new Pod is scheduled within seconds, and the rollout continues"),
            ),
            Step(
                say("or add a node that the new Pod may use; nothing is interrupted then"),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("delete the old Pod by hand"),
                say("its ReplicaSet recreates it at once, and it may take the space before the new one does"),
            ),
        ),
    )


def _describe_strategy(w: Workload) -> Text:
    away = w.unavailable_at_most or "0"
    return say(
        "maxUnavailable {away} of {wanted} does not allow removing an old Pod first",
        away=away,
        wanted=w.wanted,
    )


def _list_culprits(pod: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return the culprits of the Pod's scheduling causes: true as well, and consequences of the deadlock."""
    at = _placed.find_known_analysis(pod, snap)
    modules = (
        f"unstuck.causes.scheduling.{kind.replace('-', '_')}"
        for kind in (at.blamed if at else ())
        if "." not in kind
    )
    causes = (import_module(m).CAUSE for m in modules if importlib.util.find_spec(m))
    return tuple(cause.rule(pod, snap).finding().culprit for cause in causes)


CAUSE = Cause(
    id="controller.rollout-deadlock",
    title=say("a rollout waits for itself: the old Pod holds resources the new one needs"),
    subjects=("Deployment",),
    reads=_placed.READS | OF_ROOM | {Workload, Below, Failure, Deletion},
    rule=_rule,
)
