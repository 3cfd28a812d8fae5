"""The volumes of a Pod are on a read-only file system

## How it happens

A directory below the kubelet's root is a separate mount (a separate disk for `pods`, a bind mount of an
installer), and it has become read-only: after an I/O error, by `errors=remount-ro`, or by a person's remount.
The kubelet cannot remove the directories of the Pod's volumes there. It tries again every two minutes, no
event is written, and the Pod stays; other Pods of the Node follow.

## How to tell

The mount on which the Pod's volume directories lie, below the kubelet's root, has the option `ro` in the
kubelet's own mount table, for itself or for its file system. The kubelet's log says `read-only file system`.

## Known limits

Where the file system of the kubelet's root itself is read-only it is node.filesystem-read-only. A volume that
is itself mounted read-only is no fault.

## References

- proc(5), mountinfo (options of the mount and of the file system); mount(8), errors=remount-ro
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import MountEntry, PodDirectory
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.storage import PodRoom
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    roots = [f.path.rpartition("/pods/")[0] for f in snap.of(PodDirectory, pod) if f.exists and f.path]
    room = some(
        snap,
        PodRoom,
        pod,
        lambda f: [m for m in f.read_only if any(m.mountpoint.startswith(f"{root}/") for root in roots)],
    )
    # Without the kubelet's root directory no path is known to lie below it.
    below = room if roots else Sign(None, seen=room.seen, wants=(*room.wants, Want(PodDirectory, pod)))
    said = hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == "volume-tear-down" and f.error == "EROFS" else []
    )
    return Signs(
        applies=is_overdue(pod, snap),
        decisive={"below the kubelet's root, the mount that its volumes lie on is read-only": below},
        supporting={"the kubelet says so": said},
        finding=lambda: _make_finding(pod, _find_mount(below.hits, said.hits), find_node_of_pod(pod, snap)),
    )


def _find_mount(mounts: tuple[MountEntry, ...], said: tuple[Failure, ...]) -> MountEntry:
    """Return the deepest such mount; from the kubelet's message alone, the path in it."""
    if mounts:
        return max(mounts, key=lambda m: len(m.mountpoint))
    return MountEntry(next((f.path for f in said if f.path), "/var/lib/kubelet/pods"), "", "")


def _make_finding(pod: Ref, mount: MountEntry, node: Ref | None) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    if not mount.options:
        return _make_finding_from_message(pod, mount.mountpoint, name, where)
    # The flags of the mount come before those of its file system.
    flags = mount.options.split(",")
    on_disk = flags[0] != "ro" or flags.count("ro") > 1
    cause = (
        say("its file system itself is read-only: look for I/O errors in the kernel's log")
        if on_disk
        else say("only this mount is read-only, not its file system: it was remounted")
    )
    point = given.path(mount.mountpoint)
    return Finding(
        say(
            "{mountpoint}, which holds the Pod's volumes, is mounted read-only, so they cannot be removed",
            mountpoint=mount.mountpoint,
        ),
        culprit=Ref("Mount", name, mount.mountpoint),
        blocks=(pod,),
        notes=(cause,),
        help=(
            Step(
                say(
                    (
                        "if the kernel log has no I/O errors of {source}, remount it writable; otherwise "
                        "check or replace the disk first"
                    ),
                    source=mount.source,
                ),
                where=where,
                command=command("mount -o remount,rw {point}", point=point)
                if on_disk
                else command("mount -o remount,bind,rw {point}", point=point),
                risk="reversible",
                undo=command("mount -o remount,ro {point}", point=point)
                if on_disk
                else command("mount -o remount,bind,ro {point}", point=point),
                verify=say("the kubelet retries automatically within about 2 min, and the Pod is deleted"),
            ),
        ),
        do_not=(_KEEP,),
    )


def _make_finding_from_message(pod: Ref, path: str, node: str | None, where: str) -> Finding:
    return Finding(
        say("The kubelet cannot remove {path}: it is on a read-only file system", path=path),
        culprit=Ref("Mount", node, path),
        blocks=(pod,),
        help=(
            Step(
                say("see which mount it is, and fix it"),
                where=where,
                command=command("findmnt -T {path} -o TARGET,SOURCE,FSTYPE,OPTIONS", path=given.path(path)),
                verify=say("the Pod is deleted"),
            ),
        ),
        do_not=(_KEEP,),
    )


_KEEP = DoNot(
    say("force delete the Pod"),
    say("its directories stay, and every other Pod that ends on this node hits the same file system"),
)

CAUSE = Cause(
    id="volume.read-only-below-kubelet",
    title=say("the Pod's volumes are on a read-only file system"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({Deletion, Placement, PodDirectory, PodRoom, Failure}),
    rule=_rule,
)
