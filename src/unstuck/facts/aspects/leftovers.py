"""What Pods left behind on a node. Every one costs `node`."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import MountEntry, NodeFact
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation


@record()
class Earlier(Record):
    """A failing call in a log about the Pod, before its directory was abandoned: its first failure.

    operation, error, message: as of `Failure`. where: the log's line.
    """

    operation: Operation
    error: ErrorWord
    message: str
    where: str
    at: datetime | None = None


@record()
class LeftDirectory(Record):
    """`<kubelet root>/pods/<uid>` of a Pod without processes here.

    volumes: `PLUGIN/NAME` of directories still there. mounts: those at or below it, in the kubelet's mount
    namespace. files: everything but directories in its `volumes` and `volume-subpaths`, which the kubelet
    does not remove for a Pod that it no longer knows; nothing below a mount is among them. looked: whether
    both were looked at completely. changed: when a directory of it last changed. earlier: its failures in the
    logs, the first ones.
    """

    uid: str
    path: str
    volumes: tuple[str, ...] = ()
    mounts: tuple[MountEntry, ...] = ()
    files: tuple[str, ...] = ()
    looked: bool = True
    changed: datetime | None = None
    earlier: tuple[Earlier, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether anything in it keeps the kubelet from removing it: it takes away empty directories and
        no more.
        """
        return bool(self.mounts or self.files)


@record(kw_only=True)
class PodDirectories(NodeFact):
    """The directories of Pods without running processes on the node. about: the Node. total: of all Pods'
    directories.

    Directories of static Pods are not among the items: the API knows these Pods under another uid.
    Source: pkg/kubelet/kubelet_volumes.go (cleanupOrphanedPodDirs, removeOrphanedPodVolumeDirs).
    """

    items: tuple[LeftDirectory, ...]
    total: int = 0
    ask: ClassVar[str] = (
        "ls -l /var/lib/kubelet/pods; grep /var/lib/kubelet/pods/ /proc/$(pgrep -o kubelet)/mountinfo; "
        "find /var/lib/kubelet/pods/*/volumes -xdev ! -type d"
    )
