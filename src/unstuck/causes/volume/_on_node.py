"""The Node's place of a path in a container, and the mount options of its file system."""

from __future__ import annotations

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_mounts import NodeMounts
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import PodRoom
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record

READS: frozenset[type[Fact]] = frozenset({NodeMounts, Placement, PodRoom, Volumes})
# They lie in the Pod's own directory, on the kubelet's file system.
_OF_KUBELET = ("configMap", "emptyDir", "downwardAPI")


@record()
class VolumePath(Record):
    """A path of a container in a volume. type: "" if unknown; path: on the Node, "" if unknown."""

    volume: str
    type: str
    path: str = ""


def find_volume_path(pod: Ref, container: str | None, path: str, snap: Facts) -> VolumePath | None:
    """Return the volume of a path in the container; None for a path of its image, or if that is not known."""
    spec = find_container_spec(pod, container, snap)
    mounts = [m for m in spec.mounts if is_at_or_below(path, m[0])] if spec else []
    if not mounts:
        return None
    at, name = max(mounts, key=lambda m: len(m[0]))
    volume = next((v for f in snap.of(Volumes, pod) for v in f.items if v.name == name), None)
    if volume is None:
        return VolumePath(name, "")
    inside = path[len(at.rstrip("/")) :]
    return VolumePath(
        name,
        volume.type,
        f"{volume.what.rstrip('/')}{inside}" if volume.type == "hostPath" and volume.what else "",
    )


def is_mounted_with(option: str, pod: Ref, where: VolumePath, snap: Facts) -> Sign[MountEntry]:
    """Tell whether the volume's file system is mounted with an option (`noexec`, `ro`). Unknown for kinds of
    volumes with their own mounts.
    """

    def has(entry: MountEntry | None) -> list[MountEntry]:
        return [entry] if entry and option in entry.options.split(",") else []

    node = find_node(pod, snap)
    if where.path and node:
        return some(snap, NodeMounts, node, lambda f: has(f.over(where.path)))
    if where.path:
        return Sign(None, wants=(Want(Placement, pod),))
    if not where.type:
        return Sign(None, wants=(Want(Volumes, pod),))
    if where.type in _OF_KUBELET:
        return some(snap, PodRoom, pod, lambda f: [e for m in f.mounts for e in has(m)])
    return Sign(None)
