"""The mounts of a node, actual and intended, other than those of single Pods and containers."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import MountEntry, NodeFact
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record


@record()
class PlannedMount(Record):
    """A line of /etc/fstab. options: `nofail` or `noauto`, if it has one of them."""

    source: str
    mountpoint: str
    fstype: str = ""
    options: tuple[str, ...] = ()


@record(kw_only=True)
class NodeMounts(NodeFact):
    """The mounts of the kubelet's namespace, without those of single Pods and containers, and the lines of
    /etc/fstab. about: the Node.

    Source: proc(5) `/proc/PID/mountinfo`, fstab(5).
    """

    items: tuple[MountEntry, ...]
    planned: tuple[PlannedMount, ...] = ()
    ask: ClassVar[str] = "findmnt -l -o TARGET,SOURCE,FSTYPE,OPTIONS"

    def over(self, path: str) -> MountEntry | None:
        """Return the mount of an absolute path: the deepest one above it, the last one at that mount
        point.
        """
        return next(iter(self.list_over(path)), None)

    def list_over(self, path: str) -> tuple[MountEntry, ...]:
        """Return all mounts of an absolute path: the visible one first, then the hidden ones."""
        above = [e for e in reversed(self.items) if is_at_or_below(path, e.mountpoint)]
        return tuple(sorted(above, key=lambda e: len(e.mountpoint), reverse=True))

    def lacks(self, path: str) -> PlannedMount | None:
        """Return the line of /etc/fstab for the deepest planned mount point above a path, if it is not
        mounted.
        """
        planned = max(
            (p for p in self.planned if is_at_or_below(path, p.mountpoint)),
            key=lambda p: len(p.mountpoint),
            default=None,
        )
        if planned is None or any(e.mountpoint == planned.mountpoint for e in self.items):
            return None
        on = self.over(path)
        return None if on is not None and len(on.mountpoint) > len(planned.mountpoint) else planned


@record(kw_only=True)
class ContainerMount(Record):
    """One mount in a running container. container: its id. path: the mount point in it. dev: `major:minor` of
    the file system; root: the mounted directory of it, with `//deleted` at the end if that directory was
    deleted.
    """

    container: str
    path: str
    fstype: str
    dev: str
    root: str


@record(kw_only=True)
class ContainerMounts(NodeFact):
    """The mounts of a Pod's running containers from their own processes' view, without the standard ones.
    about: the Pod. A Node's mount younger than a container is visible in it only if propagated. Source:
    proc(5) `/proc/PID/mountinfo`, mount_namespaces(7).
    """

    items: tuple[ContainerMount, ...]
    ask: ClassVar[str] = "findmnt -N PID -o TARGET,SOURCE,FSTYPE,MAJ:MIN"
