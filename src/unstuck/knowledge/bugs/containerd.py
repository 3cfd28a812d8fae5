"""Known bugs of containerd. Fixed versions: the release notes, which are the messages of containerd's
tags.
"""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, issue, line, notes_of, pull

_C = "containerd/containerd"
_STOPPING = BugLook(operations=("container-stop", "sandbox-stop"), errors=("deadline-exceeded", "timeout"))
_CREATING = BugLook(
    operations=("container-create", "container-start", "sandbox-create"),
    errors=("deadline-exceeded", "timeout"),
)
_ADDRESSES = BugLook(operations=("network-set-up", "sandbox-create"), errors=("addresses-exhausted",))
_SHIM = (
    (
        "end the shim of that container by its process id, once its processes are gone; containerd then "
        "notes the exit"
    ),
    "确认容器进程已消失后，按进程号结束其 shim；containerd 随后会记录退出",
)
_FREE = (
    "remove reservations of Pods that no longer exist from the plugin's store",
    "从插件的存储中移除已不存在的 Pod 的地址占用",
)

CONTAINERD: tuple[KnownBug, ...] = (
    KnownBug(
        "containerd#7456",
        "containerd",
        (before(1, 5, 15), line(1, 6, 0, 9)),
        (
            (
                "the network of a sandbox that could not be created is not taken down, and its address "
                "stays taken"
            ),
            "沙箱创建失败时其网络未被拆除，地址一直被占用",
        ),
        (_ADDRESSES,),
        (pull(_C, 7456), pull(_C, 7464), *notes_of(_C, "1.5.15", "1.6.9")),
        workaround=_FREE,
    ),
    KnownBug(
        "containerd#12926",
        "containerd",
        (before(1, 7, 31), line(2, 0, 0, 8), line(2, 1, 0, 7), line(2, 2, 0, 2)),
        (
            (
                "after a restart the network of some sandboxes is never taken down, and their addresses "
                "stay taken"
            ),
            "重启后部分沙箱的网络不再拆除，地址一直被占用",
        ),
        (_ADDRESSES,),
        (pull(_C, 12926), *notes_of(_C, "1.7.31", "2.0.8", "2.1.7", "2.2.2")),
        workaround=_FREE,
    ),
    KnownBug(
        "containerd#10767",
        "containerd",
        (before(1, 6, 37), line(1, 7, 0, 23)),
        (
            "a sandbox that never got a network cannot be stopped while no CNI plugin is set up",
            "未配置 CNI 插件时，从未获得网络的沙箱无法停止",
        ),
        (BugLook(operations=("network-tear-down", "sandbox-stop"), errors=("cni-not-ready",)),),
        (pull(_C, 10767), pull(_C, 10766), *notes_of(_C, "1.6.37", "1.7.23")),
        workaround=("put the CNI configuration back", "恢复 CNI 配置"),
    ),
    KnownBug(
        "containerd#10675",
        "containerd",
        (line(1, 6, 29, 36), line(1, 7, 14, 22)),
        (
            (
                "the shim loses the exit of a container while an exec into it starts, and the container "
                "cannot be stopped any more"
            ),
            "容器退出时若正有 exec 启动，shim 会丢失退出事件，容器再也无法停止",
        ),
        (_STOPPING,),
        (pull(_C, 10675), pull(_C, 10676), *notes_of(_C, "1.6.36", "1.7.22")),
        workaround=_SHIM,
    ),
    KnownBug(
        "containerd#9103",
        "containerd",
        (line(1, 6, 22, 25), line(1, 7, 3, 8)),
        (
            "the shim locks itself up where a container ends while it is being created",
            "容器在创建过程中退出时，shim 自身死锁",
        ),
        (_CREATING, _STOPPING),
        (issue(_C, 9103), pull(_C, 9209), pull(_C, 9210), *notes_of(_C, "1.6.25", "1.7.8")),
        workaround=_SHIM,
    ),
    KnownBug(
        "containerd#7496",
        "containerd",
        (before(1, 6, 24), line(1, 7, 0, 4)),
        (
            "a busy disk makes it leave shims behind when it handles exits",
            "磁盘繁忙时，它在处理退出事件的过程中遗留 shim",
        ),
        (_STOPPING,),
        (issue(_C, 7496), pull(_C, 9003), pull(_C, 9004), *notes_of(_C, "1.6.24", "1.7.4")),
    ),
    KnownBug(
        "containerd#10520",
        "containerd",
        (before(1, 6, 35), line(1, 7, 0, 21)),
        (
            "stopping a sandbox that is gone already is an error, which the kubelet tries again without end",
            "停止已不存在的沙箱会报错，kubelet 因而无休止重试",
        ),
        (BugLook(operations=("sandbox-stop",), words=r"when try to find sandbox"),),
        (pull(_C, 10520), pull(_C, 10527), pull(_C, 10531), *notes_of(_C, "1.6.35", "1.7.21")),
        specific=True,
    ),
    KnownBug(
        "containerd#10528",
        "containerd",
        (before(1, 6, 35), line(1, 7, 0, 21)),
        (
            (
                "stopping a container that is gone already is an error, which the kubelet tries again "
                "without end"
            ),
            "停止已不存在的容器会报错，kubelet 因而无休止重试",
        ),
        (BugLook(operations=("container-stop",), words=r"when try to find container"),),
        (pull(_C, 10528), *notes_of(_C, "1.7.21")),
        specific=True,
    ),
    KnownBug(
        "containerd#10763",
        "containerd",
        (before(1, 6, 37), line(1, 7, 0, 23)),
        (
            (
                "where a pull is tried again at once, its clean-up removes the layers that "
                "the new pull is unpacking"
            ),
            "拉取立即重试时，清理会删除新一次拉取正在解包的层",
        ),
        (BugLook(operations=("image-pull",), words=r"parent snapshot \S{1,100} does not exist"),),
        (pull(_C, 10763), pull(_C, 10764), *notes_of(_C, "1.6.37", "1.7.23")),
        specific=True,
        workaround=("remove the image on the Node and pull it again", "删除节点上的该镜像并重新拉取"),
    ),
    KnownBug(
        "containerd#13512",
        "containerd",
        (line(2, 3, 0, 2),),
        (
            (
                "while a container is created slowly, asking for its state times out and the container is "
                "torn down"
            ),
            "容器创建较慢时，查询其状态会超时，容器随即被拆除",
        ),
        (BugLook(words=r"received message on inactive stream"),),
        (pull(_C, 13512), *notes_of(_C, "2.3.2")),
        specific=True,
    ),
    KnownBug(
        "containerd#6772",
        "containerd",
        (line(1, 6, 0, 3),),
        (
            "it locks itself up where metrics are collected while a task is added",
            "收集指标的同时添加任务会使其死锁",
        ),
        (_CREATING,),
        (issue(_C, 6772), pull(_C, 6801), *notes_of(_C, "1.6.3")),
        workaround=("restart containerd: containers keep running", "重启 containerd：容器继续运行"),
    ),
    KnownBug(
        "containerd#4971",
        "containerd",
        (before(1, 4, 4),),
        (
            "it waits without end for a shim's log to be opened",
            "打开 shim 日志时无限等待",
        ),
        (_CREATING, _STOPPING),
        (pull(_C, 4971), *notes_of(_C, "1.4.4")),
    ),
    KnownBug(
        "containerd#11633",
        "containerd",
        (before(1, 7, 34), line(2, 0, 0, 9)),
        (
            "exits that arrive while it starts are lost, and such containers count as running",
            "其启动期间到达的退出事件会丢失，相应容器仍被视为运行中",
        ),
        (_STOPPING,),
        (pull(_C, 11633), pull(_C, 11634), *notes_of(_C, "1.7.34", "2.0.9")),
        workaround=_SHIM,
    ),
    KnownBug(
        "ttrpc#168",
        "containerd",
        (line(1, 7, 0, 17),),
        (
            "it and a shim wait for each other where the pipe between them is full",
            "与 shim 之间的管道写满时二者互相等待",
        ),
        (_CREATING, _STOPPING),
        (pull("containerd/ttrpc", 168), *notes_of(_C, "1.7.17")),
    ),
    KnownBug(
        "go-cni#126",
        "containerd",
        (line(2, 0, 0, 3),),
        (
            "setting a network up locks itself up while the CNI configuration is loaded again",
            "重新加载 CNI 配置时，网络设置会死锁",
        ),
        (BugLook(operations=("network-set-up", "sandbox-create"), errors=("deadline-exceeded", "timeout")),),
        (pull("containerd/go-cni", 126), *notes_of(_C, "2.0.3")),
        workaround=("restart containerd: containers keep running", "重启 containerd：容器继续运行"),
    ),
    KnownBug(
        "containerd#7009",
        "containerd",
        (line(1, 6, 0, 5),),
        (
            "older CNI plugins that do not tell their version are refused",
            "不报告版本的旧 CNI 插件会被拒绝",
        ),
        (BugLook(operations=("network-set-up", "sandbox-create"), errors=("cni-version-refused",)),),
        (pull(_C, 7009), pull(_C, 7011), *notes_of(_C, "1.6.5")),
    ),
)
