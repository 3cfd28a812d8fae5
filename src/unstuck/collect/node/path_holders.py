"""Finds the processes that hold a path below a Pod's directory, by open files, working directories, roots
and maps; reads links only.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Sequence

from unstuck.collect.node.lock_files import can_abandon_maps, read_lock_files
from unstuck.collect.node.mounts import MountTable
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.collect.node.root import escape_name
from unstuck.facts.aspects.host import MountEntry, Use
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record

_MAX_USES = 2_000
_MAX_MAPS = 16 << 20
_MAX_NOT_READ = 20
_LOCKED_SECONDS = 1.0


@record()
class PathSearch(Record):
    """The uses that were found. not_read: unreadable parts; empty if every process was read completely."""

    uses: tuple[Use, ...]
    not_read: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every process was looked at whole."""
        return not self.not_read


@record()
class _Hold(Record):
    process: Process
    how: str
    link: str
    path: str


def find_uses(
    needle: str,
    mounts: MountTable,
    home: Sequence[MountEntry],
    skip: frozenset[int] = frozenset(),
    budget: float = 1.5,
) -> PathSearch:
    """Return processes that hold something at or below a directory.

    needle: the unique end of the directory's path (`/pods/UID`): a process in another mount namespace, or
    with another path to the directory, shows a different beginning. home: the mounts of the directory's
    namespace; other namespaces that have the same volumes mounted elsewhere (`/data`) are recognised by
    device and root. skip: pids left out. budget: seconds for reading maps.
    """
    table = mounts.processes
    windows = _windows(needle, mounts, home)
    namespace_of = {pid: name for name, pids in table.mount_namespaces[0].items() for pid in pids}
    holds: list[_Hold] = []
    left: list[str] = []
    locked: list[tuple[Process, _PathFilter]] = []
    end = time.monotonic() + budget
    for process in table.user:
        if process.pid in skip or process.stat.state == "Z":
            continue
        below = _PathFilter(needle, windows.get(namespace_of.get(process.pid, ""), ()))
        holds += _uses_by_links(table, process, below, left)
        if process.pid in table.stuck[0]:
            locked.append((process, below))
        elif time.monotonic() < end:
            text = table.root.text(f"/proc/{process.pid}/maps", _MAX_MAPS)
            holds += _list_maps(process, below, text or "")
            if text is None and _exists(table, process):
                left.append(f"maps of {process.pid} ({process.stat.comm})")
        else:
            left.append(f"maps of {process.pid} ({process.stat.comm}): no time left")
    holds += _list_maps_of_locked(table, locked, left)
    # A hold that is gone a moment later was passing: the kubelet itself looks into these directories all the
    # time.
    steady = [h for h in holds if h.how == "maps" or table.root.link(h.link)[0] == h.path]
    uses = [Use(table.as_fact(h.process), h.how, escape_name(h.path)) for h in steady]
    if len(uses) > _MAX_USES:
        left.append(f"{len(uses) - _MAX_USES} more uses")
    if len(left) > _MAX_NOT_READ:
        left[_MAX_NOT_READ:] = [f"and {len(left) - _MAX_NOT_READ} more"]
    return PathSearch(tuple(dict.fromkeys(uses))[:_MAX_USES], tuple(left))


@record()
class _PathFilter(Record):
    """Decides whether a path, as one process sees it, is below the directory."""

    needle: str
    windows: tuple[str, ...]

    def __call__(self, path: str) -> bool:
        path = path.removesuffix(" (deleted)")
        return self.needle + "/" in path + "/" or any(is_at_or_below(path, w) for w in self.windows)

    def may_stand_in(self, text: str) -> bool:
        """Tell whether a text can contain such a path at all."""
        return self.needle in text or any(w.rstrip("/") in text for w in self.windows)


def _windows(needle: str, mounts: MountTable, home: Sequence[MountEntry]) -> dict[str, tuple[str, ...]]:
    """Return, by namespace, the mount points that show something of the directory."""
    own = {(e.dev, e.root) for e in home if needle + "/" in e.mountpoint + "/"}
    out = {}
    for name, entries in mounts.by_namespace.items():
        found = tuple(
            e.mountpoint
            for e in entries
            if e.mountpoint != "/" and (needle + "/" in e.root + "/" or (e.dev, e.root) in own)
        )
        if found:
            out[name] = found
    return out


def _uses_by_links(table: ProcessTable, process: Process, below: _PathFilter, left: list[str]) -> list[_Hold]:
    """Return the uses that a process' links show. Reading a link needs neither its file system nor a lock:
    it cannot hang.
    """
    pid, root = process.pid, table.root
    out = []
    for how in ("cwd", "root"):
        path, error = root.link(f"/proc/{pid}/{how}")
        if path and below(path):
            out.append(_Hold(process, how, f"/proc/{pid}/{how}", path))
        if error in (errno.EACCES, errno.EPERM) or (error and not root.live):
            left.append(f"{how} of {pid} ({process.stat.comm})")
    fds = root.names(f"/proc/{pid}/fd")
    if fds is None and _exists(table, process):
        left.append(f"open files of {pid} ({process.stat.comm})")
    for fd in fds or ():
        path, _ = root.link(f"/proc/{pid}/fd/{fd}")
        if path.startswith("/") and below(path):
            out.append(_Hold(process, "fd", f"/proc/{pid}/fd/{fd}", path))
    return out


def _list_maps_of_locked(
    table: ProcessTable, locked: Sequence[tuple[Process, _PathFilter]], left: list[str]
) -> list[_Hold]:
    """Return the maps of processes with a thread in D, which may hold the memory lock for ever: read by a
    child, whose wait can be ended.
    """
    if not locked:
        return []
    paths = [f"/proc/{process.pid}/maps" for process, _ in locked]
    able = can_abandon_maps(table.root)
    texts = read_lock_files(table.root, paths, _MAX_MAPS, _LOCKED_SECONDS) if able else {}
    out = []
    for path, (process, below) in zip(paths, locked, strict=True):
        if (text := texts.get(path)) is not None:
            out += _list_maps(process, below, text)
        elif path not in texts or _exists(table, process):
            late = (
                "not read in time, as while its memory is locked"
                if able
                else "before Linux 5.3 reading them may never end"
            )
            why = "not readable" if path in texts else late
            left.append(f"maps of {process.pid} ({process.stat.comm}), which has a thread in D: {why}")
    return out


def _exists(table: ProcessTable, process: Process) -> bool:
    return table.root.data(f"/proc/{process.pid}/stat", 16) is not None


def _list_maps(process: Process, below: _PathFilter, text: str) -> list[_Hold]:
    """Return files that it has mapped."""
    if not below.may_stand_in(text):
        return []
    found = {}
    for line in text.split("\n"):
        parts = line.split(None, 5) if "/" in line else ()
        if len(parts) == 6 and parts[5].startswith("/") and below(parts[5]):
            found[parts[5]] = _Hold(process, "maps", f"/proc/{process.pid}/maps", parts[5])
    return list(found.values())
