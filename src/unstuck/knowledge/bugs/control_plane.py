"""Known bugs of kube-controller-manager and kube-scheduler. Fixed versions: the release notes and
cherry-picks in `sources`.
"""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, issue, line, notes_of, pull

_K = "kubernetes/kubernetes"
_TRACKING = BugLook(finalizer="batch.kubernetes.io/job-tracking")
_LIFT = (
    (
        "once its Job is gone or finished, take this finalizer off the Pod; what it counted is then not in "
        "the Job's status"
    ),
    "确认其 Job 已不存在或已结束后，移除 Pod 上的该 finalizer；其计数不会再进入 Job 状态",
)

CONTROL_PLANE: tuple[KnownBug, ...] = (
    KnownBug(
        "kubernetes#108645",
        "kube-controller-manager",
        (line(1, 23, 0, 6),),
        (
            "the Job controller leaves its finalizer on Pods whose Job was deleted",
            "Job 控制器在 Job 删除后仍把 finalizer 留在 Pod 上",
        ),
        (_TRACKING,),
        (issue(_K, 108645), pull(_K, 108752), pull(_K, 109020), *notes_of(_K, "1.24.0")),
        workaround=_LIFT,
    ),
    KnownBug(
        "kubernetes#119159",
        "kube-controller-manager",
        (line(1, 24, 0, 16), line(1, 25, 0, 12), line(1, 26, 0, 7), line(1, 27, 0, 4)),
        (
            "the Job controller calls a Job finished before it has taken its finalizer off all Pods",
            "Job 控制器在移除所有 Pod 的 finalizer 之前就将 Job 判为结束",
        ),
        (_TRACKING,),
        (
            pull(_K, 119159),
            pull(_K, 119165),
            pull(_K, 119164),
            pull(_K, 119163),
            pull(_K, 119160),
            *notes_of(_K, "1.24.16", "1.28.0"),
        ),
        workaround=_LIFT,
    ),
    KnownBug(
        "kubernetes#134769",
        "kube-controller-manager",
        (line(1, 32, 0, 10), line(1, 33, 0, 6), line(1, 34, 0, 2)),
        (
            "the status of a Job that is resumed after it was suspended can no longer be written",
            "曾挂起再恢复的 Job，其状态无法再写入",
        ),
        (BugLook(words=r"starttime cannot be removed for unsuspended job", kinds=("Job", "Pod", "CronJob")),),
        (pull(_K, 134769), *notes_of(_K, "1.32.10", "1.33.6", "1.34.2", "1.35.0")),
        specific=True,
    ),
    KnownBug(
        "kubernetes#125796",
        "kube-controller-manager",
        (before(1, 32, 0),),
        (
            (
                "the garbage collector waits for good where one type cannot be listed (a conversion webhook "
                "that is down), and deletes nothing"
            ),
            "某一类型无法列出（如转换 webhook 失效）时，垃圾回收器会一直等待，什么也不删除",
        ),
        (
            BugLook(
                finalizer="foregroundDeletion",
                kinds=(
                    "Pod",
                    "Job",
                    "CronJob",
                    "Deployment",
                    "ReplicaSet",
                    "StatefulSet",
                    "DaemonSet",
                    "PersistentVolumeClaim",
                ),
            ),
        ),
        (pull(_K, 125796), *notes_of(_K, "1.32.0")),
        workaround=(
            "mend the webhook or the type that cannot be listed",
            "修复失效的 webhook 或无法列出的类型",
        ),
    ),
    KnownBug(
        "kubernetes#116138",
        "kube-controller-manager",
        (line(1, 27, 0, 2),),
        (
            "a volume is not detached where its Pod and its PVC were deleted together",
            "Pod 与 PVC 同时删除后，卷不会被分离",
        ),
        (BugLook(finalizer="external-attacher/", kinds=("PersistentVolume", "VolumeAttachment")),),
        (pull(_K, 116138), pull(_K, 117236), *notes_of(_K, "1.27.2", "1.28.0")),
    ),
    KnownBug(
        "kubernetes#121103",
        "kube-controller-manager",
        (line(1, 28, 0, 4),),
        (
            "it cannot delete Pods that name a variable or a port twice",
            "它无法删除重复声明同一环境变量或端口的 Pod",
        ),
        (BugLook(words=r"duplicate entries for key \["),),
        (pull(_K, 121103), pull(_K, 121379), *notes_of(_K, "1.28.4", "1.29.0")),
        specific=True,
    ),
    KnownBug(
        "kubernetes#123465",
        "kube-scheduler",
        (line(1, 28, 0, 10), line(1, 29, 0, 5)),
        (
            "a Pod stays pending where it may only run on a Node that no longer exists and on others",
            "Pod 允许的节点中若有已不存在的，它就一直处于 Pending",
        ),
        (BugLook(words=r"nodeinfo not found for node name"),),
        (issue(_K, 123465), pull(_K, 124559), pull(_K, 124764), *notes_of(_K, "1.28.10", "1.29.5")),
        specific=True,
        workaround=(
            "take the Node that is gone out of the volume's or the Pod's affinity",
            "从卷或 Pod 的亲和性中去掉已不存在的节点",
        ),
    ),
    KnownBug(
        "kubernetes#126643",
        "kube-scheduler",
        (line(1, 28, 4, 14), line(1, 29, 0, 9), line(1, 30, 0, 5), line(1, 31, 0, 1)),
        (
            (
                "it writes the preemptor's QoS class into the status of the Pod that it preempts; that Pod "
                "then cannot be updated and stays"
            ),
            "抢占时它把抢占者的 QoS 类写进被抢占 Pod 的状态，后者状态无法再更新而残留",
        ),
        (BugLook(words=r"qosclass: invalid value"),),
        (
            issue(_K, 126643),
            pull(_K, 126644),
            *notes_of(_K, "1.28.14", "1.29.9", "1.30.5", "1.31.1", "1.32.0"),
        ),
        specific=True,
    ),
)
