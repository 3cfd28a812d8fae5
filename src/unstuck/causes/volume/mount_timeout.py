"""Mounting a volume does not end in time

## How it happens

The kubelet or the CSI driver gives a mount some minutes. It takes longer: the server does not answer from this Node, a driver waits for a
device that does not appear, or `fsGroup` makes the kubelet change the owner of millions of files.

## How to tell

`FailedMount` repeats for one named volume with `context deadline exceeded` or `Connection timed out`, and nothing more particular stands
beside it.

## Known limits

A time-out names who waited, not why. `Unable to attach or mount volumes: … timed out` alone, which the kubelet says after every other
failure, is no more than possible. Where the server's address is a Service, the way there may be broken:
network.service-unreachable-from-node.

## References

- Kubernetes pkg/volume/csi/csi_client.go, pkg/kubelet/volumemanager; nfs(5); kubernetes/kubernetes issue 69699
"""

from __future__ import annotations

import re

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

_SPECIFIC = re.compile(r"(?:MountVolume|MapVolume)\.(?:SetUp|SetUpDevice|MountDevice|MapPodDevice)|mount\.nfs4?: ", re.IGNORECASE)
_NO_ROUTE: tuple[ErrorWord, ...] = ("EHOSTUNREACH", "ENETUNREACH")
_MINE: tuple[ErrorWord, ...] = ("timeout", "deadline-exceeded", *_NO_ROUTE)
_MEANS_NOTHING: tuple[ErrorWord, ...] = (*_MINE, "other", "call-failed")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = _starting.said_of(subject, snap, _mine, of_node=False)
    named = heard(snap, Failure, subject, lambda f: [f] if _named(f) else [])
    else_ = any(f.operation in ("volume-set-up", "volume-attach") and f.error not in _MEANS_NOTHING for f in snap.of(Failure, subject))
    alone = Sign(None) if else_ or subject.kind == "Node" else named
    asked = (Want(Events, subject),) if subject.kind == "Pod" else ()
    return Signs(
        necessary={"the last try failed so": said},
        decisive={"what the mount waited for": Sign(None, said.hits, said.seen, asked)},
        supporting={"the mount of one volume timed out, and nothing else failed": alone},
        finding=lambda: _finding(subject, _starting.latest(said.hits), snap),
    )


def _mine(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in _MINE


def _named(f: Failure) -> bool:
    return _mine(f) and _SPECIFIC.search(f"{f.src.quote} {f.message}") is not None


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.volume(f)
    says = Text(f"mounting {name.en} does not finish in time", f"{name.zh}的挂载未在时限内完成")
    if f.error in _NO_ROUTE:
        says = Text(f"mounting {name.en} fails: there is no route to its server", f"{name.zh}挂载失败：没有到其服务器的路由")
    return Finding(
        says + _starting.on(subject, snap),
        culprit=_starting.volume_ref(subject, f),
        blocks=_starting.blocked(subject, snap),
        notes=_starting.quoted(f),
        help=(
            Step(
                Text(
                    "on that node, check whether the volume's server responds, and what the mount is waiting for",
                    "在该节点上检查卷的服务器是否应答，以及挂载在等待什么",
                ),
                where=_starting.where(subject, snap),
            ),
            Step(
                Text(
                    "if the volume holds very many files and the Pod has an fsGroup: set fsGroupChangePolicy OnRootMismatch",
                    "若卷中文件极多且 Pod 设置了 fsGroup：将 fsGroupChangePolicy 设为 OnRootMismatch",
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                Text("keep deleting the Pod", "反复删除该 Pod"),
                Text(
                    "each new Pod waits again, and half-done mounts pile up on nodes",
                    "每个新 Pod 都要重新等待，未完成的挂载会在节点上堆积",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.mount-timeout",
    title=Text("mounting a volume does not finish in time", "卷的挂载未在时限内完成"),
    subjects=("Pod", "Node"),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
