"""The owner waits for its dependents, which are deleted first

## How it happens

It was deleted in the foreground (`--cascade=foreground`, `propagationPolicy: Foreground`). The garbage
collector deletes its dependents first, and removes the finalizer `foregroundDeletion` once the last dependent
with `blockOwnerDeletion` no longer exists. One dependent that is not deleted keeps its owner. A
CustomResourceDefinition waits in the same way for its custom resources in every Namespace, which the API
server deletes first.

## How to tell

`metadata.finalizers` holds `foregroundDeletion`, and objects of some type name this one's uid in their
`ownerReferences` with `blockOwnerDeletion: true`. For a CustomResourceDefinition the finalizer is
`customresourcecleanup.apiextensions.k8s.io`, and its condition Terminating is True with the reason
InstanceDeletionInProgress.

## Known limits

Why a dependent is not deleted is a separate cause, shown above this one. Dependents of types that cannot be
listed are not seen; where discovery of a group fails, the garbage collector itself may not see them either.
From the condition of a CustomResourceDefinition it is likely at most.

## References

- pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem, processDeletingDependentsItem)
- staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go
- Kubernetes documentation: Garbage Collection, Foreground cascading deletion
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Conditions, Deletion, Finalizers
from unstuck.facts.aspects.protection import Dependent, Dependents
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_SHOWN = 5
_DEFINITION = "CustomResourceDefinition"
_CLEANUP = "customresourcecleanup.apiextensions.k8s.io"

_RESOURCES = (
    "kubectl get {type} -A -o "
    "custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers"
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind == _DEFINITION and not any(
        "foregroundDeletion" in f.names for f in snap.of(Finalizers, subject)
    ):
        return _judge_definition(subject, snap)
    foreground = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n == "foregroundDeletion"])
    waited_for = some(snap, Dependents, subject, lambda f: [d for d in f.items if d.blocks])
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={"it waits for them in the foreground": foreground},
        decisive={"dependents that block it remain": waited_for},
        finding=lambda: _make_finding(
            subject, tuple(sorted(waited_for.hits, key=lambda d: (not d.finalizers, d.ref.key)))
        ),
    )


def _judge_definition(subject: Ref, snap: Facts) -> Signs:
    """Return the signs for a CustomResourceDefinition, whose condition does not name the remaining
    objects.
    """
    kept = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n == _CLEANUP])
    said = some(
        snap,
        Conditions,
        subject,
        lambda f: [
            c
            for c in f.items
            if (c.type, c.status, c.reason) == ("Terminating", "True", "InstanceDeletionInProgress")
        ],
    )
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={
            "it waits for its custom resources": kept,
            "the API server deletes them and is not through": said,
        },
        decisive={},
        supporting={"its condition says so": said},
        finding=lambda: _make_remaining_finding(subject),
    )


def _make_remaining_finding(subject: Ref) -> Finding:
    name = subject.name or "NAME"
    return Finding(
        say("{subject} waits for its custom resources, which are not being removed", subject=who(subject)),
        culprit=Ref("Contents", None, name),
        blocks=(subject,),
        help=(
            Step(
                say("see which dependents remain, and what blocks their deletion"),
                command=command(_RESOURCES, type=given.resource(name)),
            ),
            Step(
                say("restore the operator that clears their finalizers until they are gone"),
                where="source",
                verify=say("the CRD is deleted automatically once the last of them is gone"),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the finalizer {cleanup}", cleanup=_CLEANUP),
                say("its resources stay in etcd, hidden, and reappear with the next CRD of that name"),
            ),
        ),
    )


def _make_finding(subject: Ref, remaining: tuple[Dependent, ...]) -> Finding:
    first = remaining[0].ref
    more = (
        say(" and {more} more{all:|}", more=len(remaining) - 1, all=len(remaining))
        if len(remaining) > 1
        else NO_TEXT
    )
    return Finding(
        say(
            "{subject} waits for its dependents: {first}{more}",
            subject=who(subject),
            first=who(first),
            more=more,
        ),
        culprit=first,
        blocks=(subject,),
        notes=tuple(_note(d) for d in remaining[:_SHOWN]),
        help=(
            Step(
                say("see why {first} is not deleted", first=who(first)),
                command=ask_why(first),
                verify=say("the owner is deleted automatically once the last of them is gone"),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the finalizer foregroundDeletion"),
                say(
                    "the dependents are then deleted in the background, or stay stuck with nothing left to "
                    "show it"
                ),
            ),
        ),
    )


def _note(one: Dependent) -> Text:
    if one.finalizers:
        names = ", ".join(one.finalizers)
        return say("{ref} is held by {names}", ref=who(one.ref), names=names)
    if one.deleting:
        return say("{ref} is being deleted", ref=who(one.ref))
    return say("{ref} is not being deleted yet", ref=who(one.ref))


CAUSE = Cause(
    id="deletion.dependents-remain",
    title=say("dependents that must be deleted first still exist"),
    subjects=("*",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Dependents, Conditions}),
    rule=_rule,
)
