"""Known bugs of CRI-O and runc.

Fixed versions: for runc its CHANGELOG.md; for CRI-O the first tags with the fix or its cherry-pick, and its
release notes.
"""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, line, notes_of, pull

_O = "cri-o/cri-o"
_R = "opencontainers/runc"

RUNTIMES: tuple[KnownBug, ...] = (
    KnownBug(
        "cri-o#9256",
        "cri-o",
        (before(1, 31, 11), line(1, 32, 0, 7), line(1, 33, 0, 3)),
        (
            (
                "it locks up on a container whose process waits for the kernel and cannot be killed; even "
                "its state cannot be asked for"
            ),
            "容器进程处于不可中断状态无法杀死时它会死锁，连状态也无法查询",
        ),
        (
            BugLook(
                operations=("container-stop", "sandbox-stop", "container-inspect"),
                errors=("deadline-exceeded", "timeout"),
            ),
        ),
        (pull(_O, 9256), *notes_of(_O, "1.31.11", "1.32.7", "1.33.3", "1.34.0")),
    ),
    KnownBug(
        "cri-o#9372",
        "cri-o",
        (before(1, 32, 8), line(1, 33, 0, 4)),
        (
            "where a sandbox's network namespace is gone its addresses are not given back",
            "沙箱的网络命名空间消失后，其地址不会归还",
        ),
        (BugLook(operations=("network-set-up", "sandbox-create"), errors=("addresses-exhausted",)),),
        (pull(_O, 9372), *notes_of(_O, "1.32.8", "1.33.4", "1.34.0")),
    ),
    KnownBug(
        "cri-o#9301",
        "cri-o",
        (before(1, 32, 8), line(1, 33, 0, 3)),
        (
            (
                "after a reboot it cannot stop the sandboxes from before, whose network namespaces are "
                "gone, and their Pods do not start again"
            ),
            "重启主机后此前沙箱的网络命名空间已消失，它无法停止这些沙箱，Pod 也就无法重新启动",
        ),
        (BugLook(operations=("network-tear-down", "sandbox-stop"), words=r"netns"),),
        (pull(_O, 9301), *notes_of(_O, "1.32.8", "1.33.3", "1.34.0")),
        workaround=("remove the old sandbox: crictl rmp -f", "移除旧沙箱：crictl rmp -f"),
    ),
    KnownBug(
        "cri-o#9130",
        "cri-o",
        (line(1, 30, 11, 14), line(1, 31, 3, 9), line(1, 32, 0, 4)),
        (
            "it gives a pull up that makes no progress for some seconds",
            "拉取数秒内没有进展时它就放弃",
        ),
        (BugLook(operations=("image-pull", "sandbox-image-pull"), words=r"context cancell?ed"),),
        (pull(_O, 9130), *notes_of(_O, "1.30.14", "1.31.9", "1.32.4", "1.33.0")),
        workaround=(
            'set pull_progress_timeout = "0" in crio.conf from 1.30.11, 1.31.6, 1.32.2 on',
            '自 1.30.11、1.31.6、1.32.2 起在 crio.conf 中设置 pull_progress_timeout = "0"',
        ),
    ),
    KnownBug(
        "runc#3554",
        "runc",
        (line(1, 1, 3, 4),),
        (
            "after systemctl daemon-reload an exec with a terminal is refused",
            "执行 systemctl daemon-reload 之后，带终端的 exec 会被拒绝",
        ),
        (BugLook(words=r"open /dev/pts/\d+: operation not permitted"),),
        (pull(_R, 3554), *notes_of(_R, "1.1.4")),
        specific=True,
    ),
    KnownBug(
        "runc#4757",
        "runc",
        (line(1, 3, 1, 5), line(1, 4, 0, 1)),
        (
            "it takes containers for stopped that are just being created",
            "它把正在创建的容器误认为已停止",
        ),
        (BugLook(words=r"cannot start a container that has stopped"),),
        (pull(_R, 4757), pull(_R, 5153), *notes_of(_R, "1.3.5", "1.4.1")),
    ),
    KnownBug(
        "runc#3109",
        "runc",
        (line(1, 0, 0, 2),),
        (
            "a seccomp profile with a rule that repeats the default is refused",
            "seccomp 配置中若有与默认动作重复的规则会被拒绝",
        ),
        (BugLook(words=r"adding seccomp filter rule for syscall"),),
        (pull(_R, 3109), *notes_of(_R, "1.0.2")),
        specific=True,
    ),
    KnownBug(
        "runc#3062",
        "runc",
        (before(1, 0, 1),),
        (
            "an image whose /etc/group has very long lines cannot be started",
            "镜像的 /etc/group 含超长行时无法启动",
        ),
        (BugLook(words=r"unable to find groups.{0,100}token too long"),),
        (pull(_R, 3062), *notes_of(_R, "1.0.1")),
        specific=True,
    ),
    KnownBug(
        "runc#4798",
        "runc",
        (line(1, 3, 0, 2),),
        (
            "asking for the state of a container that is just ending is an error",
            "查询正在结束的容器的状态会报错",
        ),
        (BugLook(words=r"cgroup\.freeze: no such device"),),
        (pull(_R, 4798), *notes_of(_R, "1.3.2")),
        specific=True,
    ),
)
