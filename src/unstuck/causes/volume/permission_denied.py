"""A volume refuses access to the Node

## How it happens

The server does not let this Node mount (its address is not in the export, the credentials of a share are wrong), or the volume mounts and
refuses the change of owner that `fsGroup` asks for: an NFS export with root_squash, a read-only directory such as `.snapshot`, a share that
has no owners.

## How to tell

`FailedMount` repeats with `access denied by server while mounting`, `mount error(13): Permission denied`, `applyFSGroup failed for vol` or
`chown …: operation not permitted`.

## Known limits

A program that may not write to a volume which was mounted fails later by itself: that is in its log, not here.

## References

- nfs-utils utils/mount/error.c; mount.cifs(8); Kubernetes pkg/volume/volume_linux.go (SetVolumeOwnership)
- Field notes: containers that are not created
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
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in ("access-denied", "ownership-refused")


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    if f.error == "ownership-refused":
        at = Text(f" at {f.path}", f"（{f.path}）") if f.path else Text("", "")
        says = Text(f"{name.en} rejects the ownership change for fsGroup{at.en}", f"{name.zh}拒绝 fsGroup 要求的属主变更{at.zh}")
        todo = Text(
            "set fsGroupChangePolicy OnRootMismatch, remove fsGroup, or change the files' group on the server",
            "将 fsGroupChangePolicy 设为 OnRootMismatch，或不设置 fsGroup，或在服务器端把文件授予该组",
        )
    elif "PermissionDenied" in f.message:
        answer = Text(f"the driver of {name.en} reports that access is denied", f"{name.zh}的驱动回答访问被拒绝")
        says = answer + _starting.on(subject, snap)
        todo = Text(
            "grant the missing permission in its message to the identity it mentions (the driver, the Pod's ServiceAccount "
            "or the cloud account)",
            "按其消息，为所指的身份（驱动、Pod 的 ServiceAccount 或云账户）授予所缺的权限",
        )
    else:
        says = Text(f"the server of {name.en} denies the mount", f"{name.zh}的服务器拒绝挂载") + _starting.on(subject, snap)
        todo = Text(
            "export it to this node's address on the server, or correct the share's credentials",
            "在服务器上向该节点的地址开放导出，或更正共享的凭据",
        )
    return Finding(
        says,
        culprit=_starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(Step(todo, where="source", verify=_starting.RETRIES),),
        do_not=(
            DoNot(
                Text(
                    "run the container as root or export with no_root_squash as a workaround",
                    "仅为绕过而以 root 运行容器或用 no_root_squash 导出",
                ),
                Text("every Pod on that node could then write every file of the export", "该节点的所有 Pod 都将可以写入此导出的所有文件"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.permission-denied",
    title=Text("a volume denies the node access", "卷拒绝该节点访问"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
