"""A volume's mount options are rejected

## How it happens

The volume, its class or its PersistentVolume requests a mount option that the file system, its helper or the
kernel of this Node does not know, or for a protocol version that one of the two sides does not speak: a
typing error in `mountOptions`, `vers=4.2` to a server of 4.0, an option of NFS on another file system, or a
kernel with a faulty client.

## How to tell

`FailedMount` repeats with `an incorrect mount option was specified`, `Unknown parameter`, `unrecognized mount
option`, or `Protocol not supported`. The same message shows the options in its `Mounting arguments`.

## Known limits

`wrong fs type, bad option, bad superblock` alone identifies none of the three; it leaves this open. Whether
the client's or the server's version is at fault cannot be seen from the message.

## References

- nfs-utils utils/mount/error.c, util-linux libmount, kernel fs/fs_parser.c; Kubernetes pkg/volume (1.34)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), of_node=False
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in ("option-invalid", "protocol-unsupported")


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    option = say(": {key}", key=f.key) if f.key else NO_TEXT
    protocol = f.error == "protocol-unsupported"
    what = say("requires an unsupported protocol version") if protocol else say("has a rejected mount option")
    return Finding(
        say("{name} {what}{option}", name=name, what=what, option=option)
        + _starting.say_on_node(subject, snap),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "correct mountOptions of the PersistentVolume, or of its StorageClass for future "
                    "volumes; no data is touched"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the PVC to recreate the volume"),
                say("its data may be deleted with it; mount options are not part of the data"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.mount-option-invalid",
    title=say("a volume's mount options are rejected"),
    subjects=("Pod", "Node"),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
