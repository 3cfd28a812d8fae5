"""A volume denies the Node access

## How it happens

The server does not let this Node mount (its address is not in the export, the credentials of a share are
wrong), or the volume mounts and refuses the change of owner that `fsGroup` asks for: an NFS export with
root_squash, a read-only directory such as `.snapshot`, a share that has no owners.

## How to tell

`FailedMount` repeats with `access denied by server while mounting`, `mount error(13): Permission denied`,
`applyFSGroup failed for vol` or `chown …: operation not permitted`.

## Known limits

A program that may not write to a mounted volume fails later on its own: that is in its log, not here.

## References

- nfs-utils utils/mount/error.c; mount.cifs(8); Kubernetes pkg/volume/volume_linux.go (SetVolumeOwnership)
- Field notes: containers that are not created
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

# Behind it stands a tunnel to the server: efs-utils src/mount_efs (127.0.0.1 and the port of its TLS proxy).
_TUNNEL = "while mounting 127.0.0.1:"


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in ("access-denied", "ownership-refused")


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    if f.error == "ownership-refused":
        at = say(" at {path}", path=f.path) if f.path else NO_TEXT
        says = say("{name} rejects the ownership change for fsGroup{at}", name=name, at=at)
        todo = say(
            "set fsGroupChangePolicy OnRootMismatch, remove fsGroup, or change the files' group on the server"
        )
    elif "PermissionDenied" in f.message:
        answer = say("the driver of {name} reports that access is denied", name=name)
        says = answer + _starting.say_on_node(subject, snap)
        todo = say(
            "grant the missing permission in its message to the identity it mentions (the driver, the Pod's "
            "ServiceAccount or the cloud account)"
        )
    elif _TUNNEL in f.message:
        says = say(
            "the file server of {name} denies the mount through the node's own TLS tunnel (127.0.0.1)",
            name=name,
        )
        says += _starting.say_on_node(subject, snap)
        todo = say(
            "on Amazon EFS, let the file system's policy and the mount targets' access point "
            "allow it: add the "
            "mount option iam (and tls) to the StorageClass or PersistentVolume, and grant the role of the "
            "driver's node ServiceAccount elasticfilesystem:ClientMount, ClientWrite and ClientRootAccess"
        )
    else:
        says = say("the server of {name} denies the mount", name=name) + _starting.say_on_node(subject, snap)
        todo = say("export it to this node's address on the server, or correct the share's credentials")
    return Finding(
        says,
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(Step(todo, where="source", verify=_starting.RETRIES),),
        do_not=(
            DoNot(
                say("run the container as root or export with no_root_squash as a workaround"),
                say("every Pod on that node could then write every file of the export"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.permission-denied",
    title=say("a volume denies the node access"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
