"""Known bugs of network plugins. Fixed versions: the release notes of each."""

from __future__ import annotations

from unstuck.knowledge.bugs.record import BugLook, KnownBug, before, line, notes_of, pull

_C = "projectcalico/calico"

NETWORK: tuple[KnownBug, ...] = (
    KnownBug(
        "calico#8710",
        "calico/node",
        (before(3, 29, 0),),
        (
            "it sets no network up on kernels without XFRM",
            "在不支持 XFRM 的内核上它无法设置网络",
        ),
        (
            BugLook(
                operations=("network-set-up", "sandbox-create"),
                words=r"failed to create host netlink handle: protocol not supported",
            ),
        ),
        (pull(_C, 8710), *notes_of(_C, "3.29.0")),
        specific=True,
    ),
    KnownBug(
        "calico#10440",
        "calico/apiserver",
        (line(3, 30, 0, 1),),
        (
            (
                "its API server does not answer the list by which the Namespace controller looks for what "
                "is left"
            ),
            "其 API server 不响应命名空间控制器查找残留对象所用的列表请求",
        ),
        (BugLook(words=r"projectcalico\.org", kinds=("Namespace",)),),
        (pull(_C, 10440), pull(_C, 10433), *notes_of(_C, "3.30.1", "3.31.0")),
    ),
    KnownBug(
        "calico#11824",
        "calico/node",
        (before(3, 30, 7), line(3, 31, 0, 5)),
        (
            "the time to take a network down runs out while the plugin still waits for its lock",
            "拆除网络的时限在插件仍等待锁时就已耗尽",
        ),
        (BugLook(operations=("network-tear-down", "sandbox-stop"), errors=("deadline-exceeded", "timeout")),),
        (pull(_C, 11824), pull(_C, 11943), pull(_C, 11942), *notes_of(_C, "3.30.7", "3.31.5", "3.32.0")),
    ),
    KnownBug(
        "cilium#14541",
        "cilium/cilium",
        (before(1, 7, 13),),
        (
            "it does not clean up endpoints of Pods that are gone, until no address is left",
            "它不清理已消失 Pod 的端点，直至地址耗尽",
        ),
        (BugLook(operations=("network-set-up", "sandbox-create"), errors=("addresses-exhausted",)),),
        (pull("cilium/cilium", 14541), *notes_of("cilium/cilium", "1.7.13")),
    ),
)
