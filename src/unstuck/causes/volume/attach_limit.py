"""The Node can have no further volume attached

## How it happens

The machine takes only so many disks, and this Pod's volume is one too many. The scheduler counts by what the driver reports in CSINode;
where that is too high (disks and network cards that share the slots, volumes of another driver, disks attached by hand) it places the Pod
there and the attach fails.

## How to tell

`FailedAttachVolume` repeats with `ResourceExhausted`, `Attachment limit exceeded`, `max number of volumes`, or `The maximum number of data
disks allowed to be attached`. A kubelet from 1.34 on rejects such a Pod with reason VolumeAttachmentLimitExceeded.

## Known limits

How many there may be depends on the machine's type; the message tells it only for some storages. A Pod that was never placed for this
reason is scheduling.volume-attach-limit.

## References

- CSI specification, ControllerPublishVolume (RESOURCE_EXHAUSTED); kubernetes-sigs/aws-ebs-csi-driver pull 2500; kubernetes/kubernetes pull
  132933
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.operation in ("volume-attach", "volume-set-up") and f.error == "attach-limit"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    node = _starting.node_name(subject, snap)
    return Finding(
        Text(f"{name.en} cannot be attached: the node has reached its volume attach limit", f"{name.zh}无法挂接：节点挂接的卷数已达上限")
        + _starting.on(subject, snap),
        culprit=Ref("Node", None, node) if node else _starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text(
                    "cordon the node, then delete the Pod so that its owner recreates it elsewhere; the Pod is down meanwhile",
                    "先禁止向该节点调度，再删除该 Pod，由其所有者重建；期间该 Pod 不可用",
                ),
                risk="disrupts",
                verify=Text("the new Pod's volume is attached to another node", "新 Pod 的卷在另一个节点上挂接成功"),
            ),
            Step(
                Text(
                    "lower the limit the CSI driver reports for this machine type (its volume-attach-limit option)",
                    "调低 CSI 驱动为该机型报告的数量（其 volume-attach-limit 选项）",
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                Text("detach volumes of other Pods by hand", "手动解除挂接其他 Pod 的卷"),
                Text("their writers lose unwritten data", "正在写入者会丢失尚未写入的数据"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.attach-limit",
    title=Text("the node has reached its volume attach limit", "节点挂接的卷数已达上限"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
