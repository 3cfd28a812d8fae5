"""Find volumes where a running container still sees the Node's earlier content: since then a file system was
mounted or unmounted at the path, or the directory was deleted and created again.

Sources: mount_namespaces(7); documentation "Volumes", mount propagation; proc(5) `/proc/PID/mountinfo` (the
root of a deleted directory ends with `//deleted`).
"""

from __future__ import annotations

from unstuck.causes._node_place import READS as _PLACE_READS
from unstuck.causes._node_place import find_node_place, list_wants_of_place
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_mounts import ContainerMount, ContainerMounts, NodeMounts
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, list_container_ids
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = _PLACE_READS | {ContainerMounts, ContainerStatuses, NodeMounts}
_DELETED = "//deleted"


@record()
class _Stale(Record):
    """path: of the volume on the Node. now: the mount there, or below it, that the container does not see;
    None if its directory was deleted, or its file system is no longer mounted on the Node. deleted: which of
    the two.
    """

    path: str
    now: MountEntry | None = None
    deleted: bool = False


def tell_stale_mount(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the volume of a running container that differs from the Node's current mount. line: the
    program's message, which decides on a mount below a volume.
    """
    spec = find_container_spec(pod, container, snap) if pod.kind == "Pod" and container else None
    wants: list[Want] = []
    for at, _ in spec.mounts if spec else ():
        place = find_node_place(pod, container, at, snap)
        path = (place.volume.name or "") if place else ""
        if place is None:
            wants += list_wants_of_place(pod, snap, container, at)
        if place is None or place.type == "emptyDir" or not path.startswith("/"):
            continue
        node = Ref("Node", None, place.volume.within)
        asked = [Want(ContainerMounts, pod), Want(NodeMounts, node)]
        wants += [w for w in asked if not snap.answered(w)]
        for seen in snap.of(ContainerMounts, pod):
            for table in snap.of(NodeMounts, node):
                ids = list_container_ids(pod, container, snap, running=True)
                own = [m for m in seen.items if m.container in ids]
                if (stale := _compare(at, path, own, table, line)) and node.name:
                    says, help_ = _describe(stale, node.name), _help(pod, stale, verify)
                    return NodeWords(says, help_, (seen, table), decides=True, replaces=True)
    return NodeWords(wants=unique(wants))


def _compare(at: str, path: str, own: list[ContainerMount], table: NodeMounts, line: str) -> _Stale | None:
    """Return the difference between the container's view of a volume and the Node's; None if there is none,
    or it is uncertain. A link on the way to the path makes it unsure.
    """
    mine = next((m for m in own if m.path == at), None)
    if mine is None:
        return None
    if mine.root.endswith(_DELETED):
        return _Stale(path, deleted=True)
    above = table.list_over(path)
    for covered in above[1:]:
        if (mine.dev, mine.root) == (covered.dev, _inside(covered, path)):
            return _Stale(path, above[0])
    points = {m.path for m in own}
    below = (e for e in table.items if is_at_or_below(e.mountpoint, path) and e.mountpoint != path)
    for entry in below:
        inside = f"{at.rstrip('/')}{entry.mountpoint[len(path.rstrip('/')) :]}"
        if inside in line and inside not in points:
            return _Stale(path, entry)
    if table.whole and mine.dev and not any(e.dev == mine.dev for e in table.items):
        return _Stale(path)
    return None


def _inside(mount: MountEntry, path: str) -> str:
    """Return the directory of its file system behind a path, by a mount above it."""
    below = path if mount.mountpoint == "/" else path[len(mount.mountpoint) :]
    return f"{mount.root.rstrip('/')}{below}".rstrip("/") or "/"


def _describe(stale: _Stale, node: str) -> Text:
    if stale.now is not None:
        return say(
            "; on Node {node} {source} ({kind}) was mounted at {at} after the container had been started: "
            "the container still sees the directory below that mount",
            node=node,
            source=stale.now.source,
            kind=stale.now.fstype,
            at=stale.now.mountpoint,
        )
    if stale.deleted:
        return say(
            "; on Node {node} the directory {path} was deleted after the container had been started: the "
            "container still has the deleted one, and not what is at this path now",
            node=node,
            path=stale.path,
        )
    return say(
        "; the file system that the container has from {path} is no longer mounted on Node {node}: the "
        "container does not see what is at this path now",
        node=node,
        path=stale.path,
    )


def _help(pod: Ref, stale: _Stale, verify: Text) -> tuple[Step, ...]:
    return (
        Step(
            say(
                "delete the Pod so that its owner creates it again (one without an owner has to be applied "
                "again): the new one gets what is at this path now; it is down meanwhile"
            ),
            command=command("kubectl delete {pod} {space}", pod=given.of(pod), space=given.space(pod)),
            risk="disrupts",
            verify=verify,
        ),
        Step(
            say(
                "replace what is in {path} from now on, and not the directory itself; or mount the directory "
                "above it",
                path=stale.path,
            )
            if stale.deleted
            else say(
                "so that it gets later mounts by itself: set mountPropagation: HostToContainer for this "
                "volume, or start the Pod only once it is mounted"
            ),
            where="source",
        ),
    )
