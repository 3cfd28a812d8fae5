"""Nothing in the cluster is known to clear a finalizer

## How it happens

The finalizer was added by hand, by a script, or by a program that is no longer there and left no trace: no workload, lease or
well-known owner bears its name. Kubernetes never clears a finalizer that it does not know, so the object stays.

## How to tell

The workloads and leases of the cluster were looked through and none belongs to the finalizer; nothing is known of its name.
`managedFields` may tell who added it. It keeps the object whatever else does: a Pod that its kubelet cannot end waits for both.

## Known limits

Its owner may run outside the cluster. That no owner was found is therefore no reason to remove it; whoever added it has to be asked.

## References

- Kubernetes documentation: Finalizers; kubernetes.io/blog/2021/05/14/using-finalizers-to-control-deletion; field notes
"""

from __future__ import annotations

from unstuck.causes.finalizer._owner import HeldFinalizer, held_up, owners, what_for
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    def nobody(held: HeldFinalizer) -> bool | None:
        if held.row or held.owner.candidates:
            return False
        return True if held.owner.whole and held.owner.searched else None

    unclaimed = owners(subject, snap, nobody)
    return Signs(
        applies=held_up(subject, snap),
        decisive={"nothing in the cluster claims it": unclaimed},
        finding=lambda: _finding(subject, unclaimed.hits[0]),
    )


def _finding(subject: Ref, held: HeldFinalizer) -> Finding:
    places = ", ".join(held.owner.searched)
    notes = [Text(f"looked through: {places}", f"已查找：{places}")]
    if held.owner.group and held.owner.group_served is False:
        notes.append(Text(f"the API group {held.owner.group} is not served", f"API 组 {held.owner.group} 未被提供"))
    return Finding(
        Text(
            f"Nothing in this cluster is known to clear finalizer {held.name} of {who(subject)}",
            f"本集群中没有已知组件会清除 {who(subject)} 的 finalizer {held.name}",
        ),
        culprit=Ref("Finalizer", None, held.name),
        blocks=(subject,),
        notes=(*notes, *what_for(held)),
        help=(
            Step(
                Text("find out who added it, and what it protects", "查明由谁添加，以及它要保护什么"),
                command=command(
                    "kubectl get {object} {space} -o yaml --show-managed-fields", object=given.of(subject), space=given.space(subject)
                ),
            ),
        ),
        do_not=(
            DoNot(
                Text("remove it before its owner is known", "在查明所有者之前将其移除"),
                Text("the resources it protects would be orphaned, unnoticed", "它所保护的内容会遗留下来且无人知晓"),
            ),
        ),
    )


CAUSE = Cause(
    id="finalizer.unknown-owner",
    title=Text("nothing is known to clear a finalizer", "finalizer 没有已知的清除者"),
    subjects=("*",),
    reads=frozenset({Deletion, Finalizers, FinalizerOwner}),
    rule=_rule,
)
