"""Known bugs of components that block objects, by version, with sources, in our own words."""

from __future__ import annotations

from unstuck.knowledge.bugs.containerd import CONTAINERD
from unstuck.knowledge.bugs.control_plane import CONTROL_PLANE
from unstuck.knowledge.bugs.kubelet import KUBELET
from unstuck.knowledge.bugs.network import NETWORK
from unstuck.knowledge.bugs.record import BugLook, KnownBug
from unstuck.knowledge.bugs.runtimes import RUNTIMES
from unstuck.knowledge.bugs.storage import STORAGE

BUGS: tuple[KnownBug, ...] = (*KUBELET, *CONTROL_PLANE, *CONTAINERD, *RUNTIMES, *STORAGE, *NETWORK)

__all__ = ["BUGS", "BugLook", "KnownBug"]
