"""A volume's file system is damaged

## How it happens

The file system on the volume is inconsistent: a power loss, a device that went away under it, two Nodes that wrote to it at once, or faulty
storage. The driver runs `fsck -a` before it mounts; what that cannot repair safely it leaves to people, and refuses to mount.

## How to tell

`FailedMount` repeats with `'fsck' found errors on device … but could not correct them`, `UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY`,
`Structure needs cleaning` or `can't read superblock`.

## Known limits

`can't read superblock` also stands where the device itself cannot be read, so it is told as `likely` at the most: look at the kernel's log
for I/O errors first. What was lost is not known before the repair.

## References

- mount-utils mount_linux.go (checkAndRepairFilesystem); e2fsck(8), xfs_repair(8)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap), decides=_judged)


def _judged(f: Failure) -> bool:
    """Tell whether the file system itself was read; else the device may be what cannot be read."""
    return "can't " not in f.message


def _mine(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error == "fs-corrupted"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    device = Text(f" ({f.path})", f"（{f.path}）") if f.path else Text("", "")
    return Finding(
        Text(
            f"the file system of {name.en}{device.en} is damaged and was not repaired automatically",
            f"{name.zh}{device.zh}的文件系统已损坏，且未能自动修复",
        ),
        culprit=_starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text("first check whether the kernel logged I/O errors for the device", "先查看内核是否报告了该设备的 I/O 错误"),
                where=_starting.where(subject, snap),
                command=command("dmesg -T --level=err,warn"),
            ),
            Step(
                Text(
                    "scale the workload down, take a snapshot of the volume, attach it to one node without mounting it, and "
                    "run fsck (XFS: xfs_repair) there by hand; without the snapshot, data removed by the repair is lost",
                    "缩容该工作负载，为卷创建快照，将其挂接到一个节点但不挂载，再在该处手动运行 fsck（XFS："
                    "xfs_repair）；没有快照时，修复所删除的内容将丢失",
                ),
                risk="loses-data",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text(
                    "run fsck -y on the volume before it is copied, or while anything has it mounted",
                    "在卷被复制之前，或仍有挂载时运行 fsck -y",
                ),
                Text(
                    "it deletes whatever it cannot place, and on a mounted file system it destroys more",
                    "它会删除无法归位的内容；对已挂载的文件系统破坏更大",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.filesystem-corrupted",
    title=Text("a volume's file system is damaged", "卷的文件系统已损坏"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
