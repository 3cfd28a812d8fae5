"""`mount`, `/proc/mounts`, `/proc/…/mountinfo` and `findmnt`: mounts below the Pods' directories, and
read-only ones.

Sources: util-linux mount(8) and findmnt(8), proc(5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.rows import find_end_of_run
from unstuck.collect.text.node.places import find_named_directories, find_roles
from unstuck.facts.aspects.host import MountEntry, PodMounts
from unstuck.facts.aspects.node_mounts import NodeMounts
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_TYPE = r"(?P<type>[a-z][\w.+-]{1,63})"
_SOURCE = r"(?P<source>\S{1,4096})"
_FORMS = (
    regex(
        rf"^\s*{_SOURCE} on (?P<point>/.{{0,4095}}?) type {_TYPE} \((?P<options>[^()]{{1,4096}})\)(?: "
        r"\[[^\]]{0,256}\])?\s*$"
    ),
    regex(rf"^\s*{_SOURCE} (?P<point>/\S{{0,4095}}) {_TYPE} (?P<options>(?:rw|ro)\b\S{{0,4096}}) \d \d\s*$"),
    regex(
        rf"^[\s│├└─|`-]{{0,64}}(?P<point>/\S{{0,4095}})\s+{_SOURCE}\s+{_TYPE}\s+(?P<options>(?:rw"
        r"|ro)\b\S{0,4096})\s*$"
    ),
)
_FULL = regex(
    r"^\d{1,10} \d{1,10} \d{1,6}:\d{1,6} /\S{0,4095} /\S{0,4095} (?:rw|ro)\b\S{0,1024}(?: \S{1,64}){0,8} - "
    r"\S{1,64} \S+ \S+\s*$"
)
_POD = regex(r"^(?P<directory>/\S{0,1024}?/pods/(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))(?:/|$)")
_FINDMNT = regex(r"^\s*TARGET\s+SOURCE\s+FSTYPE\s+OPTIONS\s*$")
# Every node has these; a list without them is a part of one.
_ALWAYS = {"/", "/proc", "/sys"}
# Their output is a container's view.
_ENTERS = ("kubectl", "docker", "crictl", "nerdctl", "podman", "runc")


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of lines in one of the forms."""
    if not (_FINDMNT.match(lines[i]) or _parse_entry(lines[i])):
        return None
    return find_end_of_run(lines, i + 1, _parse_entry)


def read(piece: Piece) -> Reading:
    """Return PodMounts about each Pod by its uid, DiskSpace about a node with a read-only file system.

    Never whole: nothing says that the list was not cut.
    """
    from unstuck.collect.node.mounts import pod_mounts  # the node's readers bring much with them

    out = Reading()
    entries = [(n, e) for n, line in enumerate(piece.lines) if (e := _parse_entry(line))]
    pods = {m["uid"]: m["directory"] for _, e in entries if (m := _POD.match(e.mountpoint))}
    for uid, directory in pods.items():
        items, extra = pod_mounts(directory, [e for _, e in entries])
        first = next(n for n, e in entries if e == items[0])
        out.facts.append(
            PodMounts(about=Ref("Pod", uid=uid), src=piece.src(first), items=items, extra=extra, whole=False)
        )
    spaces = list(_find_read_only(entries, piece.command))
    if spaces:
        about = piece.node or piece.block("Node")
        out.facts.append(
            DiskSpace(
                about=about, src=piece.src(spaces[0][0]), items=tuple(s for _, s in spaces), whole=False
            )
        )
    if _is_machine_list(entries, piece.command):
        items = tuple(e for _, e in entries if not _POD.match(e.mountpoint))
        out.facts.append(
            NodeMounts(
                about=piece.node or piece.block("Node"),
                src=piece.src(entries[0][0]),
                items=items,
                whole=False,
            )
        )
    return out


def _is_machine_list(entries: Sequence[tuple[int, MountEntry]], command: TypedCommand | None) -> bool:
    """Tell whether the list is a node's and not a container's, by entries that every node's list has."""
    points = {e.mountpoint: e for _, e in entries}
    inside = (command and command.program in _ENTERS) or ("/" in points and points["/"].fstype == "overlay")
    return points.keys() >= _ALWAYS and not inside and not (command and command.is_filtered)


def _find_read_only(
    entries: Sequence[tuple[int, MountEntry]], command: TypedCommand | None
) -> Iterator[tuple[int, Space]]:
    """Yield (line, read-only space) of the kubelet, the runtime and the logs; no list of mounts shows how
    full it is.
    """
    from unstuck.collect.node.mounts import is_read_only  # as above

    # Of two mounts at one mount point, the later one hides the other.
    points = {e.mountpoint: (n, e) for n, e in entries}
    root = points.get("/")
    if (command and command.program in _ENTERS) or (root and root[1].fstype == "overlay"):
        return
    listed = points.keys() >= _ALWAYS and not (command and command.is_filtered)
    named = None if listed else find_named_directories("findmnt", command, len(entries))
    for point, (n, e) in points.items():
        holds = find_roles(point, points, named)
        if holds and is_read_only(e):
            yield (
                n,
                Space(
                    point,
                    0,
                    0,
                    0,
                    0,
                    mountpoint=point,
                    fstype=e.fstype,
                    dev=e.dev,
                    read_only=True,
                    holds=holds,
                ),
            )


def _parse_entry(line: str) -> MountEntry | None:
    if "/" not in line or len(line) > 16384:
        return None
    if _FULL.match(line):
        from unstuck.collect.node.mounts import parse_mountinfo  # as above

        return next(iter(parse_mountinfo(line.strip())), None)
    for form in _FORMS:
        if found := form.match(line):
            return MountEntry(found["point"], found["type"], found["source"], options=found["options"])
    return None
