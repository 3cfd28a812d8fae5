"""A path of the node: who owns it and what leads to it, and what is left on the file system that it lies on."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc, Space
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class PathPart(Record):
    """One directory on the way, or what the path leads to. mode: the permission bits, as chmod(1) takes them. directory: it is one.

    kind: `directory`, `file`, `socket`, `fifo`, `character device`, `block device`, "" where it was not told. size: of a file, in bytes.
    empty: a file has no byte, or a directory no entry; None where that was not seen.
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
    """A file that has no name any more and that a process still has open. bytes: what it takes on its file system."""

    path: str
    bytes: int
    proc: Proc
    pod: Ref | None = None


@record(kw_only=True)
class NodePath(NodeFact):
    """What a path of the node leads to. about: a `File` of the node; a name without a leading slash lies in the kubelet's own directory.

    parts: the root first, with every link on the way resolved as the node resolves it. missing: the first name that is not there, ""
    where all are. links: those that were followed, in that order. beside: names in the directory where `missing` is not, the nearest
    first. space: of the file system that the last part lies on, None where it was not measured. deleted: where that is full, the files
    on it that have no name any more and are held open, the largest first; None where it is not full or that was not looked for.
    Whole where the last part is what the path leads to, or nothing of the next name is there. What lies on a file system that another
    machine or process answers for is not looked at. Sources: lstat(2), statvfs(3), path_resolution(7).
    """

    parts: tuple[PathPart, ...]
    missing: str = ""
    space: Space | None = None
    links: tuple[PathLink, ...] = ()
    beside: tuple[str, ...] = ()
    deleted: tuple[DeletedFile, ...] | None = None
    ask: ClassVar[str] = "namei -lx {name}; df -h {name}; df -i {name}"
