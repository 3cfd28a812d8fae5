"""Facts about the room on a node's local file systems, and what takes it."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.paths import find_deepest
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Space(Record):
    """A file system's size and the room left on it for an ordinary user, in bytes and inodes (0 inodes: it
    does not count them).

    path: one of the directories on it. mountpoint, fstype, dev: the mount. read_only: it cannot be written
    to. holds: its contents, of `kubelet`, `runtime`, `logs`, `root`.
    """

    path: str
    bytes: int
    bytes_free: int
    inodes: int
    inodes_free: int
    mountpoint: str = ""
    fstype: str = ""
    dev: str = ""
    read_only: bool = False
    holds: tuple[str, ...] = ()


@record()
class Consumer(Record):
    """A directory on a full file system, with all below it on the same device. partly: not all of it was
    counted.
    """

    path: str
    bytes: int
    inodes: int
    partly: bool = False


# Below these a single Pod's volume or a container's own file system may be mounted.
_MOUNTED_EACH = regex(r"/pods/[^/]+/volumes/[^/]+/[^/]+/.|/[0-9a-f]{64}/(?:.+/)?(?:rootfs|shm|merged)(?:/|$)")
_WRITTEN = "/ /var/lib/kubelet /var/lib/containerd /var/log"


@record(kw_only=True)
class DiskSpace(NodeFact):
    """The node's local file systems that the kubelet, the runtime and the logs live on. about: the Node.
    Network ones are not touched.

    largest: of those nearly full, the directories that take most, largest first. not_looked_at: those not
    measured or not counted, one line each. unmeasured: mount points of the node's other file systems, without
    the mounts of single Pods and containers.
    """

    items: tuple[Space, ...]
    largest: tuple[Consumer, ...] = ()
    not_looked_at: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    ask: ClassVar[str] = f"df -P {_WRITTEN}; df -iP {_WRITTEN}; for d in {_WRITTEN}; do findmnt -nT $d; done"

    def on(self, path: str) -> str | None:
        """Return the known mount point of an absolute path; None if none is above it."""
        return find_deepest(path, (*self.measured, *self.unmeasured))

    @property
    def measured(self) -> tuple[str, ...]:
        """Return the mount points that were measured."""
        return tuple(s.mountpoint or s.path for s in self.items)

    def reaches(self, path: str) -> bool:
        """Tell whether the file system of the path was measured."""
        return not _MOUNTED_EACH.search(path) and self.on(path) in self.measured
