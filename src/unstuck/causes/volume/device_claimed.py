"""Something else on the Node has taken the volume's device

## How it happens

The volume's block device is attached, but something on the Node took it first: multipathd made a map of it (its default takes every disk),
LVM or mdadm assembled it, or it is still mounted elsewhere. The kernel gives a device to one of them only.

## How to tell

`FailedMount` repeats with `already mounted or mount point busy`, or formatting fails with `is apparently in use by the system`, while no
mount of that device is shown. `lsblk` on the Node shows what lies above it (`mpath`, `lvm`, `raid1`).

## Known limits

The message does not name the holder. A mount of the same device for another Pod of that Node is no fault where the driver shares it.

## References

- longhorn/longhorn issue 1210; kubernetes-sigs/azuredisk-csi-driver issue 1717; util-linux libmount
"""

from __future__ import annotations

import re

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

# What a server exports has no device on the Node: there the place of the mount is what is busy.
_OF_SERVER = re.compile(r"-t (?:nfs4?|cifs|ceph|glusterfs|fuse\S*)\b|mount\.(?:nfs4?|cifs|ceph|glusterfs)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error == "device-claimed" and not (f.path is None and _OF_SERVER.search(f.src.quote))


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    return Finding(
        Text(f"the device of {name.en} is taken by something else", f"{name.zh}的设备已被其他程序占用")
        + (Text(f": {f.path}", f"：{f.path}") if f.path else Text("", ""))
        + _starting.on(subject, snap),
        culprit=_starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text("see what sits on top of the device", "查看该设备之上有什么"),
                where=_starting.where(subject, snap),
                command=command("lsblk -o NAME,TYPE,FSTYPE,MOUNTPOINT {device}", device=given.paths([f.path] if f.path else ())),
            ),
            Step(
                Text(
                    "if it is a multipath map that nothing uses: add the device to multipathd's blacklist and flush that map",
                    "若是没有程序使用的多路径映射：把该设备加入 multipathd 的黑名单，并清除该映射",
                ),
                where=_starting.where(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text("format the device by force", "强制格式化该设备"),
                Text("its holder may have data on it", "占用者可能在其上存有数据"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.device-claimed",
    title=Text("something else on the node has taken the volume's device", "卷的设备已被节点上的其他程序占用"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
