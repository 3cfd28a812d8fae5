"""A file system that the kubelet, the runtime or the logs need has become read-only

## How it happens

After an error of the disk or of its own structures a file system takes no more writes, so that no further
damage occurs (ext4 with `errors=remount-ro`, btrfs, XFS by shutting down). Running containers often keep
running. No file on it can be created, removed or written: Pods neither start nor go.

## How to tell

The node's mount table has the file system below the kubelet's, the runtime's or the log directory with `ro`
(or ext4's `emergency_ro`, `shutdown`). The kernel logs the reason: `Remounting filesystem read-only`, `forced
readonly`, `I/O error, dev …`.

## Known limits

A root file system that is read-only by design (Talos, Flatcar, Bottlerocket) does not count: only file
systems that the kubelet, the runtime and the logs write to do. A file system of a Pod's volume is not
covered. A kernel message about another or unknown device alone does not make this likely.

## References

- ext4(5) errors=; Linux Documentation/filesystems/ext4, xfs, btrfs; node-problem-detector, condition
  ReadonlyFilesystem
"""

from __future__ import annotations

from unstuck.causes.node._limits import find_kernel_events
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages, join_texts
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_WRITTEN = {"kubelet": say("the kubelet"), "runtime": say("the runtime"), "logs": say("the logs")}


def _rule(node: Ref, snap: Facts) -> Signs:
    stays: Sign[Space] = some(
        snap,
        DiskSpace,
        node,
        lambda f: [s for s in f.items if s.read_only and _WRITTEN.keys() & set(s.holds)],
    )
    told = hearsay(
        snap,
        Conditions,
        node,
        lambda f: [c for c in f.items if c.type == "ReadonlyFilesystem" and c.status == "True"],
    )
    said = find_kernel_events(node, snap, "fs-read-only", "fs-shutdown", "fs-error", "io-error")
    return Signs(
        decisive={"a file system that the node writes to is read-only": stays},
        supporting={"node-problem-detector says ReadonlyFilesystem": told},
        finding=lambda: _make_finding(node, stays.hits, said),
    )


def _make_finding(node: Ref, spaces: tuple[Space, ...], said: Sign[KernelEvent]) -> Finding:
    where = f"node:{node.name}"
    space = min(spaces, key=lambda s: s.mountpoint) if spaces else None
    roles = [_WRITTEN[h] for h in space.holds if h in _WRITTEN] if space else []
    uses = join_texts(roles)
    place = f"{space.fstype} {space.mountpoint}" if space else ""
    return Finding(
        say(
            "The file system {place} of Node {node} is read-only; {uses} cannot write",
            place=place,
            node=node.name,
            uses=uses,
        )
        if space
        else say("node-problem-detector saw a file system of Node {node} become read-only", node=node.name),
        culprit=Ref("Mount", node.name, space.mountpoint) if space else node,
        blocks=(node,) if space else (),
        notes=tuple(say("kernel: {quote}", quote=e.quote) for e in said.hits[:3] if e.quote),
        help=(
            Step(
                say("see what the kernel logged about its device"),
                where=where,
                command=command(
                    "sh -c 'dmesg -T | grep -iE '\"'\"'read-?only|I/O error|EXT4-fs|XFS|BTRFS'\"'\"' | tail "
                    "-40'"
                ),
            ),
            Step(
                say(
                    "cordon the node, move Pods that can be moved, then check the file system offline (fsck) "
                    "or replace the disk; the node is down meanwhile"
                ),
                command=command("kubectl cordon {node}", node=given.of(node)),
                undo=command("kubectl uncordon {node}", node=given.of(node)),
                risk="disrupts",
                verify=say("it is mounted rw again, and the kernel logs nothing new"),
            ),
        ),
        do_not=(
            DoNot(
                say("just remount it read-write"),
                say(
                    "it stopped writes to keep damage from spreading; more writes may destroy data that is "
                    "still readable"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.filesystem-read-only",
    title=say("a file system the node needs is read-only"),
    subjects=("Node",),
    reads=frozenset({DiskSpace, KernelEvents, Conditions}),
    rule=_rule,
)
