"""Something else on the Node has taken the volume's device

## How it happens

The volume's block device is attached, but another user on the Node took it first: multipathd made a map of it
(its default takes every disk), LVM or mdadm assembled it, or it is still mounted elsewhere. The kernel gives
a device to only one of them.

## How to tell

`FailedMount` repeats with `already mounted or mount point busy`, or formatting fails with `is apparently in
use by the system`, while no mount of that device is shown. `lsblk` on the Node shows its holders (`mpath`,
`lvm`, `raid1`).

## Known limits

The message does not name the holder. A mount of the same device for another Pod of that Node is no fault
where the driver shares it.

## References

- longhorn/longhorn issue 1210; kubernetes-sigs/azuredisk-csi-driver issue 1717; util-linux libmount
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# A server's export has no device on the Node: there the mount point is busy.
_OF_SERVER = regex(r"-t (?:nfs4?|cifs|ceph|glusterfs|fuse\S*)\b|mount\.(?:nfs4?|cifs|ceph|glusterfs)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return (
        f.operation == "volume-set-up"
        and f.error == "device-claimed"
        and not (f.path is None and _OF_SERVER.search(f.src.quote))
    )


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    return Finding(
        say("the device of {name} is taken by something else", name=name)
        + (say(": {path}", path=f.path) if f.path else NO_TEXT)
        + _starting.say_on_node(subject, snap),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see what sits on top of the device"),
                where=_starting.place_step(subject, snap),
                command=command(
                    "lsblk -o NAME,TYPE,FSTYPE,MOUNTPOINT {device}",
                    device=given.paths([f.path] if f.path else ()),
                ),
            ),
            Step(
                say(
                    "if it is a multipath map that nothing uses: add the device to multipathd's blacklist "
                    "and flush that map"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("format the device by force"),
                say("its holder may have data on it"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.device-claimed",
    title=say("something else on the node has taken the volume's device"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
