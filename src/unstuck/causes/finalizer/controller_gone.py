"""The controller that clears a finalizer is not running

## How it happens

A finalizer is a controller's promise to clean up before an object is deleted. The controller was scaled to
zero, crashes, or was uninstalled before its objects. No other component clears its finalizer, so the object
stays in deletion forever.

## How to tell

`metadata.deletionTimestamp` is set and `metadata.finalizers` is not empty. The workload that writes the
object, or carries the finalizer's name, has no Ready Pod, and no lease of it is in time.

## Known limits

A long silence is no proof, and a controller that could not be looked up is not gone. If only a lease of the
controller is left, or a well-known controller was not found at all, it is likely only: the name may differ. A
controller that may run outside the cluster is never reported as gone. Finalizers of Kubernetes itself wait
for a condition and are other causes.

## References

- Kubernetes documentation: Finalizers
- staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go
"""

from __future__ import annotations

from unstuck.causes.finalizer._owner import (
    HeldFinalizer,
    describe_tie,
    find_owners,
    is_alive,
    is_down,
    is_held_up,
    is_late,
    make_removal_step,
    note_purpose,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import only_yes
from unstuck.diagnosis.text import Messages, format_duration, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    def gone(held: HeldFinalizer) -> bool | None:
        found = held.owner.candidates
        if any(is_alive(c, snap.now) for c in found):
            return False
        if not found:
            return False if held.row is None and held.owner.whole else None
        elsewhere = held.row is not None and held.row.elsewhere
        return (
            True
            if held.owner.whole and not elsewhere and any(is_down(c) and not c.weak for c in found)
            else None
        )

    def missing(held: HeldFinalizer) -> bool:
        """Tell whether no workload was found for a well-known controller, or only a stale lease is left of
        it.
        """
        row, found = held.row, held.owner.candidates
        left = bool(found) and all(c.ready is None and is_late(c, snap.now) for c in found)
        looked = held.owner.whole and "deployments" in held.owner.searched
        return looked and not (row and row.elsewhere) and (left or (row is not None and not found))

    stopped, absent = find_owners(subject, snap, gone), find_owners(subject, snap, missing)

    def finding() -> Finding:
        return _make_finding(subject, snap, (*stopped.hits, *absent.hits)[0], proved=bool(stopped.value))

    return Signs(
        applies=is_held_up(subject, snap),
        decisive={"its controller has no Ready Pod and no lease in time": stopped},
        supporting={"no workload of its controller was found in the cluster": only_yes(absent)},
        finding=finding,
    )


def _make_finding(subject: Ref, snap: Facts, held: HeldFinalizer, proved: bool) -> Finding:
    dead = next((c for c in held.owner.candidates if is_down(c)), None)
    lease = next((c for c in held.owner.candidates if c.renewed is not None and not dead), None)
    name = held.row.owner if held.row else held.owner.manager or "controller"
    if dead:
        says = say(
            "Nothing clears finalizer {held}: its controller {ref} has no Ready Pod",
            held=held.name,
            ref=who(dead.ref),
        )
        why = describe_tie(dead)
        ready, wanted = dead.ready, dead.wanted
        counts = (
            (say("{ready} of {wanted} Pods are Ready", ready=ready, wanted=wanted),)
            if wanted is not None
            else ()
        )
        notes = (why, *counts)
    elif lease and lease.renewed:
        span = format_duration(snap.now - lease.renewed)
        says = say(
            (
                "Nothing clears finalizer {held}: its controller's lease has expired and its workload was "
                "not found"
            ),
            held=held.name,
        )
        notes = (say("{ref} was last renewed {span} ago", ref=who(lease.ref), span=span),)
    else:
        says = say(
            "Nothing clears finalizer {held}: no {name} was found in this cluster", held=held.name, name=name
        )
        notes = ()
    back = Step(
        say("restore the controller (repair, scale up or reinstall it)"),
        where="source",
        verify=say("it clears the finalizer, and the object is deleted"),
    )
    patch = make_removal_step(subject, snap, held) if proved else None
    return Finding(
        says,
        culprit=dead.ref if dead else lease.ref if lease else Ref("Finalizer", None, held.name),
        blocks=(subject,),
        notes=(*notes, *note_purpose(held)),
        help=(back, patch) if patch else (back,),
        do_not=(
            DoNot(
                say("empty the whole list of finalizers"),
                say("other controllers' cleanup would be skipped too"),
            ),
        ),
    )


CAUSE = Cause(
    id="finalizer.controller-gone",
    title=say("the controller that clears a finalizer is not running"),
    subjects=("*",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, FinalizerOwner}),
    rule=_rule,
)
