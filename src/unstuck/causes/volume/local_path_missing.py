"""The path of a local volume does not exist on its Node

## How it happens

A PersistentVolume of type `local` names a directory or device of one Node that does not exist there: its disk
was not mounted after a reboot (its line in /etc/fstab has `nofail`, or a device got another name), or the
directory was never created.

## How to tell

`FailedMount` repeats `MountVolume.NewMounter initialization failed for volume "…" : path "/mnt/disks/…" does
not exist`. On the Node /etc/fstab has a line for a parent directory that is not mounted.

## Known limits

Disks that a unit of systemd or another program mounts are not in /etc/fstab; the disk itself is not looked
for.

## References

- Kubernetes pkg/volume/local/local.go; documentation: Volumes, local; fstab(5) nofail
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_mounts import NodeMounts, PlannedMount
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        pod,
        snap,
        lambda f: f.operation == "volume-set-up" and f.error == "local-path-missing",
        lambda f: _make_finding(pod, f, snap),
    )


def _make_finding(pod: Ref, said: Failure, snap: Facts) -> Finding:
    path = said.path or "?"
    name, on = _starting.say_volume(said), _starting.say_on_node(pod, snap)
    node = find_node(pod, snap)
    lacks = next((p for f in (snap.of(NodeMounts, node) if node else ()) if (p := f.lacks(path))), None)
    says = say("{path} of {name} does not exist{on}", path=path, name=name, on=on)
    if lacks:
        says += say(
            ": its disk is not mounted at {at} (/etc/fstab: {source})",
            at=lacks.mountpoint,
            source=lacks.source or "?",
        )
    where = _starting.place_step(pod, snap)
    return Finding(
        says,
        culprit=Ref("Mount", node.name if node else None, lacks.mountpoint)
        if lacks
        else Ref("File", node.name if node else None, path),
        blocks=_starting.list_blocked_objects(pod, snap),
        help=(
            *_fix(lacks, path, where),
            Step(
                say(
                    "only for a new volume: its owner creates the directory on that disk (a provisioner, "
                    "the author of the PV)"
                ),
                where=where,
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("create the directory as a workaround while its disk is not mounted"),
                say("the program starts with an empty volume on the node's own disk, beside its real data"),
            ),
        ),
        enrich=(Want(NodeMounts, node),) if node and not snap.of(NodeMounts, node) else (),
    )


def _fix(lacks: PlannedMount | None, path: str, where: str) -> tuple[Step, ...]:
    if lacks is None:
        return (
            Step(
                say("see whether its disk is present and mounted"),
                where=where,
                command=command("findmnt -T {path}; lsblk -f", path=given.path(path)),
            ),
        )
    return (
        Step(say("check whether the disk exists"), where=where, command=command("lsblk -f")),
        Step(
            say("mount it; the kubelet retries automatically within about 2 min"),
            where=where,
            command=command("mount {at}", at=given.path(lacks.mountpoint)),
            risk="reversible",
            undo=command("umount {at}", at=given.path(lacks.mountpoint)),
        ),
    )


CAUSE = Cause(
    id="volume.local-path-missing",
    title=say("the path of a local volume does not exist on the node"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | {NodeMounts},
    rule=_rule,
)
