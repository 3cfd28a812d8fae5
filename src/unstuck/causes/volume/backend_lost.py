"""The storage behind a volume is lost

## How it happens

The volume's object exists, the storage behind it does not: the disk was deleted in the cloud, the device went
away from the Node, a FUSE daemon died and left its mount, an NFS server forgot the handles it gave out, or
the device answers every read with an error.

## How to tell

`FailedMount` or `FailedAttachVolume` repeats with `transport endpoint is not connected`, `stale file handle`,
`input/output error`, `special device … does not exist`, or the storage's own `NotFound … volume does not
exist`. For an earlier mount, the runtime reports the same when it makes a container, and the kubelet when it
unmounts the volume of a Pod that is being deleted. For a hostPath the mount is the Node's own: a look at the
node shows its type and source.

## Known limits

Whether the data is lost or only unreachable cannot be seen from here: ask the storage. The kubelet's own
files (Secrets, ConfigMaps, tokens, emptyDirs) are on the Node's own disk and are not covered. A server that
does not answer at all hangs instead: volume.network-filesystem-hung.

## References

- Kubernetes mount-utils (IsCorruptedMnt); errno(3); CSI specification, ControllerPublishVolume errors
"""

from __future__ import annotations

from unstuck.causes import _node_state, _starting
from unstuck.causes._node_state import PathState, describe_state, look_up
from unstuck.causes._node_state_help import mend_state
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import PodVolume, Volumes
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

# The kubelet's own files are on the Node's own disk, without storage behind it.
_OF_NODE = regex(r"kubernetes\.io~(?:projected|secret|configmap|downward-api|empty-dir)|\bkube-api-access-")

_MADE: tuple[Operation, ...] = ("container-create", "container-start")
_OPERATIONS: tuple[Operation, ...] = (
    "volume-set-up",
    "volume-attach",
    "volume-tear-down",
    "subpath-clean",
    "volume-access",
    *_MADE,
)


_LOST = ("backend-lost", "ESTALE", "ENOTCONN", "EIO")


def _rule(subject: Ref, snap: Facts) -> Signs:
    def finding(f: Failure) -> Finding:
        volume = _find_host_path(subject, f, snap)
        return (
            _make_finding_of_host_path(subject, f, volume, snap)
            if volume
            else _make_finding(subject, f, snap)
        )

    return _starting.make_signs(
        subject, snap, lambda f: _is_match(f) or _find_host_path(subject, f, snap) is not None, finding
    )


def _look_behind(subject: Ref, f: Failure, snap: Facts) -> PathState | None:
    """Return the Node's entry at the path of a hostPath that could not be read."""
    node = find_node_of_pod(subject, snap)
    if node is None or not f.path or _find_host_path(subject, f, snap) is None:
        return None
    seen = look_up(Ref("File", node.name, f.path), snap)
    return PathState(seen, f.message) if seen else None


def _is_match(f: Failure) -> bool:
    mine = f.operation in _OPERATIONS and f.error in _LOST
    return (
        mine
        and (f.operation not in _MADE or f.error == "backend-lost")
        and _OF_NODE.search(f"{f.src.quote} {f.message}") is None
    )


def _find_host_path(subject: Ref, f: Failure, snap: Facts) -> PodVolume | None:
    """Return the hostPath of the Pod that the runtime could not read as it made a container; None for any
    other failure.
    """
    path = f.path
    if f.operation not in _MADE or f.error not in _LOST or not path:
        return None
    volumes = (
        v
        for v in (i for s in snap.of(Volumes, subject) for i in s.items)
        if v.type == "hostPath" and v.what.startswith("/")
    )
    return next((v for v in volumes if is_at_or_below(path, v.what)), None)


def _make_finding_of_host_path(subject: Ref, f: Failure, volume: PodVolume, snap: Facts) -> Finding:
    """Return the finding that names the path on the Node, and the mount that it lies on where the node was
    looked at.
    """
    node, path = find_node_of_pod(subject, snap), f.path or volume.what
    file = Ref("File", node.name if node else None, path)
    want = Want(NodePath, file)
    behind = _look_behind(subject, f, snap)
    says = say(
        "Node {node} cannot read {path} (hostPath, volume {name})",
        node=node.name if node else "?",
        path=path,
        name=volume.name,
    )
    steps = (
        Step(
            say(
                "see what is mounted there, and whether its server or daemon is up; if only a dead mount is "
                "left: unmount it and mount it again"
            ),
            where=_starting.place_step(subject, snap),
            command=command("findmnt -T {path}", path=given.path(path)),
            verify=_starting.RETRIES,
        ),
    )
    return Finding(
        says + describe_state(behind),
        culprit=file,
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=mend_state(behind, _starting.RETRIES) or steps,
        do_not=(
            DoNot(
                say("recreate the directory over it, or remove the volume from the Pod"),
                say("what is mounted there stays unreachable, and the program then works without its files"),
            ),
        ),
        enrich=(want,) if node and not snap.answered(want) else (),
        seen=(behind.found,) if behind else (),
    )


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    return Finding(
        say("the backing storage of {name} is gone, or unreachable from the node", name=name)
        + _starting.say_on_node(subject, snap),
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
    reads=_starting.READS | _node_state.READS,
    rule=_rule,
)
