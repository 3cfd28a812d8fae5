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
    """One directory of the path, or its last part. mode: the permission bits in the form of chmod(1).
    directory: whether it is a directory.

    kind: `directory`, `file`, `socket`, `fifo`, `character device`, `block device`, "" if unknown. size: of a
    file, in bytes. empty: whether a file has no bytes, or a directory no entries; None if not seen. flags:
    `i` immutable, `a` append-only.
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
    """A symbolic link in the path. target: as an absolute path. relative: whether it is written relative to
    the link's directory.
    """

    path: str
    target: str
    relative: bool = False


@record()
class PathUser(Record):
    """A process that uses the path's last part. how: it runs a file or holds a lock on it; of a named pipe it
    has this end open, or blocks in opening it. pod: the process' Pod.
    """

    proc: Proc
    how: Literal["runs", "locks", "reads", "writes", "both", "opens"]
    pod: Ref | None = None


@record()
class PathCertificate(Record):
    """A certificate in a PEM file. subject: its CN or O. ends: its notAfter. file: of a directory's, the
    file's name.
    """

    subject: str
    ends: datetime
    file: str = ""


@record()
class DeletedFile(Record):
    """A deleted file still open in a process. bytes: its size on its file system."""

    path: str
    bytes: int
    proc: Proc
    pod: Ref | None = None


@record(kw_only=True)
class NodePath(NodeFact):
    """A path of the node, part by part. about: a `File` of the node; a name without a leading slash is in the
    kubelet's own directory.

    parts: the root first, with every link resolved as on the node. missing: the first missing name, "" if all
    exist. links: the followed links, in order. beside: names in the directory that lacks `missing`, the most
    similar first. space: of the last part's file system, None if not measured. deleted: if the file system is
    full, its deleted files still open, largest first; None if it is not full or they were not looked for.
    mount: the mount of the last part. served: whether another machine or process serves it, so that nothing
    below its mount point was examined; parts end above it. error: the node's error for the name after the
    last part (`EIO`, `ESTALE`). users: of a file or named pipe, its users; None if not every process was
    seen. openers: processes blocked in opening some named pipe. certificates: of a PEM file, the first ones;
    of a directory, the first one of each PEM file right in it. number: the content of a file with a single
    number. Whole if the last part is the end of the path, or the next name does not exist. Sources: lstat(2),
    statvfs(3), path_resolution(7), fifo(7), proc(5) `/proc/PID/fdinfo`, `/proc/locks`.
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
