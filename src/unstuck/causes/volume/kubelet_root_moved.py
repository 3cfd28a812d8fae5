"""Mounts do not pass between the kubelet's directory and the containers

## How it happens

The kubelet's root directory is not where it is taken to be: a symbolic link, another `--root-dir` than the CSI driver and the runtime
expect, or the kubelet (or the runtime) runs in a container whose mounts are private. What one of them mounts the others do not see.

## How to tell

The runtime refuses a container with `path … is mounted on … but it is not a shared mount`, or the kubelet says `couldn't find loopback
device which takes file descriptor lock`.

## Known limits

A root directory of another place works where everybody is told of it. The message names the path, not who made the mount private.

## References

- moby daemon (path … is not a shared mount), containerd pkg/oci; mount_namespaces(7); Kubernetes documentation "Mount propagation"
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.signs(subject, snap, _mine, lambda f: _finding(subject, f, snap))


def _mine(f: Failure) -> bool:
    return f.error == "mount-not-shared"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    what = (
        Text(f"{f.path} is not a shared mount", f"{f.path} 不是共享挂载")
        if f.path
        else Text("a volume's loop device cannot be found", "找不到卷的 loop 设备")
    )
    return Finding(
        Text(
            f"mount propagation is broken between the node and the containers: {what.en}",
            f"节点与容器之间的挂载传播失效：{what.zh}",
        )
        + _starting.on(subject, snap),
        culprit=Ref("Mount", _starting.node_name(subject, snap), f.path or "kubelet root"),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text("see that path's propagation, and whether it is a symlink", "查看该路径的传播方式，以及它是否为链接"),
                where=_starting.where(subject, snap),
                command=command("findmnt -o TARGET,PROPAGATION -T {path}", path=given.path(f.path or "/var/lib/kubelet")),
            ),
            Step(
                Text(
                    "make the mount below it shared (mount --make-rshared), or give the kubelet its real directory as --root-dir; "
                    "restart the kubelet: running containers are not affected",
                    "将其下的挂载设为共享（mount --make-rshared），或把真实目录作为 --root-dir 交给 kubelet；重启 kubelet："
                    "运行中的容器不受影响",
                ),
                where=_starting.where(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                Text("move the kubelet's directory while Pods are running there", "在有 Pod 运行时移动 kubelet 的目录"),
                Text("their volumes stay mounted at the old place and are never unmounted", "其卷仍挂载在旧位置且永远不会被卸载"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.kubelet-root-moved",
    title=Text("mount propagation is broken between the kubelet's root and containers", "kubelet 根目录与容器之间的挂载传播失效"),
    subjects=("Pod",),
    stages=("devices-and-volumes-prepared", *_starting.CONTAINERS),
    reads=_starting.READS,
    rule=_rule,
)
