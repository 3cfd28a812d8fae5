"""Shared parts of the causes of a CSI volume that cannot be unmounted."""

from __future__ import annotations

from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Volumes
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation

say = Messages(__name__)

TEAR_DOWN: tuple[Operation, ...] = ("volume-tear-down", "device-unmount")
# pkg/volume/util/util.go (GetUniqueVolumeNameFromSpec), csi_plugin.go (GetVolumeName):
# `kubernetes.io/csi/DRIVER^HANDLE`.
_UNIQUE = regex(r"kubernetes\.io/csi/([a-zA-Z0-9][a-zA-Z0-9.-]{0,62})\^")


def find_remaining_volumes(pod: Ref, snap: Facts) -> Sign[CsiVolume]:
    """Find CSI volumes of the Pod whose directory is still on the Node, with the driver that its file
    names.
    """
    return some(snap, VolumeData, pod, lambda f: [v for v in f.items if v.driver])


def find_missing_driver_lines(pod: Ref, snap: Facts) -> Sign[Failure]:
    """Find the kubelet's own lines that the driver for an unmount is not registered."""
    return hearsay(
        snap,
        Failure,
        pod,
        lambda f: (
            [f]
            if f.operation in TEAR_DOWN and f.error == "driver-not-registered" and f.object and f.object.name
            else []
        ),
    )


def find_drivers(pod: Ref, snap: Facts) -> Sign[str]:
    """Find the drivers of the Pod's CSI volumes, by their directories, the kubelet's messages or the Pod's
    own inline volumes.

    No only if the Pod has no possible CSI volume: only the Node shows a claim's.
    """
    on_disk, said, named = (
        find_remaining_volumes(pod, snap),
        find_missing_driver_lines(pod, snap),
        _find_drivers_in_names(pod, snap),
    )
    inline = some(snap, Volumes, pod, lambda f: [v.what for v in f.items if v.type == "csi" and v.what])
    known: list[Sign[str]] = [
        Sign(True, tuple(v.driver for v in on_disk.hits), on_disk.seen, sure=on_disk.sure)
        if on_disk.value
        else Sign(None),
        Sign(True, tuple(f.object.name or "" for f in said.hits if f.object), said.seen, sure=said.sure)
        if said.value
        else Sign(None),
        only_yes(inline),
        named,
    ]
    if any(s.value for s in known):
        return any_of(known)
    claims = some(
        snap, Volumes, pod, lambda f: [v for v in f.items if v.type in ("persistentVolumeClaim", "ephemeral")]
    )
    if claims.value is False or on_disk.value is False:
        return Sign(False, seen=(*claims.seen, *on_disk.seen))
    return Sign(
        None, seen=claims.seen, wants=(Want(VolumeData, pod),) if claims.value else (Want(Volumes, pod),)
    )


def _find_drivers_in_names(pod: Ref, snap: Facts) -> Sign[str]:
    """Find the drivers in the unique names of volumes that are not unmounted, as the kubelet writes them;
    never a no.
    """
    return hearsay(
        snap,
        Failure,
        pod,
        lambda f: _UNIQUE.findall(f"{f.volume or ''} {f.src.quote}")[:1] if f.operation in TEAR_DOWN else [],
    )


def do_not_force() -> DoNot:
    """Return the tempting acts while a driver does not unmount."""
    return DoNot(
        say("force delete the Pod, or remove the volume's directory"),
        say(
            "the volume stays mounted on the node: the next Pod elsewhere may be a second writer, and "
            "deleting a mounted directory deletes the volume's data"
        ),
    )
