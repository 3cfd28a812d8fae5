"""A claim or volume is kept because something still uses it

## How it happens

Kubernetes does not delete a PersistentVolumeClaim while a Pod on a Node mounts it, nor a PersistentVolume while it is bound to a claim: a
finalizer keeps the object until the last user no longer exists. The deletion was accepted and completes by itself then.

## How to tell

`metadata.finalizers` holds `kubernetes.io/pvc-protection` or `kubernetes.io/pv-protection`, and a Pod in the claim's Namespace that is
bound to a Node mounts it, or the volume's phase is Bound. A Pod that has finished counts as long as it is there.

## Known limits

Why a Pod that is itself being deleted is not removed is a cause of its own, shown above this one. Other controllers (snapshots, CSI) keep
claims and volumes by finalizers of their own.

## References

- pkg/controller/volume/pvcprotection/pvc_protection_controller.go; pkg/controller/volume/pvprotection/pv_protection_controller.go
- Kubernetes documentation: Storage Object in Use Protection
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.finalizers import known
from unstuck.stages.overdue import overdue

_PROTECTION = ("kubernetes.io/pvc-protection", "kubernetes.io/pv-protection")
_SHOWN = 5


def _rule(subject: Ref, snap: Facts) -> Signs:
    kept = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n in _PROTECTION])
    used = some(snap, Users, subject, lambda f: f.refs)
    return Signs(
        applies=overdue(subject, snap),
        necessary={"its protection keeps it": kept},
        decisive={"something uses it": used},
        finding=lambda: _finding(subject, snap, kept.hits[0], tuple(sorted(used.hits, key=lambda r: r.key))),
    )


def _finding(subject: Ref, snap: Facts, finalizer: str, users: tuple[Ref, ...]) -> Finding:
    first = next((u for u in users if not _going(u, snap)), users[0])
    more, more_zh = (f" and {len(users) - 1} more", f"等 {len(users)} 个对象") if len(users) > 1 else ("", "")
    row = known(finalizer)
    lost = row.loses if row else ("what it protects is lost", "它所保护的内容会丢失")
    return Finding(
        Text(f"{who(first)}{more} still uses {who(subject)}", f"{who(first)}{more_zh}仍在使用 {who(subject)}"),
        culprit=first,
        blocks=(subject,),
        notes=tuple(_note(u, snap) for u in users[:_SHOWN]),
        help=(_help(first, subject, snap),),
        do_not=(DoNot(Text(f"remove the finalizer {finalizer}", f"移除 finalizer {finalizer}"), Text(lost[0], lost[1])),),
    )


def _going(user: Ref, snap: Facts) -> bool:
    return any(f.requested for f in snap.of(Deletion, user))


def _note(user: Ref, snap: Facts) -> Text:
    if _going(user, snap):
        return Text(f"{who(user)} is being deleted itself", f"{who(user)} 自身也在删除中")
    return Text(f"{who(user)} is not being deleted", f"{who(user)} 未在删除")


def _help(user: Ref, subject: Ref, snap: Facts) -> Step:
    done = Text(f"{who(subject)} is deleted automatically once nothing uses it any more", f"不再有使用者后，{who(subject)} 会自动删除")
    if _going(user, snap):
        return Step(Text(f"see why {who(user)} is not deleted", f"查明 {who(user)} 为何没有删除"), command=_why(user), verify=done)
    if user.kind == "PersistentVolumeClaim":
        return Step(
            Text(
                f"only if its data may be lost: delete PVC {user.within}/{user.name}",
                f"仅当数据可以丢弃时：删除 PVC {user.within}/{user.name}",
            ),
            risk="loses-data",
            verify=done,
        )
    return Step(
        Text(
            f"stop {who(user)} through its owner (scale it down, or point it to another PVC)",
            f"通过其所有者结束 {who(user)}（缩容，或改用其他 PVC）",
        ),
        risk="disrupts",
        verify=done,
    )


def _why(user: Ref) -> Command:
    return command("kubectl unstuck why {user} {space}", user=given.of(user), space=given.space(user))


CAUSE = Cause(
    id="deletion.protected-in-use",
    title=Text("the object being deleted is still in use", "待删除的对象仍被使用"),
    subjects=("PersistentVolumeClaim", "PersistentVolume"),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Users}),
    rule=_rule,
)
