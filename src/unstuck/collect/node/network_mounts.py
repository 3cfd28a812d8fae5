"""Finds network and FUSE file systems and the tasks that wait for them, without touching any of them.

Sources: Documentation/filesystems/fuse.rst (`/sys/fs/fuse/connections/N/waiting`), net/sunrpc/xprtsock.c and
fs/nfs/super.c (`mountstats`), the waiting functions' names from fs/fuse/dev.c, net/sunrpc/sched.c, fs/ceph,
fs/smb. Measured: a path look-up on a FUSE mount whose daemon does not answer sleeps in D in
`request_wait_answer` and outlives SIGKILL.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property

from unstuck.collect.node.mount_daemons import fuse_daemons, has_daemon, options_of, server_of
from unstuck.collect.node.mounts import MountTable, is_fuse, is_remote, pod_in_path
from unstuck.collect.node.proc import Process, Task
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import MountEntry, Proc, WaitingMount
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

CONNECTIONS = "/sys/fs/fuse/connections"
_MAX_MOUNTPOINTS = 20
_SLEEPER_SECONDS = 0.5
# `fuse_dev_*` is the server's side: a daemon that waits for work.
_IN_FUSE = regex(r"^(?:request_wait_answer|_*fuse_(?!dev_)\w+|virtio_fs_\w+)")
_IN_NFS = regex(r"^(?:rpc_\w+|_*rpc_execute|nfs\d?_\w+|_*nfs_\w+)")
_IN_CEPH = regex(r"^(?:ceph_\w+|_*ceph_\w+)")
_IN_SMB = regex(
    r"^(?:cifs_\w+|smb\d?_\w+|SMB2?_\w+|wait_for_(?:free_)?(?:response|credits|request)\w*"
    r"|compound_send_recv)"
)
_IN_9P = regex(r"^(?:p9_\w+|v9fs_\w+)")


def waiting_family(function: str) -> str | None:
    """Return the kind of file system whose functions these are: `fuse`, `nfs`, `ceph`, `smb`, `9p`; None
    for any other function.
    """
    for family, pattern in (
        ("fuse", _IN_FUSE),
        ("nfs", _IN_NFS),
        ("ceph", _IN_CEPH),
        ("smb", _IN_SMB),
        ("9p", _IN_9P),
    ):
        if pattern.match(function):
            return family
    return None


def family_of(fstype: str) -> str:
    """Return one word for a file system's type and its variants."""
    if is_fuse(fstype):
        return "fuse"
    return {
        "nfs": "nfs",
        "nfs4": "nfs",
        "ceph": "ceph",
        "cifs": "smb",
        "smb3": "smb",
        "smbfs": "smb",
        "9p": "9p",
    }.get(fstype, fstype)


@record()
class RemoteMount(Record):
    """A superblock served by another machine or a process, and its mount points."""

    entry: MountEntry
    mountpoints: tuple[str, ...]
    namespaces: frozenset[str]
    pods: tuple[str, ...]


def connection_number(dev: str) -> int | None:
    """Return `0:76` → 76: the kernel's number of a device, by which FUSE connections are named."""
    major, _, minor = dev.partition(":")
    if not (major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        return None
    return int(major[:9]) << 20 | int(minor[:9])


def read_fuse_counts(root: Root, visible: bool) -> Mapping[int, int] | None:
    """Return unanswered requests by connection; None where fusectl is not mounted. visible: whether it is
    known to be mounted.
    """
    names = root.names(CONNECTIONS)
    if names is None or not (names or visible):
        return None
    out = {}
    for name in names:
        text = (root.text(f"{CONNECTIONS}/{name}/waiting", 64) or "").strip()
        if name.isascii() and name.isdigit() and text.isascii() and text.isdigit():
            out[int(name[:18])] = int(text[:18])
    return out


def parse_nfs_counts(text: str) -> Mapping[str, tuple[int, int]]:
    """Return `/proc/PID/mountstats` → by mount point: requests sent, replies received, over all
    transports.
    """
    out: dict[str, tuple[int, int]] = {}
    at = None
    for line in text.split("\n"):
        words = line.split()
        if line.startswith("device "):
            at = (
                words[4]
                if len(words) > 7 and words[2:4] == ["mounted", "on"] and words[7].startswith("nfs")
                else None
            )
        elif at and words[:1] == ["xprt:"]:
            # xprt: tcp PORT BINDS CONNECTS TIME IDLE SENDS RECVS …; udp has no connects, time and idle.
            place = {"tcp": 7, "rdma": 7, "udp": 4}.get(words[1] if len(words) > 1 else "", 0)
            pair = words[place : place + 2] if place else []
            if len(pair) == 2 and all(w.isascii() and w.isdigit() for w in pair):
                sent, received = out.get(at, (0, 0))
                out[at] = (sent + int(pair[0][:18]), received + int(pair[1][:18]))
    return out


@record()
class _Sample(Record):
    at: float
    fuse: Mapping[int, int] | None
    nfs: Mapping[str, tuple[int, int]]


class WaitingWatch:
    """Looks once when made, and again on request, so that a lasting wait can be told from a passing one.

    home: a pid whose mount points come first in the answer (the kubelet's), None if there is none.
    """

    def __init__(self, mounts: MountTable, home: int | None) -> None:
        self.mounts = mounts
        self.home = home
        self.table = mounts.processes
        self.first = self._take_sample()
        self.before = (*(t for tasks in self.table.stuck[0].values() for t in tasks), *self._find_sleepers())

    @cached_property
    def remote(self) -> Mapping[str, RemoteMount]:
        """Every remote file system by device."""
        names = self.table.mount_namespaces[0]
        order = sorted(self.mounts.by_namespace, key=lambda n: (self.home not in names[n], min(names[n])))
        seen: dict[str, list[tuple[str, MountEntry]]] = {}
        for name in order:
            for entry in self.mounts.by_namespace[name]:
                if is_remote(entry.fstype) and not (is_fuse(entry.fstype) and entry.dev == ""):
                    seen.setdefault(entry.dev, []).append((name, entry))
        return {dev: self._merge(found) for dev, found in seen.items()}

    def _merge(self, found: list[tuple[str, MountEntry]]) -> RemoteMount:
        names = self.table.mount_namespaces[0]
        holders = {n for n, _ in found}
        pods = {
            p.groups.pod
            for n in holders
            for pid in names[n]
            if (p := self.table.all.get(pid)) and p.groups.pod
        }
        pods |= {uid for _, e in found if (uid := pod_in_path(e.mountpoint))}
        points = tuple(dict.fromkeys(e.mountpoint for _, e in found))[:_MAX_MOUNTPOINTS]
        return RemoteMount(found[0][1], points, frozenset(holders), tuple(sorted(pods)))

    def _find_sleepers(self) -> tuple[Task, ...]:
        """Return threads that wait for FUSE and can still be ended, of processes that have a FUSE file
        system in sight.
        """
        names = {n for m in self.remote.values() if is_fuse(m.entry.fstype) for n in m.namespaces}
        among = [pid for n in sorted(names) for pid in self.table.mount_namespaces[0][n]]
        return tuple(
            self.table.sleeping_in(
                lambda f: waiting_family(f) == "fuse", among, time.monotonic() + _SLEEPER_SECONDS
            )
        )

    def _take_sample(self) -> _Sample:
        visible = any(
            e.fstype == "fusectl" and e.mountpoint == CONNECTIONS
            for e in self.mounts.of_process("self") or ()
        )
        nfs: dict[str, tuple[int, int]] = {}
        for name in {
            n for m in self.remote.values() if family_of(m.entry.fstype) == "nfs" for n in m.namespaces
        }:
            pid = self.table.mount_namespaces[0][name][0]
            nfs.update(parse_nfs_counts(self.mounts.root.text(f"/proc/{pid}/mountstats", 16 << 20) or ""))
        return _Sample(time.monotonic(), read_fuse_counts(self.mounts.root, visible), nfs)

    def answer(self, at_least: float = 0.3) -> tuple[tuple[WaitingMount, ...], bool]:
        """Return every remote file system with the tasks that wait for it, and whether requests could be
        counted for all of them.

        at_least: minimum seconds between the two looks.
        """
        live = self.mounts.root.live
        if live and (self.remote or self.before):
            time.sleep(max(0.0, self.first.at + at_least - time.monotonic()))
        second = self._take_sample()
        # A recorded tree does not say how far its looks were apart: at least so far.
        seconds = round(second.at - self.first.at, 1) if live else at_least
        tasks = tuple(t for t in self.before if self.table.still_waits(t))
        assigned = self._assign(tasks, second)
        items = [
            self._make_item(m, assigned.get(dev, ()), second, seconds)
            for dev, m in sorted(self.remote.items())
        ]
        items += self._find_detached(assigned, second, seconds)
        whole = self.mounts.complete and self.table.stuck[1] and all(i.waiting is not None for i in items)
        return tuple(items), whole

    def _make_item(
        self, mount: RemoteMount, tasks: tuple[Task, ...], second: _Sample, seconds: float
    ) -> WaitingMount:
        waiting, steady = self._count_waiting(mount, bool(tasks), second)
        entry = mount.entry
        return WaitingMount(
            entry.fstype,
            entry.source,
            entry.dev,
            mount.mountpoints,
            waiting,
            seconds if steady or tasks else 0.0,
            tuple(t.tid for t in tasks if t.state == "D"),
            mount.pods,
            tuple(t.tid for t in tasks if t.state != "D"),
            server_of(entry),
            options_of(entry),
            self._find_daemons(entry) if waiting or tasks else (),
            _list_processes(tasks),
        )

    def _find_daemons(self, entry: MountEntry) -> tuple[Proc, ...]:
        number = connection_number(entry.dev)
        found = self._fuse_daemons[0].get(number, ()) if number is not None and has_daemon(entry) else ()
        return tuple(self.table.as_fact(p) for p in found)

    @cached_property
    def _fuse_daemons(self) -> tuple[Mapping[int, tuple[Process, ...]], bool]:
        """Return the FUSE daemons, looked for only when something waits; and whether those are all."""
        return fuse_daemons(self.table)

    def _count_waiting(self, mount: RemoteMount, tasks: bool, second: _Sample) -> tuple[int | None, bool]:
        """Return unanswered requests now, and whether there were some at both looks."""
        family = family_of(mount.entry.fstype)
        if family == "fuse":
            number = connection_number(mount.entry.dev)
            if number is None or self.first.fuse is None or second.fuse is None or number not in second.fuse:
                return None, False
            return second.fuse[number], second.fuse[number] > 0 and self.first.fuse.get(number, 0) > 0
        if family == "nfs":
            for point in mount.mountpoints:
                if point in second.nfs and point in self.first.nfs:
                    return _count_nfs_waiting(self.first.nfs[point], second.nfs[point], tasks)
        return None, False

    def _assign(self, tasks: tuple[Task, ...], second: _Sample) -> Mapping[str, tuple[Task, ...]]:
        """Return tasks by device; a task is assigned only if no other file system of its namespace can be
        the one it waits for.
        """
        namespace_of = {pid: name for name, pids in self.table.mount_namespaces[0].items() for pid in pids}
        out: dict[str, tuple[Task, ...]] = {}
        for task in tasks:
            family, name = waiting_family(task.waits_in), namespace_of.get(task.pid)
            if family is None or name is None:
                continue
            fits = [
                d
                for d, m in self.remote.items()
                if name in m.namespaces and family_of(m.entry.fstype) == family
            ]
            if family == "fuse":
                fits = [d for d in fits if self._may_wait(d, second)]
                fits += [f"0:{n}" for n in self._find_unmounted(second)]
            if len(fits) == 1:
                out[fits[0]] = (*out.get(fits[0], ()), task)
        return out

    def _may_wait(self, dev: str, second: _Sample) -> bool:
        number = connection_number(dev)
        return second.fuse is None or number is None or second.fuse.get(number, 1) > 0

    def _find_unmounted(self, second: _Sample) -> list[int]:
        """Return connections with waiting requests that are mounted in no namespace: lazily unmounted ones.

        The kernel lists the connections of all PID namespaces. If it shows the holders, a connection without
        a holder here belongs to another namespace.
        """
        mounted = {connection_number(d) for d in self.remote}
        waiting = sorted(n for n, count in (second.fuse or {}).items() if count > 0 and n not in mounted)
        daemons, all_seen = self._fuse_daemons if waiting else ({}, False)
        return [n for n in waiting if n in daemons] if daemons and all_seen else waiting

    def _find_detached(
        self, assigned: Mapping[str, tuple[Task, ...]], second: _Sample, seconds: float
    ) -> list[WaitingMount]:
        before = self.first.fuse or {}
        return [
            WaitingMount(
                "fuse",
                "",
                f"0:{n}",
                (),
                (second.fuse or {})[n],
                seconds if before.get(n, 0) > 0 else 0.0,
                tuple(t.tid for t in assigned.get(f"0:{n}", ()) if t.state == "D"),
                processes=_list_processes(assigned.get(f"0:{n}", ())),
            )
            for n in self._find_unmounted(second)
        ]


def _list_processes(tasks: tuple[Task, ...]) -> tuple[int, ...]:
    """Return the processes of the threads in D."""
    return tuple(dict.fromkeys(t.pid for t in tasks if t.state == "D"))


def _count_nfs_waiting(before: tuple[int, int], now: tuple[int, int], tasks: bool) -> tuple[int | None, bool]:
    """Return how many requests wait. 0 is certain; more counts only with a waiting task, because a lost
    reply stays in the counters.
    """
    open_now = now[0] - now[1]
    if open_now <= 0:
        return 0, False
    if tasks and before[1] == now[1]:
        return open_now, before[0] > before[1]
    return None, False
