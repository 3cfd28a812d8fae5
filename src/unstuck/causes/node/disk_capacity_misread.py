"""The kubelet measures a different file system than its Pods write to

## How it happens

The kubelet measures its own directory and the runtime that of the images. If the directory was moved, is a
symbolic link or was mounted only after the kubelet had started, or where the runtime reports a wrong place,
the sizes are those of another, small file system: a tmpfs, the root of an installer, a boot partition. Pods
are then evicted in a loop while `df` shows plenty.

## How to tell

The Node reports DiskPressure, the file systems of the kubelet and of the runtime have room, and the Node's
allocatable `ephemeral-storage` does not match the size of the kubelet's file system.

## Known limits

A reservation (`systemReserved`) makes the allocatable smaller, though hardly to a quarter. Exhausted inodes
give the same condition: there must be free ones as well. Without a look at the Node no cause is reported.

## References

- Kubernetes pkg/kubelet/stats, pkg/kubelet/eviction/helpers.go; containerd
  internal/cri/server/imagefs_info.go
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unstuck.causes.node._pressure import find_kubelet_events, is_under_pressure
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_STORAGE = "ephemeral-storage"
_ROOM = 5
_APART = 4


def _rule(node: Ref, snap: Facts) -> Signs:
    told: Sign[Any] = any_of([is_under_pressure(node, snap, "DiskPressure")])
    unread = find_kubelet_events(node, snap, "InvalidDiskCapacity")
    measured: Sign[Any] = some(
        snap, NodeShape, node, lambda f: [n for k, n in f.allocatable if k == _STORAGE]
    )
    other: Sign[Any] = some(
        snap, DiskSpace, node, lambda f: _other(f, measured.hits[0] if measured.hits else None)
    )
    apart: Sign[Any] = all_of([told, measured, other])
    if apart.value is None and told.value and unread.value:
        apart = Sign(None, (), unread.seen, apart.wants)

    def finding() -> Finding:
        return _make_finding(node, measured.hits[0], other.hits[0])

    return Signs(
        decisive={
            "the size that it reports is not that of the file system that it writes to, which has room": apart
        },
        finding=finding,
    )


def _other(disks: DiskSpace, size: int | None) -> Iterable[Space]:
    """Return the kubelet's file system, if it has room, as all have, and is of quite another size."""
    mine = [s for s in disks.items if "kubelet" in s.holds and s.bytes]
    roomy = all(
        s.bytes_free * _ROOM >= s.bytes and (not s.inodes or s.inodes_free * _ROOM >= s.inodes)
        for s in disks.items
        if s.bytes
    )
    return [s for s in mine if roomy and size and (size * _APART < s.bytes or size > s.bytes + s.bytes // 20)]


def _make_finding(node: Ref, size: int, space: Space) -> Finding:
    name = node.name or "NODE"
    point = space.mountpoint or space.path
    return Finding(
        say(
            (
                "the kubelet of Node {name} sees {mib} MiB of storage, but {point}, where Pods write, has "
                "{mib_2} MiB"
            ),
            name=name,
            mib=size >> 20,
            point=point,
            mib_2=space.bytes >> 20,
        ),
        culprit=Ref("FileSystem", node.name, point),
        blocks=(node,),
        notes=(say("{mib} MiB are free there", mib=space.bytes_free >> 20),),
        help=(
            Step(
                say("see what the kubelet and the runtime measure"),
                command=command(
                    "kubectl get --raw=/api/v1/nodes/{node}/proxy/stats/summary",
                    node=given.bare("Node", name),
                ),
            ),
            Step(
                say(
                    "restart the kubelet once its directory is mounted (RequiresMountsFor= in its unit): "
                    "containers keep running"
                ),
                where=f"node:{name}",
                command=command("systemctl restart kubelet"),
                risk="reversible",
                verify=say("the node's allocatable matches df, and DiskPressure turns False"),
            ),
        ),
        do_not=(
            DoNot(
                say("disable evictions"),
                say("a really full disk would then stop the whole node"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.disk-capacity-misread",
    title=say("the kubelet measures a different file system than its Pods write to"),
    subjects=("Node",),
    reads=frozenset({Conditions, Events, NodeShape, DiskSpace}),
    rule=_rule,
)
