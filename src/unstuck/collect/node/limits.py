"""Reads the node's limits and their use; inotify's only on request, because that looks at every open file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from unstuck.collect.node.open_files import OpenFiles
from unstuck.collect.node.proc import Process
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits, InotifyUse, InotifyUser
from unstuck.facts.core import Source

_SYS = "/proc/sys/"
_MAX_USERS = 50
_MAX_COMMS = 5
_CONNTRACK_MAX = "net/netfilter/nf_conntrack_max"


def limits(view: NodeView) -> HostLimits | None:
    """Return the usage of every readable limit; None if none can be read."""
    items = tuple(filter(None, (_read_conntrack(view), _read_open_files(view), _read_threads(view))))
    if not items:
        return None
    worst = max(items, key=lambda i: i.used / max(1, i.limit))
    return HostLimits(
        about=view.ref,
        src=Source(
            f"{view.name} {_SYS}{worst.setting.replace('.', '/', 2)}",
            f"{worst.name}: {worst.used} of {worst.limit}",
        ),
        whole={"open-files", "threads"} <= {i.name for i in items},
        items=items,
    )


def _list_numbers(view: NodeView, path: str) -> list[int]:
    words = (view.root.text(path, 4096) or "").replace("/", " ").split()
    return [int(w) for w in words if w.isascii() and w.isdigit() and len(w) < 20]


def _number(view: NodeView, name: str) -> int | None:
    found = _list_numbers(view, _SYS + name)
    return found[0] if len(found) == 1 else None


def _read_open_files(view: NodeView) -> HostLimit | None:
    """Read file-nr: allocated, free, limit."""
    found = _list_numbers(view, _SYS + "fs/file-nr")
    return (
        HostLimit("open-files", found[0] - found[1], found[2], "fs.file-max")
        if len(found) == 3 and found[2]
        else None
    )


def _read_threads(view: NodeView) -> HostLimit | None:
    """Return the number of tasks from the fourth field of loadavg: it counts the whole machine, from any PID
    namespace (fs/proc/loadavg.c).
    """
    fields = (view.root.text("/proc/loadavg", 256) or "").split()
    total = fields[3].partition("/")[2] if len(fields) > 3 else ""
    caps = [
        (v, n)
        for n in ("kernel.pid_max", "kernel.threads-max")
        if (v := _number(view, n.replace(".", "/"))) is not None
    ]
    if not (total.isascii() and total.isdigit() and len(total) < 12 and caps):
        return None
    limit, setting = min(caps)
    return HostLimit("threads", int(total), limit, setting)


def _read_conntrack(view: NodeView) -> HostLimit | None:
    """Count the node's connections, in the kubelet's network namespace, else in the first process'."""
    limit = _number(view, _CONNTRACK_MAX)
    used = next((n for pid in _list_pids(view) if (n := _count_tracked(view, pid)) is not None), None)
    if used is None and _is_own_network(view):
        used = _number(view, "net/netfilter/nf_conntrack_count")
    if limit is None or used is None or limit == 0:
        return None
    return HostLimit("conntrack", used, limit, _CONNTRACK_MAX.replace("/", "."))


def _list_pids(view: NodeView) -> list[int]:
    return [*([view.kubelet.process.pid] if view.kubelet.process else []), 1]


def _count_tracked(view: NodeView, pid: int) -> int | None:
    """Return the first column, the same for each CPU: all entries of the namespace, in hexadecimal."""
    rows = (view.root.text(f"/proc/{pid}/net/stat/nf_conntrack", 1 << 16) or "").split("\n")
    try:
        return int(rows[1].split()[0], 16) if len(rows) > 1 and rows[0].startswith("entries") else None
    except (ValueError, IndexError):
        return None


def _is_own_network(view: NodeView) -> bool:
    """Tell whether /proc/sys shows the node's own network; always true for a recorded tree."""
    if not view.root.live:
        return True
    its = {view.table.namespace(pid, "net")[0] for pid in _list_pids(view)[:1]}
    return view.root.link("/proc/self/ns/net")[0] in its


@dataclass(slots=True)
class _UserCount:
    instances: int = 0
    watches: int = 0
    by_comm: dict[str, int] = field(default_factory=dict)


def inotify(view: NodeView, seconds: float = 1.5, most: int = 400_000) -> InotifyUse | None:
    """Return the inotify instances and watches of each user's processes."""
    users: dict[int, _UserCount] = {}
    open_files = OpenFiles(view, seconds, most)
    for process, fds in open_files:
        _count(view, process, fds, users)
    heavy = sorted(users.items(), key=lambda u: (-u[1].watches, -u[1].instances, u[0]))[:_MAX_USERS]
    items = tuple(InotifyUser(uid, c.instances, c.watches, _list_heaviest_programs(c)) for uid, c in heavy)
    caps = (_number(view, "fs/inotify/max_user_instances"), _number(view, "fs/inotify/max_user_watches"))
    worst = max(
        items,
        key=lambda u: max(
            n / (cap or 1 << 40) for n, cap in zip((u.instances, u.watches), caps, strict=True)
        ),
        default=None,
    )
    quote = f"uid {worst.uid}: {worst.instances} instances, {worst.watches} watches" if worst else "no user"
    return InotifyUse(
        about=view.ref,
        src=Source(f"{view.name} /proc/*/fdinfo", quote),
        whole=open_files.whole,
        items=items,
        max_instances=caps[0],
        max_watches=caps[1],
    )


def _list_heaviest_programs(counted: _UserCount) -> tuple[str, ...]:
    return tuple(islice(sorted(counted.by_comm, key=lambda c: (-counted.by_comm[c], c)), _MAX_COMMS))


def _count(view: NodeView, process: Process, fds: Sequence[str], users: dict[int, _UserCount]) -> None:
    watches = list(_list_watches(view, process.pid, fds))
    if not watches:
        return
    uid = _read_uid(view, process.pid)
    if uid is None:
        return
    counted = users.setdefault(uid, _UserCount())
    counted.instances += len(watches)
    counted.watches += sum(watches)
    counted.by_comm[process.stat.comm] = (
        counted.by_comm.get(process.stat.comm, 0) + sum(watches) + len(watches)
    )


def _list_watches(view: NodeView, pid: int, fds: Sequence[str]) -> Iterator[int]:
    """Yield for each instance how many watches it has."""
    for fd in fds:
        target = view.root.link(f"/proc/{pid}/fd/{fd}")[0]
        if target.startswith("anon_inode:") and "inotify" in target:
            info = view.root.data(f"/proc/{pid}/fdinfo/{fd}", 32 << 20) or b""
            yield info.count(b"\ninotify wd:") + info.startswith(b"inotify wd:")


def _read_uid(view: NodeView, pid: int) -> int | None:
    """Return the effective user: the one charged."""
    for line in (view.root.text(f"/proc/{pid}/status", 8192) or "").split("\n"):
        if line.startswith("Uid:"):
            words = line.split()
            return int(words[2]) if len(words) > 2 and words[2].isdigit() and len(words[2]) < 12 else None
    return None
