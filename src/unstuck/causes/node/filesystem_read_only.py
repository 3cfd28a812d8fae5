"""A file system that the kubelet, the runtime or the logs need has become read-only

## How it happens

After an error of the disk or of its own structures a file system takes no more writes, so that nothing worse happens (ext4 with
`errors=remount-ro`, btrfs, XFS by shutting down). Running containers often keep running. Nothing can be created, removed or logged on it:
Pods neither start nor go.

## How to tell

The node's mount table has the file system below the kubelet's, the runtime's or the log directory with `ro` (or ext4's `emergency_ro`,
`shutdown`). The kernel says why: `Remounting filesystem read-only`, `forced readonly`, `I/O error, dev …`.

## Known limits

A root file system that is read-only by design (Talos, Flatcar, Bottlerocket) is none of this: only those that the kubelet, the runtime and
the logs write to count. A file system of a Pod's volume is not meant. What the kernel said of a device that is not known to be one of
these makes nothing likely by itself.

## References

- ext4(5) errors=; Linux Documentation/filesystems/ext4, xfs, btrfs; node-problem-detector, condition ReadonlyFilesystem
"""

from __future__ import annotations

from unstuck.causes.node._limits import kernel_said
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import DiskSpace, Space
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_WRITTEN = {"kubelet": Text("the kubelet", "kubelet"), "runtime": Text("the runtime", "运行时"), "logs": Text("the logs", "日志")}


def _rule(node: Ref, snap: Facts) -> Signs:
    stays: Sign[Space] = some(snap, DiskSpace, node, lambda f: [s for s in f.items if s.read_only and _WRITTEN.keys() & set(s.holds)])
    told = heard(snap, Conditions, node, lambda f: [c for c in f.items if c.type == "ReadonlyFilesystem" and c.status == "True"])
    said = kernel_said(node, snap, "fs-read-only", "fs-shutdown", "fs-error", "io-error")
    return Signs(
        decisive={"a file system that the node writes to is read-only": stays},
        supporting={"node-problem-detector says ReadonlyFilesystem": told},
        finding=lambda: _finding(node, stays.hits, said),
    )


def _finding(node: Ref, spaces: tuple[Space, ...], said: Sign[KernelEvent]) -> Finding:
    where = f"node:{node.name}"
    space = min(spaces, key=lambda s: s.mountpoint) if spaces else None
    roles = [_WRITTEN[h] for h in space.holds if h in _WRITTEN] if space else []
    uses = Text(", ".join(r.en for r in roles), "、".join(r.zh for r in roles))
    place = f"{space.fstype} {space.mountpoint}" if space else ""
    return Finding(
        Text(
            f"The file system {place} of Node {node.name} is read-only; {uses.en} cannot write",
            f"节点 {node.name} 的文件系统 {place} 为只读；{uses.zh}无法写入",
        )
        if space
        else Text(
            f"node-problem-detector saw a file system of Node {node.name} become read-only",
            f"node-problem-detector 发现节点 {node.name} 有文件系统变为只读",
        ),
        culprit=Ref("Mount", node.name, space.mountpoint) if space else node,
        blocks=(node,) if space else (),
        notes=tuple(Text(f"kernel: {e.quote}", f"内核：{e.quote}") for e in said.hits[:3] if e.quote),
        help=(
            Step(
                Text("see what the kernel logged about its device", "查看内核对其设备的报告"),
                where=where,
                command=command("sh -c 'dmesg -T | grep -iE '\"'\"'read-?only|I/O error|EXT4-fs|XFS|BTRFS'\"'\"' | tail -40'"),
            ),
            Step(
                Text(
                    "cordon the node, move Pods that can be moved, then check the file system offline (fsck) or replace the "
                    "disk; the node is down meanwhile",
                    "将节点标记为不可调度（cordon）、迁走可迁走的 Pod，然后离线检查文件系统（fsck）或更换磁盘；期间节点不可用",
                ),
                command=command("kubectl cordon {node}", node=given.of(node)),
                undo=command("kubectl uncordon {node}", node=given.of(node)),
                risk="disrupts",
                verify=Text("it is mounted rw again, and the kernel logs nothing new", "它重新以 rw 挂载，且内核不再报告"),
            ),
        ),
        do_not=(
            DoNot(
                Text("just remount it read-write", "直接重新挂载为可写后继续使用"),
                Text(
                    "it stopped writes to keep damage from spreading; more writes may destroy data that is still readable",
                    "它拒绝写入是为了防止损坏扩大；继续写入可能毁掉仍可读取的数据",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.filesystem-read-only",
    title=Text("a file system the node needs is read-only", "节点所需的文件系统为只读"),
    subjects=("Node",),
    reads=frozenset({DiskSpace, KernelEvents, Conditions}),
    rule=_rule,
)
