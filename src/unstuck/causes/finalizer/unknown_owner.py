"""No known controller in the cluster clears a finalizer

## How it happens

The finalizer was added by hand, by a script, or by a program that is no longer there and left no trace: no
workload, lease or well-known owner bears its name. Kubernetes never clears a finalizer that it does not know,
so the object stays.

## How to tell

The workloads and leases of the cluster were looked through and none belongs to the finalizer, whose name is
unknown. `managedFields` may name its author. It keeps the object in addition to any other cause: a Pod that
its kubelet cannot end waits for both.

## Known limits

Its owner may run outside the cluster. A missing owner is therefore no reason to remove the finalizer; ask its
author first.

## References

- Kubernetes documentation: Finalizers; kubernetes.io/blog/2021/05/14/using-finalizers-to-control-deletion;
  field notes
"""

from __future__ import annotations

from unstuck.causes.finalizer._owner import HeldFinalizer, find_owners, is_held_up, note_purpose
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    def nobody(held: HeldFinalizer) -> bool | None:
        if held.row or held.owner.candidates:
            return False
        return True if held.owner.whole and held.owner.searched else None

    unclaimed = find_owners(subject, snap, nobody)
    return Signs(
        applies=is_held_up(subject, snap),
        decisive={"nothing in the cluster claims it": unclaimed},
        finding=lambda: _make_finding(subject, unclaimed.hits[0]),
    )


def _make_finding(subject: Ref, held: HeldFinalizer) -> Finding:
    places = ", ".join(held.owner.searched)
    notes = [say("looked through: {places}", places=places)]
    if held.owner.group and held.owner.group_served is False:
        notes.append(say("the API group {group} is not served", group=held.owner.group))
    return Finding(
        say(
            "Nothing in this cluster is known to clear finalizer {held} of {subject}",
            held=held.name,
            subject=who(subject),
        ),
        culprit=Ref("Finalizer", None, held.name),
        blocks=(subject,),
        notes=(*notes, *note_purpose(held)),
        help=(
            Step(
                say("find out who added it, and what it protects"),
                command=command(
                    "kubectl get {object} {space} -o yaml --show-managed-fields",
                    object=given.of(subject),
                    space=given.space(subject),
                ),
            ),
        ),
        do_not=(
            DoNot(
                say("remove it before its owner is known"),
                say("the resources it protects would be orphaned, unnoticed"),
            ),
        ),
    )


CAUSE = Cause(
    id="finalizer.unknown-owner",
    title=say("no controller is known to remove a finalizer"),
    subjects=("*",),
    reads=frozenset({Deletion, Finalizers, FinalizerOwner}),
    rule=_rule,
)
