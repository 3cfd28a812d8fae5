"""A volume's file system is damaged

## How it happens

The file system on the volume is inconsistent: a power loss, a device that went away under it, two Nodes that
wrote to it at once, or faulty storage. The driver runs `fsck -a` before it mounts; if that cannot repair the
damage safely, the driver refuses to mount and leaves it to an administrator.

## How to tell

`FailedMount` repeats with `'fsck' found errors on device … but could not correct them`, `UNEXPECTED
INCONSISTENCY; RUN fsck MANUALLY`, `Structure needs cleaning` or `can't read superblock`.

## Known limits

`can't read superblock` also appears for an unreadable device, so it is reported as `likely` at most: look at
the kernel's log for I/O errors first. The lost data are not known before the repair.

## References

- mount-utils mount_linux.go (checkAndRepairFilesystem); e2fsck(8), xfs_repair(8)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), decides=_was_read
    )


def _was_read(f: Failure) -> bool:
    """Tell whether the file system itself was read; else the device may be unreadable."""
    return "can't " not in f.message


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error == "fs-corrupted"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    device = say(" ({path})", path=f.path) if f.path else NO_TEXT
    return Finding(
        say(
            "the file system of {name}{device} is damaged and was not repaired automatically",
            name=name,
            device=device,
        ),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("first check whether the kernel logged I/O errors for the device"),
                where=_starting.place_step(subject, snap),
                command=command("dmesg -T --level=err,warn"),
            ),
            Step(
                say(
                    "scale the workload down, take a snapshot of the volume, attach it to one node without "
                    "mounting it, and run fsck (XFS: xfs_repair) there by hand; without the snapshot, data "
                    "removed by the repair is lost"
                ),
                risk="loses-data",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("run fsck -y on the volume before it is copied, or while anything has it mounted"),
                say("it deletes whatever it cannot place, and on a mounted file system it destroys more"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.filesystem-corrupted",
    title=say("a volume's file system is damaged"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
