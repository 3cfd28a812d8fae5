"""A volume that one Pod alone may use is in use by another Pod

## How it happens

A claim of access mode ReadWriteOncePod is used by another Pod already, or a disk named in the Pod itself (iSCSI, RBD, an old cloud disk)
is on the Node by another Pod: the old Pod of a rollout that waits for the new one, a Pod that does not end, a copy of a workload
that shares the claim.

## How to tell

The condition says `node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod` or
`node(s) had no available disk`. Held against the objects, that is what keeps the Pod from the Nodes that come nearest; the claim, and the
Pods that use it, are named by their owner and Node.

## Known limits

The objects are read now, the scheduler's message is of its last attempt: where they give different reasons, nothing is proven. Filters of a
scheduler that is configured differently, or extended, are not known here. A ReadWriteOnce claim that is attached elsewhere does not keep a
Pod from being placed: that is told once it waits on its Node (volume.multi-attach).

## References

- Kubernetes pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go (1.34); KEP-2485
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.claims import InUse

_KIND = "volume-in-use"


def _words(text: str) -> bool:
    return "in-use by another pod" in text or "no available disk" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, _: _finding(pod, at))


def _users(at: PlacementAnalysis) -> tuple[InUse, ...]:
    from unstuck.scheduling.claims import in_use  # with what holds the objects, which is there only where they were read

    return in_use(at.pod, at.cluster)


def _finding(pod: Ref, at: PlacementAnalysis | None) -> Finding:
    users = _users(at) if at else ()
    name = users[0].claim if users else ""
    notes = tuple(
        Text(
            f"{u.claim} is in use on {u.node} by {u.pods} of {u.owner or 'no controller'}",
            f"{u.claim} 正被 {u.node} 上 {u.owner or '不属于任何控制器'}的 {u.pods} 个 Pod 使用",
        )
        for u in users[:3]
    )
    one, one_zh = (f"claim {name}, which one Pod alone may use,", f"只允许一个 Pod 使用的 PVC {name} ") if name else ("", "")
    says = Text(f"{one} is in use by another Pod", f"{one_zh}正被另一个 Pod 使用")
    if not name:
        says = Text("a volume the Pod needs is in use by another Pod", "Pod 需要的卷正被另一个 Pod 使用")
    return Finding(
        says,
        culprit=Ref("PersistentVolumeClaim", pod.within, name) if name else Ref("Volume", pod.within),
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                Text("find the Pod that uses it, and whether it is still needed", "找出正在使用它的 Pod，确认是否仍需要"),
                command=command("kubectl describe {claim} {space}", claim=given.obj("pvc", name or None), space=given.space(pod)),
                verify=_placed.PLACED,
            ),
            Step(
                Text(
                    "for a Deployment with such a PVC: strategy Recreate, so that the old Pod ends before the new one needs the volume",
                    "使用此类 PVC 的 Deployment：改用 Recreate 策略，使旧 Pod 先结束、新 Pod 再使用该卷",
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                Text("change the access mode to let both in", "更改访问模式让两者同时使用"),
                Text("two writers destroy the data on a volume meant for one", "为单一写入者设计的卷会被两个写入者毁坏"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.volume-in-use",
    title=Text("a ReadWriteOncePod volume is already used by another Pod", "ReadWriteOncePod 卷正被另一个 Pod 使用"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
