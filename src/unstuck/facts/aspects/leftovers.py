"""Leftovers of Pods on a node. Each fact costs `node`."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import MountEntry, NodeFact
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation


@record()
class Earlier(Record):
    """A failing call about the Pod in a log, before its directory was abandoned: its first failure.
    operation, error, message: as in `Failure`. where: the log's line.
    """

    operation: Operation
    error: ErrorWord
    message: str
    where: str
    at: datetime | None = None


@record()
class LeftDirectory(Record):
    """`<kubelet root>/pods/<uid>` of a Pod without processes here.

    volumes: `PLUGIN/NAME` of directories still there. mounts: the mounts at or below it, in the kubelet's
    mount namespace. files: all but directories in its `volumes` and `volume-subpaths`, which the kubelet does
    not remove for an unknown Pod; contents of mounts are excluded. looked: whether both were examined
    completely. changed: the last change of one of its directories. earlier: its first failures in the logs.
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
        """Whether its contents keep the kubelet from removing it: the kubelet removes only empty
        directories.
        """
        return bool(self.mounts or self.files)


@record(kw_only=True)
class PodDirectories(NodeFact):
    """The directories of Pods without running processes on the node. about: the Node. total: the number of
    all Pods' directories.

    Directories of static Pods are excluded: the API knows these Pods under another uid. Source:
    pkg/kubelet/kubelet_volumes.go (cleanupOrphanedPodDirs, removeOrphanedPodVolumeDirs).
    """

    items: tuple[LeftDirectory, ...]
    total: int = 0
    ask: ClassVar[str] = (
        "ls -l /var/lib/kubelet/pods; grep /var/lib/kubelet/pods/ /proc/$(pgrep -o kubelet)/mountinfo; "
        "find /var/lib/kubelet/pods/*/volumes -xdev ! -type d"
    )
