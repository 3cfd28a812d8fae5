"""Who holds a path below a Pod's directory: open files, working directories, roots and maps, by reading links only."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unstuck.collect.node.mounts import MountTable, at_or_below
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.collect.node.root import shown
from unstuck.facts.aspects.host import MountEntry, Use

_MAX_USES = 2_000
_MAX_MAPS = 16 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """uses, and whether every process was looked at whole."""

    uses: tuple[Use, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class _Hold:
    process: Process
    how: str
    link: str
    path: str


def uses_below(
    needle: str, mounts: MountTable, home: Sequence[MountEntry], skip: frozenset[int] = frozenset(), budget: float = 1.5
) -> Found:
    """Processes that hold something at or below a directory.

    needle: the directory's end that names it alone (`/pods/UID`): a process in another mount namespace, or one that came by
        another path, shows the same directory under another beginning. home: the mounts of the namespace that the directory
        is in; other namespaces that have the same volumes mounted elsewhere (`/data`) are told by device and root.
    skip: pids left out. budget: seconds for reading maps.
    """
    table = mounts.processes
    windows = _windows(needle, mounts, home)
    namespace_of = {pid: name for name, pids in table.mount_namespaces[0].items() for pid in pids}
    complete = True
    holds: list[_Hold] = []
    end = time.monotonic() + budget
    for process in table.user:
        if process.pid in skip:
            continue
        below = _Below(needle, windows.get(namespace_of.get(process.pid, ""), ()))
        found, whole = _of_process(table, process, below, time.monotonic() < end)
        holds += found
        complete = complete and whole
    # What is gone a moment later was passing by: the kubelet itself looks into these directories all the time.
    steady = [h for h in holds if h.how == "maps" or table.root.link(h.link)[0] == h.path]
    uses = [Use(table.as_fact(h.process), h.how, shown(h.path)) for h in steady]
    return Found(tuple(dict.fromkeys(uses))[:_MAX_USES], complete and len(uses) <= _MAX_USES)


@dataclass(frozen=True, slots=True)
class _Below:
    """Whether a path, as one process sees it, is below the directory."""

    needle: str
    windows: tuple[str, ...]

    def __call__(self, path: str) -> bool:
        path = path.removesuffix(" (deleted)")
        return self.needle + "/" in path + "/" or any(at_or_below(path, w) for w in self.windows)


def _windows(needle: str, mounts: MountTable, home: Sequence[MountEntry]) -> dict[str, tuple[str, ...]]:
    """By namespace: mount points that show something of the directory."""
    own = {(e.dev, e.root) for e in home if needle + "/" in e.mountpoint + "/"}
    out = {}
    for name, entries in mounts.by_namespace.items():
        found = tuple(e.mountpoint for e in entries if e.mountpoint != "/" and (needle + "/" in e.root + "/" or (e.dev, e.root) in own))
        if found:
            out[name] = found
    return out


def _of_process(table: ProcessTable, process: Process, below: _Below, read_maps: bool) -> tuple[list[_Hold], bool]:
    pid, root = process.pid, table.root
    if process.stat.state == "Z":
        return [], True
    out = []
    complete = True
    for how in ("cwd", "root"):
        path, error = root.link(f"/proc/{pid}/{how}")
        if path and below(path):
            out.append(_Hold(process, how, f"/proc/{pid}/{how}", path))
        complete = complete and error not in (errno.EACCES, errno.EPERM)
    fds = root.names(f"/proc/{pid}/fd")
    if fds is None:
        complete = complete and root.data(f"/proc/{pid}/stat", 16) is None
    for fd in fds or ():
        path, _ = root.link(f"/proc/{pid}/fd/{fd}")
        if path.startswith("/") and below(path):
            out.append(_Hold(process, "fd", f"/proc/{pid}/fd/{fd}", path))
    if pid in table.stuck[0]:
        # Its memory lock may be held for ever: its maps are not read, and the answer is not whole.
        return out, False
    if not read_maps:
        return out, False
    out += [_Hold(process, "maps", f"/proc/{pid}/maps", path) for path in dict.fromkeys(_mapped(table, pid, below))]
    return out, complete


def _mapped(table: ProcessTable, pid: int, below: _Below) -> Iterator[str]:
    for line in (table.root.text(f"/proc/{pid}/maps", _MAX_MAPS) or "").split("\n"):
        parts = line.split(None, 5)
        if len(parts) == 6 and parts[5].startswith("/") and below(parts[5]):
            yield parts[5]
