"""The owner waits for its dependents, which go first

## How it happens

It was deleted in the foreground (`--cascade=foreground`, `propagationPolicy: Foreground`). The garbage collector deletes what it owns
first, and takes the finalizer `foregroundDeletion` off when the last dependent with `blockOwnerDeletion` is gone. One dependent that does
not go keeps its owner.

## How to tell

`metadata.finalizers` holds `foregroundDeletion`, and objects of some type name this one's uid in their `ownerReferences` with
`blockOwnerDeletion: true`.

## Known limits

Why a dependent does not go is a cause of its own, shown above this one. Dependents of types that cannot be listed are not seen; where
discovery of a group fails, the garbage collector itself may not see them either.

## References

- pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem, processDeletingDependentsItem)
- Kubernetes documentation: Garbage Collection, Foreground cascading deletion
"""

from __future__ import annotations

from unstuck.causes._commands import space
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.aspects.protection import Dependent, Dependents
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue
from unstuck.stages.state import who

_SHOWN = 5


def _rule(subject: Ref, snap: Snapshot) -> Signs:
    foreground = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n == "foregroundDeletion"])
    waited_for = some(snap, Dependents, subject, lambda f: [d for d in f.items if d.blocks])
    return Signs(
        applies=overdue(subject, snap),
        necessary={"it waits for them in the foreground": foreground},
        decisive={"dependents that block it remain": waited_for},
        finding=lambda: _finding(subject, tuple(sorted(waited_for.hits, key=lambda d: (not d.finalizers, d.ref.key)))),
    )


def _finding(subject: Ref, remaining: tuple[Dependent, ...]) -> Finding:
    first = remaining[0].ref
    more, more_zh = (f" and {len(remaining) - 1} more", f"等 {len(remaining)} 个对象") if len(remaining) > 1 else ("", "")
    place = space(first)
    return Finding(
        Text(
            f"{who(subject)} waits for its dependents: {who(first)}{more}",
            f"{who(subject)} 在等待其从属对象：{who(first)}{more_zh}",
        ),
        culprit=first,
        blocks=(subject,),
        notes=tuple(_note(d) for d in remaining[:_SHOWN]),
        help=(
            Step(
                Text(f"see why {who(first)} does not go", f"查明 {who(first)} 为何没有消失"),
                command=("kubectl", "unstuck", "why", f"{first.kind.lower()}/{first.name}", *place),
                verify=Text("the owner goes by itself once the last of them is gone", "最后一个从属对象消失后，所有者会自行消失"),
            ),
        ),
        do_not=(
            DoNot(
                Text("take off the finalizer foregroundDeletion", "移除 finalizer foregroundDeletion"),
                Text(
                    "the dependents then go in the background, or stay where they are stuck, and nothing shows it any more",
                    "从属对象会改为在后台删除，或继续卡住，且不再有任何迹象",
                ),
            ),
        ),
    )


def _note(one: Dependent) -> Text:
    if one.finalizers:
        names = ", ".join(one.finalizers)
        return Text(f"{who(one.ref)} is held by {names}", f"{who(one.ref)} 由 {names} 保留")
    if one.deleting:
        return Text(f"{who(one.ref)} is being deleted", f"{who(one.ref)} 正在删除")
    return Text(f"{who(one.ref)} is not being deleted yet", f"{who(one.ref)} 尚未开始删除")


CAUSE = Cause(
    id="deletion.dependents-remain",
    title=Text("dependents that go first are still there", "应先删除的从属对象仍然存在"),
    subjects=("*",),
    stages=("finalizers-cleared", "gone"),
    reads=frozenset({Deletion, Finalizers, Dependents}),
    rule=_rule,
)
