"""The Node cannot mount this kind of file system

## How it happens

The Node lacks what the volume's file system needs: the helper program (`mount.nfs` of nfs-common or nfs-utils, `mount.cifs` of cifs-utils),
the daemon for the locks of NFS 3 (`rpc.statd`), the kernel module (`xfs`, `nfs`), the program that formats (`mkfs.xfs`), or a kernel that
knows the features with which newer tools formatted it.

## How to tell

`FailedMount` repeats with `you might need a /sbin/mount.<type> helper program`, `unknown filesystem type 'x'`, or `mkfs.x: executable file
not found`; the kernel's log says `Superblock has unknown read-only compatible features` or `unsupported optional features`.

## Known limits

mount(8) prints the hint about a helper only where it found none. A CSI driver brings its own programs, so that there the driver's image is
what lacks.

## References

- util-linux libmount/src/context_mount.c; kernel fs/xfs/libxfs/xfs_sb.c, fs/ext4/super.c; kubernetes/kubernetes issue 30310
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap), of_node=False)


def _mine(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in ("helper-missing", "fs-unknown", "features-unknown", "lock-daemon-down")


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    helper = f" {f.key}" if f.key else ""
    what = {
        "helper-missing": Text(f"needs a mount helper{helper} that is not installed", f"需要的挂载辅助程序{helper} 未安装"),
        "fs-unknown": Text(f"has unsupported file system {f.key}", f"的文件系统 {f.key} 不被支持"),
        "lock-daemon-down": Text("needs rpc.statd for NFS locks, which is not running there", "的 NFS 锁需要 rpc.statd，而它未运行"),
        "features-unknown": Text("was formatted with features the kernel does not support", "格式化时使用的特性不被内核支持"),
    }[f.error]
    todo = {
        "helper-missing": Text(
            "install the client of that storage there (nfs-common or nfs-utils, cifs-utils, open-iscsi or iscsi-initiator-utils, "
            "ceph-common, glusterfs-client), and in the image for new nodes; if a CSI driver or a kubelet in a container "
            "lacks it, in that image",
            "在该节点安装此存储的客户端（nfs-common 或 nfs-utils、cifs-utils、open-iscsi 或 iscsi-initiator-utils、ceph-common、"
            "glusterfs-client），并加入新节点的镜像；若缺少它的是容器中的 CSI 驱动或 kubelet，则加入该镜像",
        ),
        "fs-unknown": Text(f"load or install support for {f.key} there", f"在该节点加载或安装对 {f.key} 的支持"),
        "lock-daemon-down": Text(
            "start rpc.statd there (from nfs-common or nfs-utils), or mount with NFS 4 if the server supports it: that does not need it",
            "在该节点启动 rpc.statd（属于 nfs-common 或 nfs-utils），或在服务器支持时使用 NFS 4 挂载：它不需要此程序",
        ),
        "features-unknown": Text(
            "mount it on a node with a newer kernel, or upgrade this one; format future volumes without these features",
            "在内核较新的节点上挂载，或升级此节点的内核；以后的卷在格式化时不使用这些特性",
        ),
    }[f.error]
    return Finding(
        Text(f"{name.en} {what.en}", f"{name.zh}{what.zh}") + _starting.on(subject, snap),
        culprit=_starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(Step(todo, where=_starting.where(subject, snap), verify=_starting.RETRIES),),
        do_not=(
            DoNot(
                Text("format the volume again", "重新格式化该卷"),
                Text("its data is lost, although the data is fine", "数据会丢失，而数据并没有问题"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.filesystem-unsupported",
    title=Text("the node cannot mount this kind of file system", "节点无法挂载这种文件系统"),
    subjects=("Pod", "Node"),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
