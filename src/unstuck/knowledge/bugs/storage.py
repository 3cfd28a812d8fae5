"""Known bugs of CSI sidecars, the snapshot controller and CSI drivers. Fixed versions: the CHANGELOG of
each, and tags.
"""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, line, notes_of, pull

_P = "kubernetes-csi/external-provisioner"
_A = "kubernetes-csi/external-attacher"
_S = "kubernetes-csi/external-snapshotter"
_E = "kubernetes-sigs/aws-ebs-csi-driver"
_SNAPSHOT = "VolumeSnapshot.snapshot.storage.k8s.io"
_CONTENT = "VolumeSnapshotContent.snapshot.storage.k8s.io"
_SOURCE = BugLook(
    finalizer="snapshot.storage.kubernetes.io/pvc-as-source-protection", kinds=("PersistentVolumeClaim",)
)
_NO_SNAPSHOT = (
    "once no VolumeSnapshot of this PVC is still being taken, take this finalizer off it",
    "确认该 PVC 没有正在创建的 VolumeSnapshot 后，移除该 finalizer",
)

STORAGE: tuple[KnownBug, ...] = (
    KnownBug(
        "external-provisioner#1250",
        "csi-provisioner",
        (line(5, 0, 0, 2),),
        (
            (
                "it does not take its finalizer off PersistentVolumes, which stay Terminating after their "
                "PVC is gone"
            ),
            "它不移除 PersistentVolume 上的 finalizer，PVC 删除后 PV 一直停在 Terminating",
        ),
        (
            BugLook(
                finalizer="external-provisioner.volume.kubernetes.io/finalizer", kinds=("PersistentVolume",)
            ),
        ),
        (pull(_P, 1250), pull(_P, 1251), *notes_of(_P, "5.0.2", "5.1.0")),
        specific=True,
        workaround=(
            (
                "once the driver has deleted the volume, take this finalizer off the PersistentVolume; "
                "earlier, the storage would be left over"
            ),
            "确认驱动已删除该卷后，移除 PV 上的该 finalizer；否则存储会残留",
        ),
    ),
    KnownBug(
        "external-provisioner#896",
        "csi-provisioner",
        (before(3, 5, 0),),
        (
            (
                "where the Node that was chosen for a PVC is deleted, the Pod waits without end and is not "
                "scheduled again"
            ),
            "为 PVC 选定的节点被删除后，Pod 无限等待而不会重新调度",
        ),
        (
            BugLook(
                operations=("volume-provision",),
                words=r"node \"?[\w.-]{1,253}\"? not found",
                kinds=("Pod", "PersistentVolumeClaim"),
            ),
        ),
        (pull(_P, 896), *notes_of(_P, "3.5.0")),
        workaround=(
            "take the annotation volume.kubernetes.io/selected-node off the PVC",
            "移除 PVC 上的注解 volume.kubernetes.io/selected-node",
        ),
    ),
    KnownBug(
        "external-provisioner#1519",
        "csi-provisioner",
        (line(6, 0, 1, 2), line(6, 1, 1, 2), line(6, 2, 0, 1)),
        (
            (
                "its finalizer stays on snapshots where it ended or the PVC was deleted while a volume was "
                "made from them"
            ),
            "从快照创建卷期间若它退出或 PVC 被删除，其 finalizer 会残留在快照上",
        ),
        (
            BugLook(
                finalizer="provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection",
                kinds=(_SNAPSHOT, "VolumeSnapshot"),
            ),
        ),
        (pull(_P, 1519), pull(_P, 1522), pull(_P, 1523), pull(_P, 1524), *notes_of(_P, "6.3.0")),
        workaround=(
            "once no PVC is made from this snapshot, take this finalizer off it",
            "确认没有 PVC 正从该快照创建后，移除该 finalizer",
        ),
    ),
    KnownBug(
        "external-attacher#294",
        "csi-attacher",
        (before(3, 2, 0),),
        (
            "it leaves its finalizer on volumes that were migrated to CSI once the migration is turned off",
            "关闭 CSI 迁移后，它把 finalizer 遗留在已迁移的卷上",
        ),
        (BugLook(finalizer="external-attacher/", kinds=("PersistentVolume",)),),
        (pull(_A, 294), *notes_of(_A, "3.2.0")),
    ),
    KnownBug(
        "external-snapshotter#1133",
        "snapshot-controller",
        (before(8, 1, 0),),
        (
            "its finalizer stays on a PVC where the update that takes it off meets a conflict",
            "移除 PVC 上的 finalizer 时若遇更新冲突，该 finalizer 会残留",
        ),
        (_SOURCE,),
        (pull(_S, 1133), *notes_of(_S, "8.1.0")),
        workaround=_NO_SNAPSHOT,
    ),
    KnownBug(
        "external-snapshotter#1339",
        "snapshot-controller",
        (before(8, 6, 0),),
        (
            "after conflicting updates it does not try again to take its finalizer off a PVC",
            "更新冲突之后它不再重试移除 PVC 上的 finalizer",
        ),
        (_SOURCE,),
        (pull(_S, 1339), *notes_of(_S, "8.6.0")),
        workaround=_NO_SNAPSHOT,
    ),
    KnownBug(
        "external-snapshotter#1303",
        "csi-snapshotter",
        (before(8, 3, 0),),
        (
            "where the API server is away for a moment its finalizer stays on a VolumeSnapshotContent",
            "API server 短暂不可用时，其 finalizer 会残留在 VolumeSnapshotContent 上",
        ),
        (
            BugLook(
                finalizer="snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection",
                kinds=(_CONTENT, "VolumeSnapshotContent"),
            ),
        ),
        (pull(_S, 1303), *notes_of(_S, "8.3.0")),
    ),
    KnownBug(
        "aws-ebs-csi-driver#2749",
        "aws-ebs-csi-driver",
        (line(1, 49, 0, 2), line(1, 50, 0, 3), line(1, 51, 0, 2), line(1, 52, 0, 1)),
        (
            "it reports one volume more than a Nitro instance takes, so that Pods go to Nodes that are full",
            "它上报的卷上限比 Nitro 实例实际能挂的多一个，Pod 会被调度到已满的节点",
        ),
        (BugLook(operations=("volume-attach",), errors=("attach-limit",)),),
        (pull(_E, 2749), *notes_of(_E, "1.49.2", "1.50.3", "1.51.2", "1.52.1")),
        workaround=("delete the Pod, so that it is scheduled again", "删除该 Pod 使其重新调度"),
    ),
)
