"""A volume cannot be detached from a Node

## How it happens

A VolumeAttachment is deleted when no Pod on its Node uses the volume any more; its finalizer `external-attacher/…` keeps it until the CSI
driver's controller has detached the volume. That call fails: the storage refuses (credentials, an instance that is gone, a device still in
use), and the attacher tries again for ever. The volume stays attached, and its next Pod elsewhere waits.

## How to tell

The VolumeAttachment has been deleting for more than half a minute, its finalizer is still there, and `status.detachError` carries what the
driver said after the deletion was requested.

## Known limits

Without a detachError the attacher may be slow or gone: the finalizer's causes tell of that. A VolumeAttachment that is not being deleted,
because its Node does not report, is the Node's.

## References

- kubernetes-csi/external-attacher pkg/controller; storage.k8s.io/v1 VolumeAttachment; pkg/controller/volume/attachdetach
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion, Finalizers
from unstuck.facts.aspects.storage import Attached, Attachment
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue

_ATTACHER = "external-attacher/"


def _rule(subject: Ref, snap: Snapshot) -> Signs:
    due = max((f.due for f in snap.of(Deletion, subject) if f.due is not None), default=None)
    kept = some(snap, Finalizers, subject, lambda f: [n for n in f.names if n.startswith(_ATTACHER)])
    failed = some(
        snap, Attachment, subject, lambda f: [f.item] if f.item.error and (not f.item.since or not due or f.item.since >= due) else []
    )
    return Signs(
        applies=overdue(subject, snap),
        necessary={"its attacher's finalizer keeps it": kept},
        decisive={"the driver failed to detach since it was deleted": failed},
        finding=lambda: _finding(subject, failed.hits[-1], kept.hits[0]),
    )


def _finding(subject: Ref, item: Attached, finalizer: str) -> Finding:
    volume = item.volume or "an inline volume"
    return Finding(
        Text(
            f"CSI driver {item.driver} cannot detach {volume} from Node {item.node}",
            f"CSI 驱动 {item.driver} 无法将 {volume} 从节点 {item.node} 分离",
        ),
        culprit=Ref("CSIDriver", None, item.driver),
        blocks=(subject, *((Ref("PersistentVolume", None, item.volume),) if item.volume else ())),
        notes=(Text(f"it says: {item.error[:300]}", f"其错误：{item.error[:300]}"),),
        help=(
            Step(
                Text(
                    "repair what the driver names (its credentials, the device's users on that Node); it tries again by itself",
                    "修复驱动所述的问题（凭据、该节点上设备的使用者）；它会自动重试",
                ),
                verify=Text("the VolumeAttachment goes", "VolumeAttachment 随之消失"),
            ),
            Step(
                Text(
                    f"only if the machine of {item.node} is proved off and does not come back: taint the Node out-of-service, so that its "
                    "volumes are detached by force; what runs there loses its volumes",
                    f"仅当已证实 {item.node} 的机器已关闭且不会恢复：加 out-of-service 污点以强制分离其卷；其上运行的内容会失去卷",
                ),
                command=("kubectl", "taint", "nodes", item.node, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
                risk="loses-data",
                undo=("kubectl", "taint", "nodes", item.node, "node.kubernetes.io/out-of-service-"),
            ),
        ),
        do_not=(
            DoNot(
                Text(f"take off the finalizer {finalizer}", f"移除 finalizer {finalizer}"),
                Text(
                    "the storage keeps it attached, unknown to Kubernetes: the next attach fails, or two Nodes write to it",
                    "存储侧仍保持附加而 Kubernetes 不知情：下一次附加会失败，或两个节点同时写入",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.attachment-stuck",
    title=Text("a volume cannot be detached from a Node", "卷无法从节点分离"),
    subjects=("VolumeAttachment",),
    stages=("finalizers-cleared",),
    reads=frozenset({Deletion, Finalizers, Attachment}),
    rule=_rule,
)
