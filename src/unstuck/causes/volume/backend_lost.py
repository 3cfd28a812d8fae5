"""The storage behind a volume is lost

## How it happens

The volume's object is there, the storage behind it is not: the disk was deleted in the cloud, the device went away from the Node, a FUSE
daemon died and left its mount, an NFS server forgot the handles it gave out, or the device answers every read with an error.

## How to tell

`FailedMount` or `FailedAttachVolume` repeats with `transport endpoint is not connected`, `stale file handle`, `input/output error`,
`special device … does not exist`, or the storage's own `NotFound … volume does not exist`. Of a mount that was there before, the runtime
says the same when it makes a container, and the kubelet when it unmounts the volume of a Pod that is being deleted.

## Known limits

Whether the data is lost or only unreachable cannot be seen from here: ask the storage. What the kubelet itself writes (Secrets, ConfigMaps,
tokens, emptyDirs) lies on the Node's own disk and is not meant. A server that does not answer at all hangs instead:
volume.network-filesystem-hung.

## References

- Kubernetes mount-utils (IsCorruptedMnt); errno(3); CSI specification, ControllerPublishVolume errors
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

# What the kubelet writes itself lies on the Node's own disk, and has no storage behind it.
_OF_NODE = regex(r"kubernetes\.io~(?:projected|secret|configmap|downward-api|empty-dir)|\bkube-api-access-")

_MADE: tuple[Operation, ...] = ("container-create", "container-start")
_OPERATIONS: tuple[Operation, ...] = ("volume-set-up", "volume-attach", "volume-tear-down", "subpath-clean", "volume-access", *_MADE)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    mine = f.operation in _OPERATIONS and f.error in ("backend-lost", "ESTALE", "ENOTCONN", "EIO")
    return mine and (f.operation not in _MADE or f.error == "backend-lost") and _OF_NODE.search(f"{f.src.quote} {f.message}") is None


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    return Finding(
        say("the backing storage of {name} is gone, or unreachable from the node", name=name) + _starting.say_on_node(subject, snap),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("check on the storage whether that volume exists; restore it, its server or its daemon"),
                verify=_starting.RETRIES,
            ),
            Step(
                say("if only a dead mount is left on the node: unmount it there; the driver mounts it again"),
                where=_starting.place_step(subject, snap),
                risk="reversible",
            ),
        ),
        do_not=(
            DoNot(
                say("delete the PVC or the PersistentVolume"),
                say("data that may only be unreachable is then deleted for good"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.backend-lost",
    title=say("the volume's backing storage is gone"),
    subjects=("Pod",),
    stages=(*_starting.VOLUMES, "init-done", "containers-created", "volumes-unmounted"),
    reads=_starting.READS,
    rule=_rule,
)
