"""The Node's path behind a path in a container, the directory in it that refuses a user, and the free space
of its file system.
"""

from __future__ import annotations

import re
from typing import Literal

from unstuck.causes.node._full import lacks_bytes, lacks_inodes
from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.node_paths import NodePath, PathPart
from unstuck.facts.aspects.pod import Containers, Placement, PodVolume, Volumes
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.aspects.space import Space
from unstuck.facts.aspects.storage import CsiSource
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

READS: frozenset[type[Fact]] = frozenset(
    {Claim, Containers, CsiSource, NodePath, Placement, PodSettings, Volumes}
)

_READ, _WRITE, _ENTER = 4, 2, 1
# Mounts of one container to look at.
_MOUNTS = 8
Act = Literal["enter", "read", "write"]
_WRITES = regex(r"creat|writ|mkdir|rename|remov|unlink|delet|append|touch|O_(?:WRONLY|RDWR)", re.IGNORECASE)


@record()
class NodePlace(Record):
    """Two `File`s of a node: volume: the directory of a volume's content; path: the path that a program
    names, at or below it. type: the volume's.
    """

    volume: Ref
    path: Ref
    type: str


def list_wants_of_place(
    pod: Ref, snap: Facts, container: str | None = None, path: str = ""
) -> tuple[Want, ...]:
    """Return the facts that are needed to place a path of a Pod: facts about the Pod, and for a path in a
    claim's volume facts about claim and volume.
    """
    if pod.kind != "Pod":
        return ()
    lacking = [Want(fact, pod) for fact in (Containers, Volumes) if not snap.of(fact, pod)]
    mounted = _find_mounted(pod, container, path, snap) if path else None
    of_claim = _list_wants_of_claim(pod, mounted[1], snap) if mounted else ()
    return (*lacking, *of_claim, *(() if find_node(pod, snap) else (Want(Placement, pod),)))


def _list_wants_of_claim(pod: Ref, volume: PodVolume, snap: Facts) -> tuple[Want, ...]:
    if volume.type != "persistentVolumeClaim" or not volume.what:
        return ()
    claim = Ref("PersistentVolumeClaim", pod.within, volume.what)
    bound = next((f.volume for f in snap.of(Claim, claim) if f.volume), None)
    want = Want(CsiSource, Ref("PersistentVolume", None, bound)) if bound else Want(Claim, claim)
    return () if snap.answered(want) else (want,)


@record()
class PathRefusal(Record):
    """The refusing part of a path, and the denied access."""

    part: PathPart
    act: Act


def find_node_place(pod: Ref, container: str | None, path: str, snap: Facts) -> NodePlace | None:
    """Return the place of a path in a hostPath, an emptyDir or a claim's volume; None for other volumes, a
    subPath, and where node or volume is not known.
    """
    mounted, node = _find_mounted(pod, container, path, snap), find_node(pod, snap)
    if mounted is None or node is None or not node.name:
        return None
    at, volume, part = mounted
    top = _find_top(pod, volume, snap)
    if not top:
        return None
    inside = part + path[len(at.rstrip("/")) :].rstrip("/")
    return NodePlace(
        Ref("File", node.name, top), Ref("File", node.name, f"{top.rstrip('/')}{inside}"), volume.type
    )


def _find_mounted(
    pod: Ref, container: str | None, path: str, snap: Facts
) -> tuple[str, PodVolume, str] | None:
    """Return the mount of a container that a path lies in, its volume, and the part of it that is mounted
    (`/sub/path`, "" for the whole).
    """
    spec = (
        find_container_spec(pod, container, snap)
        if pod.kind == "Pod" and ".." not in path.split("/")
        else None
    )
    mounts = [m for m in spec.mounts if is_at_or_below(path, m[0])] if spec else []
    if not mounts:
        return None
    at, name = max(mounts, key=lambda m: len(m[0]))
    # A subPath mounts another directory than the volume's own.
    part = _find_sub_path(pod, container, at, name, snap)
    known = [
        f for f in snap.of(Volumes, pod) if f.sub_paths is not None and (part or name not in f.sub_paths)
    ]
    return next(((at, v, part) for f in known for v in f.items if v.name == name), None)


def _find_sub_path(pod: Ref, container: str | None, at: str, volume: str, snap: Facts) -> str:
    """Return `/sub/path` of a mount of a part of a hostPath; "" for other mounts and for variables in it."""
    host = any(v.name == volume and v.type == "hostPath" for f in snap.of(Volumes, pod) for v in f.items)
    parts = (
        m.sub_path
        for f in snap.of(PodSettings, pod)
        for c in f.items
        if c.name == container
        for m in c.sub_paths
        if host and m.volume == volume and m.path.rstrip("/") == at.rstrip("/") and "$(" not in m.sub_path
    )
    part = next(parts, "").strip("/")
    return f"/{part}" if part and ".." not in part.split("/") else ""


def _find_top(pod: Ref, volume: PodVolume, snap: Facts) -> str:
    """Return the path of a volume on its node, "" if unknown; without a leading slash it is in the kubelet's
    directory.
    """
    uid = snap.canon(pod).uid
    if volume.type == "hostPath" and volume.what.startswith("/"):
        return volume.what.rstrip("/") or "/"
    if volume.type == "emptyDir" and uid:
        return f"pods/{uid}/volumes/kubernetes.io~empty-dir/{volume.name}"
    if volume.type != "persistentVolumeClaim" or not volume.what:
        return ""
    claim = Ref("PersistentVolumeClaim", pod.within, volume.what)
    bound = next((f.volume for f in snap.of(Claim, claim) if f.volume), None)
    source = snap.one(CsiSource, Ref("PersistentVolume", None, bound)) if bound else None
    if source is None:
        return ""
    if source.driver and uid:
        return f"pods/{uid}/volumes/kubernetes.io~csi/{bound}/mount"
    return (source.local or source.host).rstrip("/")


def list_node_places(pod: Ref, container: str | None, snap: Facts) -> tuple[NodePlace, ...]:
    """Return the places of the hostPaths that a container mounts writable: the candidates for a message that
    names no path.
    """
    spec = find_container_spec(pod, container, snap) if pod.kind == "Pod" else None
    at = [path for path, _ in spec.mounts if path not in spec.read_only] if spec else []
    places = [place for path in at[:_MOUNTS] if (place := find_node_place(pod, container, path, snap))]
    return tuple(place for place in places if place.type == "hostPath")


def list_mounted_places(pod: Ref, container: str | None, snap: Facts) -> tuple[NodePlace, ...]:
    """Return the places of all hostPaths that a container mounts, read-only ones included."""
    return tuple(p for p in list_paths_of_node(pod, container, snap) if p.type == "hostPath")


def list_paths_of_node(pod: Ref, container: str | None, snap: Facts) -> tuple[NodePlace, ...]:
    """Return the places of the hostPaths and local volumes that a container mounts: their content is the
    Node's own.
    """
    spec = find_container_spec(pod, container, snap) if pod.kind == "Pod" else None
    at = [path for path, _ in spec.mounts] if spec else []
    places = [place for path in at[:_MOUNTS] if (place := find_node_place(pod, container, path, snap))]
    return tuple(place for place in places if (place.path.name or "").startswith("/"))


def find_refusals(
    place: NodePlace, user: int, groups: tuple[int, ...], line: str, snap: Facts
) -> Sign[PathRefusal]:
    """Return the parts of a path that the permission bits close to a user. groups: only the certain ones.
    line: the program's message.

    Directories above the volume are not visible in the container, and deny nothing there. Writing is
    certainly refused only if the line reports a write, or the name does not exist and so cannot be read.
    """
    tops = some(
        snap,
        NodePath,
        place.volume,
        lambda f: [f.parts[-1].path] if f.parts and not (f.missing or f.served) else [],
    )
    if not tops.hits:
        return Sign(None, seen=tops.seen, wants=tops.wants)
    return some(
        snap,
        NodePath,
        place.path,
        lambda f: _refused_in(f, tops.hits[0], user, groups, _WRITES.search(line) is not None),
    )


def _refused_in(
    found: NodePath, top: str, user: int, groups: tuple[int, ...], writes: bool
) -> list[PathRefusal]:
    # A link may lead out of the volume, and elsewhere in the container.
    parts = [p for p in found.parts if is_at_or_below(p.path, top)]
    if not parts or user == 0 or found.served:
        return []
    *way, last = parts
    # Connecting to a socket requires write permission (unix(7)).
    writes = writes or last.kind == "socket"
    closed = [PathRefusal(p, "enter") for p in parts if p.directory and _lacks(p, user, groups, _ENTER)]
    if closed:
        return closed[:1]
    if _lacks(last, user, groups, _WRITE) and (found.missing or writes):
        # Creating, renaming or deleting a name writes to its directory, which may be the parent.
        above = way[-1:] if not found.missing and not last.directory else []
        return [PathRefusal(p, "write") for p in (last, *above) if _lacks(p, user, groups, _WRITE)][:1]
    return (
        [PathRefusal(last, "read")]
        if not found.missing and not writes and _lacks(last, user, groups, _READ)
        else []
    )


def find_end(place: NodePlace, snap: Facts) -> NodePath | None:
    """Return the Node's entry at the place, if the whole path exists and was read."""
    return next(
        (f for f in snap.of(NodePath, place.path) if f.parts and not (f.missing or f.served or f.error)), None
    )


def _lacks(part: PathPart, user: int, groups: tuple[int, ...], bit: int) -> bool:
    """Tell whether the bits certainly deny it; for an unknown group, both its bits and the others' must."""
    owner, group, others = (part.mode >> shift & bit for shift in (6, 3, 0))
    if user == part.uid:
        return not owner
    if part.gid in groups:
        return not group
    return not group and not others


def find_full_space(place: NodePlace, snap: Facts) -> Sign[Space]:
    """Return the file system of the path if it has no free bytes or inodes."""
    return some(
        snap,
        NodePath,
        place.path,
        lambda f: [f.space] if f.space and (lacks_bytes(f.space) or lacks_inodes(f.space)) else [],
    )
