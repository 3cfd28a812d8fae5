"""Facts about the room on a node's local file systems, and its consumers."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.paths import find_deepest
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class Space(Record):
    """A file system's size and the room left on it for an ordinary user, in bytes and inodes (0 inodes: not
    counted).

    path: one of the directories on it. mountpoint, fstype, dev: the mount. read_only: whether it cannot be
    written. holds: its contents, of `kubelet`, `runtime`, `logs`, `root`.
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
    """A directory on a full file system, with all its contents on the same device. partly: whether the count
    is incomplete.
    """

    path: str
    bytes: int
    inodes: int
    partly: bool = False


# The directories for mounts of single Pods' volumes and of containers' file systems.
_MOUNTED_EACH = regex(r"/pods/[^/]+/volumes/[^/]+/[^/]+/.|/[0-9a-f]{64}/(?:.+/)?(?:rootfs|shm|merged)(?:/|$)")
_WRITTEN = "/ /var/lib/kubelet /var/lib/containerd /var/log"


@record(kw_only=True)
class DiskSpace(NodeFact):
    """The node's local file systems of the kubelet, the runtime and the logs. about: the Node. Network file
    systems are not touched.

    largest: the largest directories of nearly full file systems, in descending order. not_looked_at:
    unmeasured or uncounted ones, one line each. unmeasured: mount points of the node's other file systems,
    without the mounts of single Pods and containers.
    """

    items: tuple[Space, ...]
    largest: tuple[Consumer, ...] = ()
    not_looked_at: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    ask: ClassVar[str] = f"df -P {_WRITTEN}; df -iP {_WRITTEN}; for d in {_WRITTEN}; do findmnt -nT $d; done"

    def on(self, path: str) -> str | None:
        """Return the known mount point above an absolute path; None without one."""
        return find_deepest(path, (*self.measured, *self.unmeasured))

    @property
    def measured(self) -> tuple[str, ...]:
        """Return the measured mount points."""
        return tuple(s.mountpoint or s.path for s in self.items)

    def reaches(self, path: str) -> bool:
        """Tell whether the file system of the path was measured."""
        return not _MOUNTED_EACH.search(path) and self.on(path) in self.measured
