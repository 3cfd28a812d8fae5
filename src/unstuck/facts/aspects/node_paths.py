"""A path of the node: its owners and parents, and the room left on its file system."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc, Space
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class PathPart(Record):
    """One directory on the way, or the end of the path. mode: the permission bits, as chmod(1) takes them. directory: it is one.

    kind: `directory`, `file`, `socket`, `fifo`, `character device`, `block device`, "" if unknown. size: of a file, in bytes.
    empty: a file has no byte, or a directory no entry; None if that was not seen.
    """

    path: str
    uid: int
    gid: int
    mode: int
    directory: bool = False
    kind: str = ""
    size: int | None = None
    empty: bool | None = None


@record()
class PathLink(Record):
    """A symbolic link on the way. target: where it leads, as an absolute path."""

    path: str
    target: str


@record()
class DeletedFile(Record):
    """A deleted file that a process still has open. bytes: its size on its file system."""

    path: str
    bytes: int
    proc: Proc
    pod: Ref | None = None


@record(kw_only=True)
class NodePath(NodeFact):
    """The way to a path of the node. about: a `File` of the node; a name without a leading slash is in the kubelet's own directory.

    parts: the root first, with every link on the way resolved as the node resolves it. missing: the first name that does not exist, ""
    if all do. links: those that were followed, in that order. beside: names in the directory without `missing`, the nearest
    first. space: of the last part's file system, None if it was not measured. deleted: if that is full, its deleted files
    that are held open, the largest first; None if it is not full or they were not looked for.
    Whole if the last part is the end of the path, or nothing of the next name exists. File systems served by another machine or process
    are not looked at. Sources: lstat(2), statvfs(3), path_resolution(7).
    """

    parts: tuple[PathPart, ...]
    missing: str = ""
    space: Space | None = None
    links: tuple[PathLink, ...] = ()
    beside: tuple[str, ...] = ()
    deleted: tuple[DeletedFile, ...] | None = None
    ask: ClassVar[str] = "namei -lx {name}; df -h {name}; df -i {name}"
