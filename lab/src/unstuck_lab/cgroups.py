"""The lab's cgroups: `/unstuck-lab/<box>` in each hierarchy of the host.

A box gets a cgroup namespace rooted there, so that inside it the kubelet's groups have the same paths as on a
real node (`/kubepods/...`). See cgroups(7) and cgroup_namespaces(7).
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab.errors import LabError

PARENT = "unstuck-lab"
# Daemons of a box live one level down: with cgroup v2 a group that has
# controllers for its children may not hold processes itself.
DAEMONS = "daemons"


@dataclass(frozen=True)
class Hierarchy:
    """One mounted hierarchy: mount point, type, mount options."""

    mountpoint: Path
    fstype: str
    options: str


def list_hierarchies() -> list[Hierarchy]:
    """List the hierarchies mounted below /sys/fs/cgroup, from /proc/self/mountinfo (proc(5))."""
    found: dict[Path, Hierarchy] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        mountpoint = Path(left.split()[4])
        fstype, _, options = right.split()[:3]
        if fstype not in ("cgroup", "cgroup2") or mountpoint.parts[:4] != ("/", "sys", "fs", "cgroup"):
            continue
        kept = [o for o in options.split(",") if o not in ("rw", "ro") and "release_agent" not in o]
        if fstype == "cgroup2":
            kept = []
        elif any(o.startswith("name=") for o in kept):
            kept = ["none", *kept]
        found[mountpoint] = Hierarchy(mountpoint, fstype, ",".join(kept))
    if not found:
        raise LabError("no cgroup hierarchy is mounted below /sys/fs/cgroup", "cgroups", "mount them")
    return list(found.values())


def create(box: str) -> None:
    """Create the box's groups, ready for use (cpuset filled, v2 controllers enabled). Idempotent."""
    for hierarchy in list_hierarchies():
        parent = hierarchy.mountpoint / PARENT
        group = parent / box
        for directory in (parent, group):
            directory.mkdir(exist_ok=True)
            _copy_cpuset(directory)
        if hierarchy.fstype == "cgroup2":
            for directory in (hierarchy.mountpoint, parent):
                _enable_controllers(directory)
        (group / DAEMONS).mkdir(exist_ok=True)
        _copy_cpuset(group / DAEMONS)


def _copy_cpuset(directory: Path) -> None:
    """Copy the parent's cpuset: a v1 cpuset accepts no process while its lists are empty."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        file = directory / name
        if file.exists() and (directory.parent / name).exists() and not file.read_text().strip():
            file.write_text((directory.parent / name).read_text())


def _enable_controllers(directory: Path) -> None:
    controllers = (directory / "cgroup.controllers").read_text().split()
    for controller in controllers:
        try:
            (directory / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError:
            continue  # a hybrid host has some of them in v1


def list_process_files(box: str, *, root: bool = False) -> list[Path]:
    """List the files to which a process writes its pid to join the box."""
    leaf = Path(PARENT) / box if root else Path(PARENT) / box / DAEMONS
    return [hierarchy.mountpoint / leaf / "cgroup.procs" for hierarchy in list_hierarchies()]


def settle_daemons(box: str) -> None:
    """Move the processes in the box's own group down into `daemons`."""
    for source, target in zip(list_process_files(box, root=True), list_process_files(box), strict=True):
        for pid in source.read_text().split():
            try:
                target.write_text(pid)
            except OSError:
                continue  # ended meanwhile


def thaw(box: str) -> None:
    """Thaw every group of the box: in v1 a frozen process cannot be killed."""
    for hierarchy in list_hierarchies():
        top = hierarchy.mountpoint / PARENT / box
        for directory, _, files in os.walk(top):
            for name, value in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
                if name in files:
                    try:
                        (Path(directory) / name).write_text(value)
                    except OSError:
                        continue


def list_members(box: str) -> set[int]:
    """List the host pids of all processes in any group of the box."""
    found: set[int] = set()
    for hierarchy in list_hierarchies():
        for directory, _, files in os.walk(hierarchy.mountpoint / PARENT / box):
            if "cgroup.procs" in files:
                try:
                    found.update(map(int, (Path(directory) / "cgroup.procs").read_text().split()))
                except OSError:
                    continue
    return found - {0}


def remove(box: str, timeout: float = 10) -> None:
    """Remove the box's groups, and the parent if it is empty then.

    Raises `LabError` naming a group that cannot be removed.
    """
    deadline = time.monotonic() + timeout
    for hierarchy in list_hierarchies():
        parent = hierarchy.mountpoint / PARENT
        while (left := _remove_tree(parent / box)) is not None:
            if time.monotonic() > deadline:
                raise LabError("cannot be removed, a process is still in it", str(left), "run `down` again")
            time.sleep(0.1)
        try:
            parent.rmdir()
        except OSError:
            continue  # the group does not exist, or contains another box


def _remove_tree(top: Path) -> Path | None:
    """Remove the groups from the leaves up, and return a remaining one."""
    left: Path | None = None
    for directory, _, _ in os.walk(top, topdown=False):
        try:
            Path(directory).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            left = Path(directory)
    return left


def has_groups(box: str) -> bool:
    """Tell whether the box has a group in some hierarchy."""
    return any((hierarchy.mountpoint / PARENT / box).is_dir() for hierarchy in list_hierarchies())
