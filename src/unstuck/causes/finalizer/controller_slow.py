"""A finalizer's controller is alive and has not cleared it yet

## How it happens

The controller runs, but its clean-up takes long or fails and is tried again: a cloud API that answers slowly,
a queue of many objects, a leader that lost its lease and takes it up again. The object stays until the
clean-up is through.

## How to tell

The workload behind the finalizer has a Ready Pod or a lease in time. Either its lease has run out meanwhile,
or it wrote this very object within the last hour (`managedFields`). Its log gives the reason; controllers of
load balancers report it in Events of the object too (`SyncLoadBalancerFailed`, `FailedDeployModel`).

## Known limits

A live controller without a trace of work on this object, or one that shares no more than a word with the
finalizer, makes it likely only: it may be blocked elsewhere, or its patch may be refused by a webhook. So do
Events of it since the deletion. A controller without any sign of life is another cause.

## References

- Kubernetes documentation: Finalizers, Leases; field notes
- k8s.io/cloud-provider controllers/service/controller.go; aws-load-balancer-controller pkg/k8s/events.go
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.finalizer._owner import (
    HeldFinalizer,
    describe_tie,
    find_owners,
    is_alive,
    is_held_up,
    is_late,
    note_purpose,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, Command, command
from unstuck.diagnosis.sign import Sign, hearsay, only_yes
from unstuck.diagnosis.text import Messages, format_duration, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Event, Events, Finalizers
from unstuck.facts.aspects.reported import ControllerLines
from unstuck.facts.core import Ref, Want, shorten
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_RECENT = timedelta(hours=1)
# Ties by what a program did (collect/kube/questions/finalizers.py); a word in a name may be another one's.
_BY_DEEDS = ("writes this object", "holds ")
_QUOTED = 300
# The beginning of a finalizer's name, and the reasons of its controller's Events about a cleanup that fails.
_COMPLAINS = (
    ("service.kubernetes.io/load-balancer-cleanup", ("SyncLoadBalancerFailed",)),
    ("service.k8s.aws/", ("FailedBuildModel", "FailedDeployModel")),
    ("ingress.k8s.aws/", ("FailedBuildModel", "FailedDeployModel")),
    ("group.ingress.k8s.aws/", ("FailedBuildModel", "FailedDeployModel")),
)


_BY_HAND = DoNot(
    say("remove the finalizer by hand"),
    say("the controller is still cleaning up; the rest would be left behind"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    def at_work(candidate: Candidate) -> bool:
        return is_late(candidate, snap.now) or (
            candidate.touched is not None and snap.now - candidate.touched <= _RECENT
        )

    def lives(held: HeldFinalizer) -> bool | None:
        if any(is_alive(c, snap.now) for c in held.owner.candidates):
            return True
        return False if held.owner.whole else None

    def busy(held: HeldFinalizer) -> bool:
        found = held.owner.candidates
        alive = any(is_alive(c, snap.now) and _is_tied(c) for c in found)
        return alive and any(at_work(c) for c in found)

    living, working = find_owners(subject, snap, lives), find_owners(subject, snap, busy)
    fails = _find_complaints(subject, snap)

    def finding() -> Finding:
        found = next(iter((*working.hits, *living.hits)), None) if living.value else None
        return (
            _make_finding(subject, snap, found) if found else _make_failing_finding(subject, fails.hits[-1])
        )

    return Signs(
        applies=is_held_up(subject, snap),
        necessary={
            "its controller is alive": fails._replace(wants=living.wants)
            if fails.value and living.value is None
            else living
        },
        # A controller without visible work may still be working.
        decisive={"it wrote this object within the hour, or its lease ran out": only_yes(working)},
        supporting={
            "the finalizer is still there": Sign(living.value, seen=living.seen)
            if living.value
            else Sign(None),
            "its controller says that cleaning up fails": fails,
        },
        finding=finding,
    )


def _is_tied(candidate: Candidate) -> bool:
    """Tell whether what the candidate did ties it to the finalizer, and not a word that names share."""
    return candidate.why.startswith(_BY_DEEDS)


def _find_complaints(subject: Ref, snap: Facts) -> Sign[tuple[str, Event]]:
    """Find (finalizer, Event) from its controller since the deletion; never a no."""
    names = [n for f in snap.of(Finalizers, subject) for n in f.names]
    due = max((f.due for f in snap.of(Deletion, subject) if f.due), default=None)
    said = [(n, reasons) for n in names for start, reasons in _COMPLAINS if n.startswith(start)]

    def since(event: Event) -> bool:
        return event.warning and (event.last is None or due is None or event.last >= due)

    return hearsay(
        snap,
        Events,
        subject,
        lambda f: [(n, e) for n, reasons in said for e in f.items if e.reason in reasons and since(e)],
    )


def _make_failing_finding(subject: Ref, said: tuple[str, Event]) -> Finding:
    """Return the finding if the controller's Pods were not seen and its own events report a failure."""
    name, event = said
    words = " ".join(event.message.split())[:300]
    return Finding(
        say("The controller that clears finalizer {name} is failing", name=name),
        culprit=Ref("Finalizer", None, name),
        blocks=(subject,),
        notes=(say("controller: {words}", words=words),),
        help=(
            Step(
                say(
                    "fix the reported problem in the cloud (permissions, remaining dependents, manually "
                    "deleted resources); it retries automatically"
                ),
                verify=say("it clears the finalizer"),
            ),
        ),
        do_not=(_BY_HAND,),
    )


def _make_finding(subject: Ref, snap: Facts, held: HeldFinalizer) -> Finding:
    owner = next(c for c in held.owner.candidates if is_alive(c, snap.now))
    touched = max((c.touched for c in held.owner.candidates if c.touched), default=None)
    notes = [describe_tie(owner)]
    if touched:
        span = format_duration(snap.now - touched)
        notes.append(say("it last updated this object {span} ago", span=span))
    told = tuple(f for f in snap.of(ControllerLines, subject) if f.items)
    says = say(
        "The controller {ref} is running and has not cleared finalizer {held} yet",
        ref=who(owner.ref),
        held=held.name,
    )
    if told:
        line = told[0].items[-1]
        says += say(
            "; {controller} reports of the object in its log “{line}”",
            controller=who(line.by),
            line=shorten(line.line, _QUOTED),
        )
    return Finding(
        says,
        culprit=owner.ref,
        blocks=(subject,),
        notes=(*notes, *note_purpose(held)),
        help=(
            Step(
                say("read its log for this object, and fix the dependency it is waiting on"),
                command=_log(owner.ref),
                verify=say("it clears the finalizer"),
            ),
        ),
        do_not=(_BY_HAND,),
        enrich=() if snap.of(ControllerLines, subject) else (Want(ControllerLines, subject),),
        seen=told,
    )


def _log(ref: Ref) -> Command:
    if ref.kind not in ("Deployment", "StatefulSet", "DaemonSet") or ref.name is None or ref.within is None:
        return NO_COMMAND
    return command("kubectl logs {space} {owner} --tail=200", space=given.space(ref), owner=given.of(ref))


CAUSE = Cause(
    id="finalizer.controller-slow",
    title=say("a finalizer's controller has not cleared it yet"),
    subjects=("*",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({ControllerLines, Deletion, Events, Finalizers, FinalizerOwner}),
    rule=_rule,
)
