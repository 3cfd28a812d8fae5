"""The volumes of a Pod lie on a file system that is read-only

## How it happens

A directory below the kubelet's root is a mount of its own (a separate disk for `pods`, a bind mount of an installer), and it has become
read-only: after an I/O error, by `errors=remount-ro`, or by a person's remount. The kubelet cannot remove the directories of the Pod's
volumes there. It tries again every two minutes, no event is written, and the Pod stays; other Pods of the Node follow.

## How to tell

The mount on which the Pod's volume directories lie, below the kubelet's root, has the option `ro` in the kubelet's own mount table, for
itself or for its file system. The kubelet's log says `read-only file system`.

## Known limits

Where the file system of the kubelet's root itself is read-only it is node.filesystem-read-only. A volume that is itself mounted read-only
is no fault.

## References

- proc(5), mountinfo (options of the mount and of the file system); mount(8), errors=remount-ro
"""

from __future__ import annotations

from unstuck.causes._commands import on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import MountEntry, PodDirectory
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.storage import PodRoom
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import node_of
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import overdue


def _rule(pod: Ref, snap: Facts) -> Signs:
    roots = [f.path.rpartition("/pods/")[0] for f in snap.of(PodDirectory, pod) if f.exists and f.path]
    room = some(snap, PodRoom, pod, lambda f: [m for m in f.read_only if any(m.mountpoint.startswith(f"{root}/") for root in roots)])
    # Where the kubelet's root is was not seen: then nobody can say what lies below it.
    below = room if roots else Sign(None, seen=room.seen, wants=(*room.wants, Want(PodDirectory, pod)))
    said = heard(snap, Failure, pod, lambda f: [f] if f.operation == "volume-tear-down" and f.error == "EROFS" else [])
    return Signs(
        applies=overdue(pod, snap),
        decisive={"below the kubelet's root, the mount that its volumes lie on is read-only": below},
        supporting={"the kubelet says so": said},
        finding=lambda: _finding(pod, _where(below.hits, said.hits), node_of(pod, snap)),
    )


def _where(mounts: tuple[MountEntry, ...], said: tuple[Failure, ...]) -> MountEntry:
    """Return the deepest such mount; by the kubelet's words alone the path that they name."""
    if mounts:
        return max(mounts, key=lambda m: len(m.mountpoint))
    return MountEntry(next((f.path for f in said if f.path), "/var/lib/kubelet/pods"), "", "")


def _finding(pod: Ref, mount: MountEntry, node: Ref | None) -> Finding:
    name = node.name if node else None
    where = on_node(name)
    if not mount.options:
        return _heard(pod, mount.mountpoint, name, where)
    # The flags of the mount come before those of its file system.
    flags = mount.options.split(",")
    on_disk = flags[0] != "ro" or flags.count("ro") > 1
    cause = (
        Text(
            "its file system itself is read-only: look for I/O errors in the kernel's log", "文件系统本身为只读：在内核日志中查找 I/O 错误"
        )
        if on_disk
        else Text(
            "only this mount is read-only, not its file system: it was remounted", "只有该挂载为只读，文件系统并非只读：它被重新挂载过"
        )
    )
    point = given.path(mount.mountpoint)
    return Finding(
        Text(
            f"{mount.mountpoint}, which holds the Pod's volumes, is mounted read-only, so they cannot be removed",
            f"该 Pod 的卷所在的 {mount.mountpoint} 以只读方式挂载，因此无法删除",
        ),
        culprit=Ref("Mount", name, mount.mountpoint),
        blocks=(pod,),
        notes=(cause,),
        help=(
            Step(
                Text(
                    f"if the kernel log has no I/O errors of {mount.source}, remount it writable; otherwise check or replace "
                    "the disk first",
                    f"若内核日志中没有 {mount.source} 的 I/O 错误，将其恢复为可写；否则先更换或检查磁盘",
                ),
                where=where,
                command=command("mount -o remount,rw {point}", point=point)
                if on_disk
                else command("mount -o remount,bind,rw {point}", point=point),
                risk="reversible",
                undo=command("mount -o remount,ro {point}", point=point)
                if on_disk
                else command("mount -o remount,bind,ro {point}", point=point),
                verify=Text(
                    "the kubelet retries automatically within about 2 min, and the Pod is deleted",
                    "kubelet 会在约 2 分钟内自动重试，Pod 随之删除",
                ),
            ),
        ),
        do_not=(_KEEP,),
    )


def _heard(pod: Ref, path: str, node: str | None, where: str) -> Finding:
    return Finding(
        Text(f"The kubelet cannot remove {path}: it is on a read-only file system", f"kubelet 无法删除 {path}：它位于只读文件系统上"),
        culprit=Ref("Mount", node, path),
        blocks=(pod,),
        help=(
            Step(
                Text("see which mount it is, and fix it", "查明是哪个挂载，并修复它"),
                where=where,
                command=command("findmnt -T {path} -o TARGET,SOURCE,FSTYPE,OPTIONS", path=given.path(path)),
                verify=Text("the Pod is deleted", "Pod 随之删除"),
            ),
        ),
        do_not=(_KEEP,),
    )


_KEEP = DoNot(
    Text("force delete the Pod", "强制删除该 Pod"),
    Text(
        "its directories stay, and every other Pod that ends on this node hits the same file system",
        "其目录会遗留，该节点上之后结束的每个 Pod 都会遇到同一个文件系统",
    ),
)

CAUSE = Cause(
    id="volume.read-only-below-kubelet",
    title=Text("the Pod's volumes are on a read-only file system", "Pod 的卷位于只读文件系统上"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({Deletion, Placement, PodDirectory, PodRoom, Failure}),
    rule=_rule,
)
