"""A claim or volume is kept because something still uses it

## How it happens

Kubernetes does not delete a PersistentVolumeClaim while a Pod on a Node mounts it, nor a PersistentVolume
while it is bound to a claim: a finalizer keeps the object until the last user no longer exists. The deletion
was accepted and completes by itself then.

## How to tell

`metadata.finalizers` holds `kubernetes.io/pvc-protection` or `kubernetes.io/pv-protection`, and a Pod in the
claim's Namespace that is bound to a Node mounts it, or the volume's phase is Bound. A finished Pod counts as
long as it exists, though none of its containers runs: delete it, or the Job that made it, which interrupts no
work.

## Known limits

Why a Pod that is itself being deleted is not removed is a separate cause, shown above this one. Other
controllers (snapshots, CSI) keep claims and volumes by finalizers of their own.

## References

- pkg/controller/volume/pvcprotection/pvc_protection_controller.go;
  pkg/controller/volume/pvprotection/pv_protection_controller.go
- Kubernetes documentation: Storage Object in Use Protection
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, make_text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion, Finalizers, Owners, Phase
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.finalizers import find_known
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_PROTECTION = ("kubernetes.io/pvc-protection", "kubernetes.io/pv-protection")
_SHOWN = 5


def _rule(subject: Ref, snap: Facts) -> Signs:
    kept = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n in _PROTECTION])
    used = some(snap, Users, subject, lambda f: f.refs)
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={"its protection keeps it": kept},
        decisive={"something uses it": used},
        supporting={"it is being deleted, and its finalizers were not seen": _find_unseen(subject, snap)},
        finding=lambda: _make_finding(
            subject, snap, kept.hits[0], tuple(sorted(used.hits, key=lambda r: r.key))
        ),
    )


def _find_unseen(subject: Ref, snap: Facts) -> Sign[Deletion]:
    """Find the row of a claim or volume that is being deleted: each has this protection unless it was
    removed.
    """
    if snap.of(Finalizers, subject):
        return Sign(None)
    seen = tuple(f for f in snap.of(Deletion, subject) if f.requested and not f.whole)
    return Sign(None, seen, seen)


def _make_finding(subject: Ref, snap: Facts, finalizer: str, users: tuple[Ref, ...]) -> Finding:
    first = next((u for u in users if not _is_being_deleted(u, snap)), users[0])
    more = say(" and {more} more{all:|}", more=len(users) - 1, all=len(users)) if len(users) > 1 else NO_TEXT
    row = find_known(finalizer)
    lost = make_text(row.loses) if row else say("what it protects is lost")
    says = say("{first}{more} still uses {subject}", first=who(first), more=more, subject=who(subject))
    if ended := _find_end(first, snap):
        says = say(
            "{first}{more} still refers to {subject}", first=who(first), more=more, subject=who(subject)
        )
        says += say(
            "; its phase is {phase}: none of its programs runs, but it counts as a user as long as it exists",
            phase=ended,
        )
        says += (
            say("; it belongs to {owner}", owner=who(owner))
            if (owner := _find_owner(first, snap))
            else NO_TEXT
        )
        lost = say("with reclaim policy Delete its data go with it, whether they are still wanted or not")
    return Finding(
        says + say("; finalizer {finalizer} waits for that", finalizer=finalizer),
        culprit=first,
        blocks=(subject,),
        notes=tuple(_note(u, snap) for u in users[:_SHOWN]),
        help=(_help(first, subject, snap),),
        do_not=(DoNot(say("remove the finalizer {finalizer}", finalizer=finalizer), lost),),
    )


def _find_end(user: Ref, snap: Facts) -> str:
    """Return the phase in which a Pod has ended, "" while it may run."""
    phases = (f.phase for f in snap.of(Phase, user)) if user.kind == "Pod" else ()
    return next((p for p in phases if p in ("Succeeded", "Failed")), "")


def _find_owner(user: Ref, snap: Facts) -> Ref | None:
    return next((f.controller for f in snap.of(Owners, user) if f.controller), None)


def _is_being_deleted(user: Ref, snap: Facts) -> bool:
    return any(f.requested for f in snap.of(Deletion, user))


def _note(user: Ref, snap: Facts) -> Text:
    if _is_being_deleted(user, snap):
        return say("{user} is being deleted itself", user=who(user))
    return say("{user} is not being deleted", user=who(user))


def _help(user: Ref, subject: Ref, snap: Facts) -> Step:
    done = say("{subject} is deleted automatically once nothing uses it any more", subject=who(subject))
    if _is_being_deleted(user, snap):
        return Step(say("see why {user} is not deleted", user=who(user)), command=ask_why(user), verify=done)
    if user.kind == "PersistentVolumeClaim":
        return Step(
            say(
                "only if its data may be lost: delete PVC {within}/{user}", within=user.within, user=user.name
            ),
            risk="loses-data",
            verify=done,
        )
    if _find_end(user, snap):
        owner = _find_owner(user, snap)
        goes = owner if owner and owner.kind == "Job" else user
        return Step(
            say("delete {it}, which has ended: its log is lost with it", it=who(goes)),
            command=command("kubectl delete {it} {space}", it=given.of(goes), space=given.space(goes)),
            risk="loses-data",
            verify=done,
        )
    return Step(
        say("stop {user} through its owner (scale it down, or point it to another PVC)", user=who(user)),
        risk="disrupts",
        verify=done,
    )


CAUSE = Cause(
    id="deletion.protected-in-use",
    title=say("the object being deleted is still in use"),
    subjects=("PersistentVolumeClaim", "PersistentVolume"),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Owners, Phase, Users}),
    rule=_rule,
)
