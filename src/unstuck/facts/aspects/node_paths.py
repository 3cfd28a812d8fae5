"""A path of the node: who owns it and what leads to it, and what is left on the file system that it lies on."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Space
from unstuck.facts.record import Record, record


@record()
class PathPart(Record):
    """One directory on the way, or what the path leads to. mode: the permission bits, as chmod(1) takes them. directory: it is one."""

    path: str
    uid: int
    gid: int
    mode: int
    directory: bool = False


@record(kw_only=True)
class NodePath(NodeFact):
    """What a path of the node leads to. about: a `File` of the node; a name without a leading slash lies in the kubelet's own directory.

    parts: the root first, with every link on the way resolved as the node resolves it. missing: the first name that is not there, ""
    where all are. space: of the file system that the last part lies on, None where it was not measured.
    Whole where the last part is what the path leads to, or nothing of the next name is there. What lies on a file system that another
    machine or process answers for is not looked at. Sources: lstat(2), statvfs(3), path_resolution(7).
    """

    parts: tuple[PathPart, ...]
    missing: str = ""
    space: Space | None = None
    ask: ClassVar[str] = "namei -lx {name}; df -h {name}; df -i {name}"
