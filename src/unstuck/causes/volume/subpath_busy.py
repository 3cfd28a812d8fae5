"""The mount of a container's subPath is in use, so it cannot be cleaned up

## How it happens

For every `subPath` of a container the kubelet bind-mounts that part of the volume below the Pod's
`volume-subpaths` directory, and cleans these mounts up before the volume itself. A process on the Node keeps
a file open there, has its working directory in it, or has made a mount below: a backup agent, a log shipper,
a shell. The unmount fails, the kubelet retries every two minutes, no event is written, and the Pod stays.

## How to tell

The kubelet's log repeats `error cleaning subPath mounts` with `target is busy`. On the Node a process has an
open file, its working directory, its root or a map below `volume-subpaths/VOLUME/CONTAINER/INDEX`, or a mount
lies below it.

## Known limits

`directory not empty` instead of busy means that files were written there while it was not mounted; the
kubelet does not remove them and this cause does not cover it.

## References

- pkg/volume/util/subpath/subpath_linux.go (doCleanSubPaths); umount(2)
"""

from __future__ import annotations

from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.causes.mount._busy import is_sub_path, name_process
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import MountEntry, PathUses, PodMounts, Use
from unstuck.facts.aspects.objects import Deletion, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = hearsay(
        snap, Failure, pod, lambda f: [f] if f.operation == "subpath-clean" and f.error == "EBUSY" else []
    )
    used = _find_used(pod, snap, tuple(f.path for f in said.hits if f.path))
    foreign = some(
        snap,
        PodMounts,
        pod,
        lambda f: [m for m in f.extra if is_sub_path(m.mountpoint)],
        [f.path for f in said.hits],
    )
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={
            "a container mounts a volume by subPath": said
            if said.value
            else _mounts_one(pod, snap, used, foreign)
        },
        decisive={
            "a process works on the mount of a subPath": used,
            "there is a mount below it that no volume explains": foreign,
        },
        supporting={"the kubelet was refused as busy": said},
        finding=lambda: _make_finding(pod, used.hits, foreign.hits, said.hits, find_node_of_pod(pod, snap)),
    )


def _mounts_one(pod: Ref, snap: Facts, *seen: Sign[Any]) -> Sign[Any]:
    """Decide by the Pod's own specification; a mount on the Node proves it, too."""
    listed = [f for f in snap.of(Volumes, pod) if f.sub_paths is not None]
    if any(s.value for s in seen) or any(f.sub_paths for f in listed):
        return Sign(True, seen=tuple(listed))
    return (
        Sign(False, seen=tuple(f for f in listed if f.whole))
        if any(f.whole for f in listed)
        else Sign(None, wants=(Want(Volumes, pod),))
    )


def _find_used(pod: Ref, snap: Facts, refused: tuple[str, ...]) -> Sign[Use]:
    """Find uses below a mount: by `mountinfo`, or because the kubelet's own unmount of it was refused."""
    found = some(snap, PathUses, pod, lambda f: [u for u in f.items if is_sub_path(u.path)], refused)
    if not found.value:
        return found
    mounts = snap.of(PodMounts, pod)
    tops = (
        *refused,
        *(m.mountpoint for f in mounts for m in (*f.items, *f.extra) if is_sub_path(m.mountpoint)),
    )
    hits = tuple(u for u in found.hits if any(is_at_or_below(u.path, top) for top in tops))
    if hits:
        return Sign(True, hits, unique((*found.seen, *mounts)), sure=found.sure)
    if any(f.whole for f in mounts):
        return Sign(False, seen=unique((*found.seen, *mounts)))
    return Sign(None, found.hits, found.seen, (Want(PodMounts, pod),))


def _make_finding(
    pod: Ref,
    uses: tuple[Use, ...],
    mounts: tuple[MountEntry, ...],
    said: tuple[Failure, ...],
    node: Ref | None,
) -> Finding:
    name = node.name if node else None
    where = place_on_node(name)
    retry = say("the kubelet retries automatically within about 2 min")
    keep = DoNot(
        say("force delete the Pod, or unmount lazily"),
        say(
            "the underlying volume stays in use, hidden: it is not detached, and its directory is left behind"
        ),
    )
    if not uses and not mounts:
        point = next((f.path for f in said if f.path), "volume-subpaths")
        return Finding(
            say("The mount of a container's subPath is busy: {point}", point=point),
            culprit=Ref("Mount", name, point),
            blocks=(pod,),
            help=(
                Step(
                    say("find the process that holds it, and make it leave"),
                    where=where,
                    command=command("fuser -vm {point}", point=given.path(point)),
                    verify=retry,
                ),
            ),
            do_not=(keep,),
        )
    if not uses:
        point = max(mounts, key=lambda m: len(m.mountpoint)).mountpoint
        return Finding(
            say("A mount that belongs to no volume of the Pod is on its subPath, at {point}", point=point),
            culprit=Ref("Mount", name, point),
            blocks=(pod,),
            help=(
                Step(
                    say(
                        "unmount only this one; its creator can mount it elsewhere, and misses its "
                        "contents until then"
                    ),
                    where=where,
                    command=command("umount {point}", point=given.path(point)),
                    risk="disrupts",
                    verify=retry,
                ),
            ),
            do_not=(keep,),
        )
    use = min(uses, key=lambda u: (u.proc.pid, u.how, u.path))
    others = {u.proc.pid for u in uses} - {use.proc.pid}
    more = say(" (and {count} more processes)", count=len(others)) if others else NO_TEXT
    return Finding(
        say(
            "Process {named}{more} holds {path}, so the mount of a container's subPath is busy",
            named=name_process(use.proc),
            more=more,
            path=use.path,
        ),
        culprit=Ref("Process", name, str(use.proc.pid)),
        blocks=(pod,),
        notes=(say("it belongs to {unit}", unit=use.proc.unit),) if use.proc.unit else (),
        help=(
            Step(
                say("make that process leave the path, or end it; its work is interrupted"),
                where=where,
                command=command("kill {pid}", pid=given.number(use.proc.pid)),
                risk="disrupts",
                verify=retry,
            ),
        ),
        do_not=(keep,),
    )


CAUSE = Cause(
    id="volume.subpath-busy",
    title=say("the mount of a container's subPath is in use"),
    subjects=("Pod",),
    stages=("volumes-unmounted",),
    reads=frozenset({Deletion, Placement, Volumes, PathUses, PodMounts, Failure}),
    rule=_rule,
)
