"""A path of the node: its owners and parents, and the room left on its file system."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import MountEntry, NodeFact, Proc
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class PathPart(Record):
    """One directory on the way, or the end of the path. mode: the permission bits, as chmod(1) takes them.
    directory: it is one.

    kind: `directory`, `file`, `socket`, `fifo`, `character device`, `block device`, "" if unknown. size: of a
    file, in bytes. empty: a file has no byte, or a directory no entry; None if that was not seen. flags: `i`
    immutable, `a` append-only.
    """

    path: str
    uid: int
    gid: int
    mode: int
    directory: bool = False
    kind: str = ""
    size: int | None = None
    empty: bool | None = None
    flags: str = ""


@record()
class PathLink(Record):
    """A symbolic link on the way. target: where it leads, as an absolute path. relative: it is written
    from the link's own directory.
    """

    path: str
    target: str
    relative: bool = False


@record()
class PathUser(Record):
    """A process that has the end of the path in use. how: of a file it runs it, or holds a lock on it; of a
    named pipe it has this end open, or waits in opening one. pod: the one that it belongs to.
    """

    proc: Proc
    how: Literal["runs", "locks", "reads", "writes", "both", "opens"]
    pod: Ref | None = None


@record()
class PathCertificate(Record):
    """A certificate in a PEM file. subject: its CN or O. ends: its notAfter."""

    subject: str
    ends: datetime


@record()
class DeletedFile(Record):
    """A deleted file that a process still has open. bytes: its size on its file system."""

    path: str
    bytes: int
    proc: Proc
    pod: Ref | None = None


@record(kw_only=True)
class NodePath(NodeFact):
    """The way to a path of the node. about: a `File` of the node; a name without a leading slash is in the
    kubelet's own directory.

    parts: the root first, with every link on the way resolved as the node resolves it. missing: the first
    name that does not exist, "" if all do. links: those that were followed, in that order. beside: names in
    the directory without `missing`, the nearest first. space: of the last part's file system, None if it was
    not measured. deleted: if that is full, its deleted files that are held open, the largest first; None if
    it is not full or they were not looked for. mount: the mount that the end of the path lies on. served:
    another machine or process answers for it, so that nothing below its mount point was looked at; parts end
    above it. error: what the node itself got for the name after the last part (`EIO`, `ESTALE`). users: of a
    file or named pipe, who has it in use; None where not every process was seen. openers: processes that wait
    in opening some named pipe. certificates: of a PEM file, the first ones. number: the content of a
    file that holds a number and nothing else. Whole if the last part is the end of the path, or nothing of
    the next name exists. Sources: lstat(2), statvfs(3), path_resolution(7), fifo(7), proc(5)
    `/proc/PID/fdinfo`, `/proc/locks`.
    """

    parts: tuple[PathPart, ...]
    missing: str = ""
    space: Space | None = None
    links: tuple[PathLink, ...] = ()
    beside: tuple[str, ...] = ()
    deleted: tuple[DeletedFile, ...] | None = None
    mount: MountEntry | None = None
    served: bool = False
    error: str = ""
    users: tuple[PathUser, ...] | None = None
    openers: tuple[PathUser, ...] = ()
    certificates: tuple[PathCertificate, ...] = ()
    number: int | None = None
    ask: ClassVar[str] = "namei -lx {name}; df -h {name}; df -i {name}"
