"""A mount of the Pod is in use, so it cannot be unmounted

## How it happens

A volume of the Pod is in use on the node: a shell whose working directory lies there, an agent that keeps a
file open, or a mount made below it by hand or by a tool. The kernel refuses to unmount a volume in use, and
to remove a mount point. The kubelet retries every two minutes, no Event is written, and the Pod stays.

## How to tell

The kubelet's log repeats `target is busy` or `device or resource busy` for the volume. On the node a process
has an open file, its working directory, its root or a map on that mount, or `mountinfo` shows a mount below
the volume that no volume of the Pod explains.

## Known limits

An open file on a directory that is no mount (an emptyDir on disk) does not block, so the mount must be seen
as well. A mount in another mount namespace only is mount.held-by-process; a mount of a subPath is
volume.subpath-busy.

## References

- umount(2), lsof(8); pkg/volume/util/subpath, k8s.io/mount-utils; field notes
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.causes.mount._busy import find_busy_failures, is_sub_path, name_process
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import MountEntry, PathUses, PodMounts, Use
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

_OF_VOLUMES: tuple[Operation, ...] = ("volume-tear-down", "device-unmount")
_HOW = {
    "fd": say("has a file open"),
    "cwd": say("has its working directory"),
    "root": say("has its root"),
    "maps": say("has a file mapped"),
    "mount": say("has a mount"),
}


def _rule(subject: Ref, snap: Facts) -> Signs:
    refused = find_busy_failures(subject, snap)
    used = _find_used(subject, snap, tuple(f.path for f in refused.hits if f.path))
    # This question does not arise for a container's own file system.
    volumes = [f.path for f in refused.hits if f.operation in _OF_VOLUMES]
    foreign = some(
        snap, PodMounts, subject, lambda f: [m for m in f.extra if not is_sub_path(m.mountpoint)], volumes
    )
    # For a Node this question arises only after a refusal.
    asked: Sign[Any] = refused if subject.kind == "Node" and refused.value else Sign(subject.kind != "Node")
    in_use: Sign[Any] = any_of([used, foreign])
    return Signs(
        applies=asked,
        necessary={"something holds a mount": in_use},
        decisive={
            "a process works on a mount of it": used,
            "there is a mount below that no volume explains": foreign,
        },
        supporting={"it was refused as busy": refused},
        finding=lambda: _make_finding(subject, used.hits, foreign.hits, find_node(subject, snap)),
    )


def _find_used(subject: Ref, snap: Facts, refused: tuple[str, ...]) -> Sign[Use]:
    """Find uses of a mount: by `mountinfo`, or because the kubelet's own unmount of it was refused."""
    found = some(snap, PathUses, subject, lambda f: [u for u in f.items if not is_sub_path(u.path)])
    if not found.value:
        return found
    mounts = snap.of(PodMounts, subject)
    tops = (*refused, *(m.mountpoint for f in mounts for m in (*f.items, *f.extra)))
    hits = tuple(u for u in found.hits if any(is_at_or_below(u.path, top) for top in tops))
    if hits:
        return Sign(True, hits, unique((*found.seen, *mounts)), sure=found.sure)
    if any(f.whole for f in mounts):
        return Sign(False, seen=unique((*found.seen, *mounts)))
    return Sign(None, found.hits, found.seen, (Want(PodMounts, subject),))


def _make_finding(
    subject: Ref, uses: tuple[Use, ...], mounts: tuple[MountEntry, ...], node: Ref | None
) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    keep = DoNot(
        say("force delete, or unmount the volume lazily"),
        say("the volume stays in use on the node, hidden, and its directory is left behind"),
    )
    if not uses:
        point = max(mounts, key=lambda m: len(m.mountpoint)).mountpoint
        return Finding(
            say("A mount that belongs to no volume of the Pod is at {point}", point=point),
            culprit=Ref("Mount", name, point),
            blocks=(subject,),
            help=(_unmount(point, where),),
            do_not=(keep,),
        )
    use = min(uses, key=lambda u: (u.proc.pid, u.how, u.path))
    others = {u.proc.pid for u in uses} - {use.proc.pid}
    more = say(" (and {count} more processes)", count=len(others)) if others else NO_TEXT
    how = _HOW.get(use.how, _HOW["fd"])
    unit = (say("it belongs to {unit}", unit=use.proc.unit),) if use.proc.unit else ()
    return Finding(
        say(
            "Process {named}{more} {how} in {path}, so its mount is busy",
            named=name_process(use.proc),
            more=more,
            how=how,
            path=use.path,
        ),
        culprit=Ref("Process", name, str(use.proc.pid)),
        blocks=(subject,),
        notes=(*unit, *(_describe_besides(m.mountpoint) for m in mounts)),
        help=(
            Step(
                say("make that process leave the path, or end it; its work is interrupted"),
                where=where,
                command=command("kill {pid}", pid=given.number(use.proc.pid)),
                risk="disrupts",
                verify=_RETRY,
            ),
            *(_unmount(m.mountpoint, where) for m in sorted(mounts, key=lambda m: -len(m.mountpoint))),
        ),
        do_not=(keep,),
    )


def _describe_besides(point: str) -> Text:
    return say("in addition, a mount that belongs to no volume of the Pod is at {point}", point=point)


def _unmount(point: str, where: str) -> Step:
    return Step(
        say("unmount only this one; its creator can mount it elsewhere, and misses its contents until then"),
        where=where,
        command=command("umount {point}", point=given.path(point)),
        risk="disrupts",
        verify=_RETRY,
    )


_RETRY = say("the kubelet retries automatically within about 2 min")

CAUSE = Cause(
    id="mount.busy",
    title=say("a mount of the Pod is in use"),
    subjects=("Pod", "Node"),
    stages=("volumes-unmounted",),
    reads=frozenset({PathUses, PodMounts, Failure, Placement}),
    rule=_rule,
)
