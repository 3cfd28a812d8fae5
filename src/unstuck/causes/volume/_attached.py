"""Facts about VolumeAttachments and the users of their volumes, for the cause of a volume that is not
detached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unstuck.causes.finalizer._owner import is_alive
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, some, unique
from unstuck.facts.aspects.cluster import Claim, FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Failure, Finalizers
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.aspects.storage import Attached, Attachment, Attachments
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.node import is_silent
from unstuck.stages.overdue import is_overdue

_ATTACHER = "external-attacher/"
# Of any other mode the controller attaches the volume to several Nodes (pkg/volume/util,
# IsMultiAttachAllowed).
_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")
_MANY = 12


def has_attacher_finalizer(subject: Ref, snap: Facts) -> Sign[str]:
    """Tell whether the attacher's finalizer is on the object."""
    return some(snap, Finalizers, subject, lambda f: [n for n in f.names if n.startswith(_ATTACHER)])


def detach_failure(attachment: Ref, snap: Facts) -> Sign[Attached]:
    """Tell whether the driver failed to detach after the deletion was requested; an error without a time
    counts.
    """
    due = max((f.due for f in snap.of(Deletion, attachment) if f.due is not None), default=None)
    return some(
        snap,
        Attachment,
        attachment,
        lambda f: [f.item] if f.item.error and (not f.item.since or not due or f.item.since >= due) else [],
    )


def remains_attached(attachment: Ref, snap: Facts) -> Sign[Attached]:
    """Tell whether the VolumeAttachment should be gone by now, and its attacher keeps it."""
    told = some(snap, Attachment, attachment, lambda f: [f.item])
    return all_of(
        [_bare(is_overdue(attachment, snap)), _bare(has_attacher_finalizer(attachment, snap)), told]
    )


def remains_as_driver_fails(attachment: Ref, snap: Facts) -> Sign[Attached]:
    """Tell whether it is left because the driver fails."""
    return all_of([remains_attached(attachment, snap), detach_failure(attachment, snap)])


def is_on_silent_node(attachment: Ref, snap: Facts) -> Sign[Attached]:
    """Tell whether the volume is attached to a Node that does not report: then its unmount is not
    confirmed.
    """
    attached = some(
        snap, Attachment, attachment, lambda f: [f.item] if f.item.attached and f.item.node else []
    )
    if not attached.value:
        return attached
    return all_of([_bare(is_silent(Ref("Node", None, attached.hits[0].node), snap)), attached])


def blocks_attach(attachment: Ref, snap: Facts) -> Sign[Attached]:
    """Tell whether it keeps the volume from other Nodes, and not because it is used."""
    return any_of([remains_attached(attachment, snap), is_on_silent_node(attachment, snap)])


def _bare(sign: Sign[Any]) -> Sign[Attached]:
    """Return the sign without its hits, which are of another type."""
    return Sign(sign.value, (), sign.seen, sign.wants, sign.sure)


def check_volumes(
    volumes: Sequence[Ref], snap: Facts, is_so: Callable[[Ref, Facts], Sign[Attached]]
) -> Sign[Attached]:
    """Tell whether this holds for a VolumeAttachment of these PersistentVolumes; no only where all of them
    are known.
    """
    return any_of([sign for volume in volumes[:_MANY] for sign in _judge_volume(volume, snap, is_so)])


def _judge_volume(
    volume: Ref, snap: Facts, is_so: Callable[[Ref, Facts], Sign[Attached]]
) -> list[Sign[Attached]]:
    listed = some(snap, Attachments, volume, lambda f: f.items)
    read = [f.item for f in snap.every(Attachment) if f.item.volume == volume.name]
    signs = [is_so(ref, snap) for ref in unique(snap.canon(i.ref) for i in (*listed.hits, *read))]
    return [*signs, _bare(listed)] if listed.value is not True else signs


# The controller's own word while the volume is attached elsewhere for sure, and the storage's once a
# detaching has failed: then the controller tries to attach the volume to the next Node all the same
# (reconciler.go, MarkVolumeAsUncertain).
_ELSEWHERE: tuple[ErrorWord, ...] = (
    "multi-attach",
    "still-attached",
    "attachment-deleting",
    "detach-unfinished",
)
_GOING: tuple[ErrorWord, ...] = ("attachment-deleting", "detach-unfinished")
_AGAIN = 2


def find_withheld_volumes(pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find the PersistentVolumes that cannot be attached for the Pod because they are attached already,
    according to Events.
    """
    return hearsay(
        snap, Failure, pod, lambda f: [_find_volume(f)] if _is_attaching(f) and f.error in _ELSEWHERE else []
    )


def is_detaching(pod: Ref, snap: Facts) -> Sign[Failure]:
    """Return whether a volume's VolumeAttachment is being deleted, or its detaching unfinished at the
    storage, reported repeatedly.
    """
    return hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if _is_attaching(f) and f.error in _GOING and f.count >= _AGAIN else [],
    )


def find_other_attach_failures(pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find volumes that cannot be attached for another reason."""
    return hearsay(
        snap,
        Failure,
        pod,
        lambda f: [_find_volume(f)] if _is_attaching(f) and f.error not in _ELSEWHERE else [],
    )


def _is_attaching(failure: Failure) -> bool:
    return failure.operation == "volume-attach" and bool(failure.volume)


def _find_volume(failure: Failure) -> Ref:
    return Ref("PersistentVolume", None, failure.volume)


def find_exclusive_volumes(pod: Ref, snap: Facts) -> Sign[Ref]:
    """Find the PersistentVolumes of the Pod's claims that only one Node may have."""
    claims = some(snap, Needs, pod, lambda f: [n.object for n in f.items if n.by == "claim"])
    if not claims.value:
        return claims
    return any_of([some(snap, Claim, claim, _find_volume_of) for claim in claims.hits[:_MANY]])


def _find_volume_of(claim: Claim) -> list[Ref]:
    alone = bool(claim.modes) and all(m in _ONE_NODE for m in claim.modes)
    return [Ref("PersistentVolume", None, claim.volume)] if claim.volume and alone else []


def list_attachers(refs: Sequence[Ref], snap: Facts) -> tuple[Ref, ...]:
    """Return the live owners of these objects' finalizers: they repeat the failing call."""
    found = (c for ref in refs for f in snap.of(FinalizerOwner, ref) for c in f.candidates)
    return unique(c.ref for c in found if is_alive(c, snap.now))
