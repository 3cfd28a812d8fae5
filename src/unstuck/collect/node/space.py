"""Measures the file systems that the kubelet, the runtime and the logs live on, and finds their largest
directories.

Sources: statvfs(3); pkg/kubelet/eviction (nodefs, imagefs) for the contents of each.
"""

from __future__ import annotations

import errno
from dataclasses import replace

from unstuck.collect.node import files, recorded_tree
from unstuck.collect.node.mounts import is_local, is_remote, mount_of
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.space import Consumer, DiskSpace, Space
from unstuck.facts.core import Source
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

_DATA = (
    ("/var/log", "logs"),
    ("/var/lib/containerd", "runtime"),
    ("/var/lib/docker", "runtime"),
    ("/var/lib/containers", "runtime"),
    ("/run", "runtime"),
)
# A separate mount below one of these has the same writers.
_STATE = (
    ("/run/containerd", "runtime"),
    ("/run/docker", "runtime"),
    ("/run/crio", "runtime"),
    ("/run/containers", "runtime"),
    ("/var/lib/containerd", "runtime"),
    ("/var/lib/docker", "runtime"),
    ("/var/lib/containers", "runtime"),
    ("/var/log/pods", "logs"),
    ("/var/log/containers", "logs"),
)
_MAX_BELOW = 16
# The root file system of a container, a sandbox's files in memory, a Pod's volume: each of these is used by
# its owner alone.
_OF_ONE = regex(r"/[0-9a-f]{64}(?:/|$)|/pods/[^/]+/volume")
_MAX_UNMEASURED = 200
# Searched for their largest directories.
_LITTLE = 0.05
_MAX_LARGEST = 15
_MAX_LINKS = 40


def space(view: NodeView) -> DiskSpace | None:
    """Return sizes of the file systems that Pods depend on; None for a recorded tree that keeps none."""
    if not view.root.live and not recorded_tree.has_spaces(view.root):
        return None
    tables = (view.home[1], view.own_mounts)
    places = {p: role for path, role in _list_places(view) if (p := resolve(view, path)) is not None}
    if view.root.live:
        places |= _mounts_below(view)
    on = {path: e.mountpoint for path in places if (e := mount_of(path, tables[0]))}
    # One question for each file system, put to the last of its places.
    asked = {point: path for path, point in on.items()}
    measured = (
        files.measure_spaces(list(asked.values()), *tables, prefix=view.prefix)
        if view.root.live
        else _list_recorded_spaces(view, asked)
    )
    roles = {point: tuple(sorted({places[p] for p in on if on[p] == point})) for point in asked}
    items = tuple(replace(s, holds=roles.get(s.mountpoint, ())) for s in measured)
    left = [f"{path} (not measured)" for path in asked.values() if path not in {s.path for s in items}]
    full = [s.mountpoint for s in items if is_low(s)]
    largest: list[Consumer] = []
    if full and view.root.live:
        among = sorted((p for p in on if on[p] in full), key=lambda p: (p == "/", p))
        largest, more = files.find_consumers(among, *tables, prefix=view.prefix)
        left += more
    worst = min(items, key=_smallest_share, default=None)
    others = _find_unmeasured(view, {s.mountpoint for s in items})
    return DiskSpace(
        about=view.ref,
        src=Source(f"{view.name} statvfs", _quote(worst) if worst else ""),
        whole=len(items) == len(asked) and len(others) <= _MAX_UNMEASURED,
        items=items,
        largest=tuple(sorted(largest, key=lambda c: (-c.bytes, -c.inodes, c.path))[:_MAX_LARGEST]),
        not_looked_at=tuple(left),
        unmeasured=others[:_MAX_UNMEASURED],
    )


def _mounts_below(view: NodeView) -> dict[str, str]:
    """Return separate local mounts with the runtime's state or the kubelet's container logs, with their
    roles.
    """
    tops = [(p, role) for path, role in _STATE if (p := resolve(view, path)) is not None]
    found = {
        e.mountpoint: role
        for e in view.home[1]
        for top, role in tops
        if is_local(e.fstype) and is_at_or_below(e.mountpoint, top) and not _OF_ONE.search(e.mountpoint)
    }
    return dict(sorted(found.items())[:_MAX_BELOW])


def _find_unmeasured(view: NodeView, measured: set[str]) -> tuple[str, ...]:
    """Return the mount points of unmeasured file systems with files, except mounts of single Pods and
    containers.
    """
    holding = (e.mountpoint for e in view.home[1] if is_local(e.fstype) or is_remote(e.fstype))
    return tuple(sorted({p for p in holding if p not in measured and not _OF_ONE.search(p)}))


def _list_recorded_spaces(view: NodeView, asked: dict[str, str]) -> tuple[Space, ...]:
    """Return space as recorded of any path on the same mount. asked: a path by mount point."""
    places = [p for path, _ in _list_places(view) if (p := resolve(view, path)) is not None]
    told = recorded_tree.spaces(view.root, {p: e for p in places if (e := mount_of(p, view.home[1]))})
    first = {s.mountpoint: s for s in reversed(told)}
    return tuple(replace(first[point], path=path) for point, path in asked.items() if point in first)


def is_low(space_: Space) -> bool:
    """Tell whether a file system is so full that its consumers are worth a search; a read-only one is full
    by nature.
    """
    return not space_.read_only and _smallest_share(space_) < _LITTLE


def _smallest_share(space_: Space) -> float:
    shares = [space_.bytes_free / space_.bytes] if space_.bytes else []
    shares += [space_.inodes_free / space_.inodes] if space_.inodes else []
    return min(shares, default=1.0)


def _quote(worst: Space) -> str:
    inodes = f", {worst.inodes_free} of {worst.inodes} inodes" if worst.inodes else ""
    return f"{worst.mountpoint}: {worst.bytes_free} of {worst.bytes} bytes{inodes} free"


def _list_places(view: NodeView) -> list[tuple[str, str]]:
    return [*_DATA, (view.kubelet.root_dir, "kubelet"), ("/", "root")]


def resolve(view: NodeView, path: str) -> str | None:
    """Resolve a directory's links without touching remote file systems; None if it does not exist or may
    not be touched.
    """
    root = view.kubelet.files
    done = ""
    todo = [p for p in path.split("/") if p][::-1]
    links = 0
    while todo:
        at = f"{done}/{todo.pop()}"
        if at.endswith("/.."):
            done = done.rpartition("/")[0]
            continue
        if not view.may_touch(done or "/"):
            return None
        target, error = root.link(at)
        if target:
            links += 1
            done = "" if target.startswith("/") else done
            todo += [p for p in target.split("/") if p not in ("", ".")][::-1]
        elif error == errno.ENOENT or links > _MAX_LINKS:
            return None
        else:
            done = at
    return done or "/"
