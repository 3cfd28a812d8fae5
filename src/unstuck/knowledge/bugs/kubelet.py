"""Known bugs of the kubelet.

Fixed versions: the release notes in `sources` (CHANGELOG-MINOR.md, section of the version), and the
cherry-picks into the branches.
"""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, issue, line, notes_of, pull
from unstuck.knowledge.versions import VersionRange

_K = "kubernetes/kubernetes"
_RESTART = ("restart the kubelet: containers keep running", "重启 kubelet：容器继续运行")

KUBELET: tuple[KnownBug, ...] = (
    KnownBug(
        "kubernetes#105204",
        "kubelet",
        (line(1, 22, 0, 9), line(1, 23, 0, 6)),
        (
            "it mounts volumes before it has registered their ConfigMaps and Secrets",
            "它在登记 ConfigMap 与 Secret 之前就挂载引用它们的卷",
        ),
        (BugLook(operations=("volume-set-up",), errors=("not-registered",)),),
        (issue(_K, 105204), pull(_K, 108754), pull(_K, 108756)),
        specific=True,
    ),
    KnownBug(
        "kubernetes#122960",
        "kubelet",
        (before(1, 30, 0),),
        (
            "after a restart it unmaps block volumes with an empty path, fails and never ends the Pod",
            "重启后它以空路径解除块卷映射，不断失败，Pod 无法结束",
        ),
        (BugLook(words=r"globalunmappath:,|unmap device from map path\. mappath is empty"),),
        (issue(_K, 122960), pull(_K, 123032), *notes_of(_K, "1.30.0")),
        specific=True,
    ),
    KnownBug(
        "kubernetes#106942",
        "kubelet",
        (before(1, 28, 8), line(1, 29, 0, 3)),
        (
            (
                "it removes the mount point of a subPath that is a file as if it were a directory, and the "
                "volume stays"
            ),
            "它把文件类 subPath 的挂载点当作目录删除，卷因此残留",
        ),
        (BugLook(words=r"(?:remove|rmdir|unlinkat) /\S{0,300}volume-subpaths/\S{1,400}: not a directory"),),
        (issue(_K, 106942), pull(_K, 123052), *notes_of(_K, "1.28.8", "1.29.3", "1.30.0")),
        specific=True,
    ),
    KnownBug(
        "kubernetes#111933",
        "kubelet",
        (before(1, 28, 0),),
        (
            (
                "it cannot clean up what Pods left that were evicted while the Node was down: it takes a "
                "file for a directory"
            ),
            "节点宕机期间被驱逐的 Pod 的残留目录无法清理：它把文件当作目录",
        ),
        (BugLook(words=r"error not a directory occurred when trying to remove the volumes dir"),),
        (issue(_K, 111933), pull(_K, 116134), *notes_of(_K, "1.28.0")),
        specific=True,
    ),
    KnownBug(
        "kubernetes#101398",
        "kubelet",
        (before(1, 20, 7), line(1, 21, 0, 1)),
        (
            (
                "it does not take a mount whose SMB server is down for a broken one, so that the volume is "
                "never unmounted"
            ),
            "SMB 服务器宕机后的挂载未被视为损坏，卷始终无法卸载",
        ),
        (BugLook(operations=("volume-tear-down", "device-unmount"), words=r"host is down"),),
        (pull(_K, 101398), *notes_of(_K, "1.20.7", "1.21.1", "1.22.0")),
        specific=True,
        workaround=(
            "bring the SMB server back, or unmount the path lazily",
            "恢复 SMB 服务器，或延迟卸载该路径",
        ),
    ),
    KnownBug(
        "kubernetes#128219",
        "kubelet",
        (before(1, 29, 13), line(1, 30, 0, 9), line(1, 31, 0, 5)),
        (
            "it takes a volume for detached whose device is still mounted, and the Pod stays Terminating",
            "设备仍处于挂载状态时它就把卷视为已分离，Pod 停在 Terminating",
        ),
        (BugLook(operations=("device-unmount",)),),
        (pull(_K, 128219), *notes_of(_K, "1.29.13", "1.30.9", "1.31.5", "1.32.0")),
        workaround=_RESTART,
    ),
    KnownBug(
        "kubernetes#133072",
        "kubelet",
        (VersionRange((1, 29, 0), (1, 33, 6)), line(1, 34, 0, 2)),
        (
            (
                "where a sidecar's startup probe fails at first, the main containers of a Pod with "
                "restartPolicy Never are never started"
            ),
            "sidecar 的启动探针起初失败时，restartPolicy 为 Never 的 Pod 的主容器不再启动",
        ),
        (BugLook(operations=("probe-startup",)),),
        (pull(_K, 133072), *notes_of(_K, "1.33.6", "1.34.2", "1.35.0")),
        workaround=("delete the Pod; its owner creates another one", "删除该 Pod；其所有者会创建新的"),
    ),
    KnownBug(
        "kubernetes#127162",
        "kubelet",
        (line(1, 29, 0, 9), line(1, 30, 0, 5), line(1, 31, 0, 1)),
        (
            "after the runtime was away for a moment it may never start the init containers",
            "运行时短暂不可用之后，它可能不再启动 init 容器",
        ),
        (
            BugLook(
                operations=("sandbox-create", "container-create", "container-start"), errors=("runtime-gone",)
            ),
        ),
        (pull(_K, 127162), *notes_of(_K, "1.29.9", "1.30.5", "1.31.1", "1.32.0")),
        workaround=("delete the Pod; its owner creates another one", "删除该 Pod；其所有者会创建新的"),
    ),
    KnownBug(
        "kubernetes#105527",
        "kubelet",
        (line(1, 22, 0, 3),),
        (
            "after a restart it counts Pods that have ended, and refuses ones that ran before",
            "重启后它把已结束的 Pod 计入占用，拒绝此前运行过的 Pod",
        ),
        (BugLook(reasons=("OutOfcpu", "OutOfmemory", "OutOfpods")),),
        (pull(_K, 105527), pull(_K, 105560), *notes_of(_K, "1.22.3")),
    ),
    KnownBug(
        "kubernetes#126343",
        "kubelet",
        (before(1, 28, 14), line(1, 29, 0, 9), line(1, 30, 0, 5), line(1, 31, 0, 1)),
        (
            "after a restart it admits completed Pods again that a finalizer holds, and marks them Failed",
            "重启后它对仍被 finalizer 保留的已完成 Pod 重新准入，并将其标为 Failed",
        ),
        (
            BugLook(
                reasons=("OutOfcpu", "OutOfmemory", "OutOfpods", "NodeAffinity", "UnexpectedAdmissionError"),
                finalizer="batch.kubernetes.io/job-tracking",
            ),
        ),
        (pull(_K, 126343), *notes_of(_K, "1.28.14", "1.29.9", "1.30.5", "1.31.1", "1.32.0")),
    ),
    KnownBug(
        "kubernetes#133926",
        "kubelet",
        (before(1, 35, 0),),
        (
            "its connection to a DRA driver locks up after 30 minutes without use",
            "与 DRA 驱动的连接空闲 30 分钟后死锁",
        ),
        (
            BugLook(
                operations=("resources-prepare", "resources-unprepare"),
                errors=("deadline-exceeded", "timeout"),
            ),
        ),
        (pull(_K, 133926), *notes_of(_K, "1.35.0")),
        workaround=_RESTART,
    ),
)
