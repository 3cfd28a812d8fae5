"""Processes and their threads, from /proc, without touching anything that they hold.

Never read here: `cmdline`, `maps` and `environ` of a process with a thread in D, whose memory lock may never
be released. Links (`fd/N`, `cwd`, `root`, `ns/…`), `stat`, `status` and `wchan` do not block: they are read
for such a process as for any other. Sources: proc(5), fs/proc/array.c, fs/proc/base.c, kernel/signal.c (a
fatal signal stays pending on every thread until it runs).
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unstuck.collect.node.cgroup import Groups, parse_groups
from unstuck.collect.node.lock_files import read_lock_files
from unstuck.collect.node.root import Root
from unstuck.collect.node.syscalls import call_name
from unstuck.facts.aspects.host import Proc
from unstuck.facts.record import Record, record

if TYPE_CHECKING:
    from unstuck.collect.node.mounts import Mounts

_KERNEL_THREAD = 0x00200000
_KILL = 1 << 8
_MAX_CALLS = 200
_CALL_SECONDS = 0.5
_ENDED = ("Z", "X", "x")


@record()
class Stat(Record):
    """The fields of `/proc/PID/stat` that are used. ticks: start time since boot in clock ticks."""

    pid: int
    comm: str
    state: str
    parent: int
    threads: int
    ticks: int
    kernel: bool


@record()
class Process(Record):
    """A process as the table holds it."""

    stat: Stat
    groups: Groups

    @property
    def pid(self) -> int:
        """Its pid in the PID namespace of the /proc that was read."""
        return self.stat.pid


@record()
class Task(Record):
    """A thread that waits. switches: voluntary context switches; unchanged means that it has not run
    since. killed: SIGKILL is pending.
    """

    pid: int
    tid: int
    comm: str
    state: str
    waits_in: str
    switches: str = ""
    killed: bool = False


@record()
class Threads(Record):
    """A process' threads. stuck: the threads in D. dead, live: the numbers of ended and of other threads; 0
    and 0 if not counted.
    """

    stuck: tuple[Task, ...] = ()
    dead: int = 0
    live: int = 0


def parse_stat(text: str) -> Stat | None:
    """Return None for an invalid stat line. The name may hold spaces, brackets and newlines."""
    head, found, rest = text.rpartition(")")
    pid, opened, comm = head.partition("(")
    fields = rest.split()
    try:
        if not found or not opened or len(fields) < 20:
            return None
        number, parent, flags, threads, ticks = (
            int(pid),
            int(fields[1]),
            int(fields[6]),
            int(fields[17]),
            int(fields[19]),
        )
    except ValueError:
        return None
    return Stat(number, comm, fields[0][:1], parent, threads, ticks, bool(flags & _KERNEL_THREAD))


class ProcessTable:
    """One pass over /proc, and more of single processes on demand.

    root: the node's. budget: seconds that the pass over all threads may take.
    """

    def __init__(self, root: Root, budget: float = 1.5) -> None:
        self.root = root
        self.budget = budget
        self._looked_at = 0.0
        # By mount namespace and root: the tables that any MountTable of these processes has read (mounts.py).
        self.mounts_read: dict[tuple[str, str], Mounts] = {}

    @cached_property
    def all(self) -> Mapping[int, Process]:
        """Every process by its pid."""
        out = {}
        for name in self.root.names("/proc") or ():
            if name.isdigit() and (stat := parse_stat(self.root.brief(f"/proc/{name}/stat") or "")):
                groups = (
                    Groups() if stat.kernel else parse_groups(self.root.brief(f"/proc/{name}/cgroup") or "")
                )
                out[stat.pid] = Process(stat, groups)
        return out

    @cached_property
    def user(self) -> tuple[Process, ...]:
        """Every process that is no thread of the kernel, by pid."""
        return tuple(p for _, p in sorted(self.all.items()) if not p.stat.kernel)

    @cached_property
    def boot(self) -> datetime | None:
        """Return when the node started."""
        for line in (self.root.text("/proc/stat", 4 << 20) or "").splitlines():
            if line.startswith("btime ") and line[6:].strip().isdigit():
                return datetime.fromtimestamp(min(int(line[6:]), 1 << 33), UTC)
        return None

    def in_pod(self, uid: str) -> tuple[Process, ...]:
        """Return every process in the Pod's cgroups; a zombie that has left its cgroup counts with its
        parent.
        """
        inside = {p.pid for p in self.user if p.groups.pod == uid}
        grown = True
        while grown:
            orphans = {p.pid for p in self.user if p.stat.state == "Z" and p.stat.parent in inside} - inside
            inside |= orphans
            grown = bool(orphans)
        return tuple(p for p in self.user if p.pid in inside)

    @cached_property
    def threads(self) -> tuple[Mapping[int, Threads], bool]:
        """Threads by process, for processes with any in D or ended; and whether every thread was looked
        at.
        """
        self._looked_at = time.monotonic()
        end = self._looked_at + self.budget
        out: dict[int, Threads] = {}
        complete = True
        for process in sorted(self.user, key=lambda p: p.stat.threads):
            if process.stat.threads > 1 and time.monotonic() > end:
                complete = False
                continue
            found = self._threads_of(process)
            if found.stuck or found.dead:
                out[process.pid] = found
        return out, complete

    @cached_property
    def stuck(self) -> tuple[Mapping[int, tuple[Task, ...]], bool]:
        """Threads in D by process, and whether every thread was looked at."""
        threads, complete = self.threads
        return {pid: t.stuck for pid, t in threads.items() if t.stuck}, complete

    def _threads_of(self, process: Process) -> Threads:
        single = process.stat.threads <= 1
        if single and process.stat.state != "D":
            return Threads(dead=1) if process.stat.state in _ENDED else Threads()
        stuck = []
        dead = live = 0
        for tid in (
            (str(process.pid),)
            if single
            else self.root.names(f"/proc/{process.pid}/task") or (str(process.pid),)
        ):
            stat = parse_stat(self.root.brief(f"/proc/{process.pid}/task/{tid}/stat") or "") or (
                process.stat if single else None
            )
            if stat is None:
                continue
            dead, live = (dead + 1, live) if stat.state in _ENDED else (dead, live + 1)
            if stat.state == "D":
                stuck.append(self.task(process.pid, int(tid), stat))
        return Threads(tuple(stuck), dead, live)

    @cached_property
    def calls(self) -> Mapping[int, str]:
        """The current system call of each thread in D, by its tid; without threads whose call is unknown."""
        tasks = {
            f"/proc/{t.pid}/task/{t.tid}/syscall": t.tid for found in self.stuck[0].values() for t in found
        }
        machine = os.uname().machine if self.root.live else ""
        texts = read_lock_files(self.root, list(tasks)[:_MAX_CALLS], 256, _CALL_SECONDS)
        return {tasks[path]: name for path, text in texts.items() if (name := call_name(text or "", machine))}

    def task(self, pid: int, tid: int, stat: Stat) -> Task:
        """Return the place where a thread waits now."""
        base = f"/proc/{pid}/task/{tid}"
        status = dict(
            line.partition(":")[::2] for line in (self.root.brief(f"{base}/status") or "").splitlines()
        )
        return Task(
            pid,
            tid,
            stat.comm,
            stat.state,
            waits_in=self.waits_in(pid, tid),
            switches=status.get("voluntary_ctxt_switches", "").strip(),
            killed=any(_parse_mask(status.get(k, "")) & _KILL for k in ("SigPnd", "ShdPnd")),
        )

    def waits_in(self, pid: int, tid: int) -> str:
        """Return the kernel function that a thread sleeps in; "" if it runs or reading it is not
        permitted.
        """
        for path in (f"/proc/{pid}/task/{tid}/wchan", f"/proc/{tid}/wchan"):
            text = (self.root.brief(path, 256) or "").strip()
            if text:
                return "" if text == "0" else text
        return ""

    def still_waits(self, task: Task) -> bool:
        """Tell whether a thread is still in the same state and place and has not run in between."""
        stat = parse_stat(self.root.brief(f"/proc/{task.pid}/task/{task.tid}/stat") or "")
        return stat is not None and self.task(task.pid, task.tid, stat) == task

    def sleeping_in(
        self, function: Callable[[str], bool], among: Iterable[int], end: float
    ) -> Iterator[Task]:
        """Yield threads in S, of these processes, that sleep in such a function; until `end` on the
        monotonic clock.
        """
        for pid in among:
            for tid in self.root.names(f"/proc/{pid}/task") or ():
                if time.monotonic() > end:
                    return
                if tid.isdigit() and function(self.waits_in(pid, int(tid))):
                    stat = parse_stat(self.root.brief(f"/proc/{pid}/task/{tid}/stat") or "")
                    if stat is not None and stat.state == "S":
                        yield self.task(pid, int(tid), stat)

    def namespace(self, pid: int, kind: str) -> tuple[str, int]:
        """Return `mnt:[4026531841]` and 0; or "" and the errno: EACCES not allowed, ENOENT given up
        already (the process is ending).
        """
        return self.root.link(f"/proc/{pid}/ns/{kind}")

    @cached_property
    def mount_namespaces(self) -> tuple[Mapping[str, tuple[int, ...]], tuple[int, ...]]:
        """Pids by mount namespace, and the pids whose namespace may not be read."""
        found: dict[str, list[int]] = {}
        closed = []
        for process in self.user:
            name, error = self.namespace(process.pid, "mnt")
            if name:
                found.setdefault(name, []).append(process.pid)
            elif error in (errno.EACCES, errno.EPERM):
                closed.append(process.pid)
        return {k: tuple(v) for k, v in found.items()}, tuple(closed)

    @cached_property
    def namespace_of_root(self) -> str:
        """The mount namespace that the root shows: of `/proc/self` for `/`, of PID 1 otherwise; "" if it
        may not be read.
        """
        if self.root.path == "/":
            return self.namespace_self("mnt")
        return self.root.link("/proc/1/ns/mnt")[0]

    def namespace_self(self, kind: str) -> str:
        """Return the namespace of the reading process."""
        return self.root.link(f"/proc/self/ns/{kind}")[0]

    def arguments(self, pid: int) -> tuple[str, ...]:
        """Return argv, never of a process with a thread in D."""
        process = self.all.get(pid)
        if process is None or process.stat.state == "D" or pid in self.stuck[0]:
            return ()
        text = self.root.text(f"/proc/{pid}/cmdline", 1 << 20) or ""
        return tuple(text.rstrip("\0").split("\0")) if text else ()

    def as_fact(self, process: Process) -> Proc:
        """Return the record that facts hold; its wait is that of its first thread in D."""
        tasks = self.stuck[0].get(process.pid, ())
        stat, groups = process.stat, process.groups
        own = stat.state in ("D", "T", "Z") or groups.pod is not None
        return Proc(
            pid=process.pid,
            comm=stat.comm,
            state=stat.state,
            start=self._start(stat.ticks),
            parent=stat.parent or None,
            unit=groups.unit,
            pod=groups.pod,
            container=groups.container,
            waits_in=tasks[0].waits_in if tasks else self.waits_in(process.pid, process.pid) if own else "",
            stuck_threads=len(tasks),
            killed=any(t.killed for t in tasks),
            syscall=self.calls.get(tasks[0].tid, "") if tasks else "",
            **self._zombie_fields(process),
        )

    def _zombie_fields(self, process: Process) -> dict[str, Any]:
        """Return the remains of a process in Z, and the process that should reap it; for any other process
        the threads that ended.
        """
        threads = self.threads[0].get(process.pid, Threads())
        if process.stat.state not in _ENDED:
            return {"dead_threads": threads.dead}
        parent = self.all.get(process.stat.parent)
        return {
            "dead_threads": threads.dead,
            "live_threads": threads.live,
            "parent_comm": parent.stat.comm if parent else "",
            "parent_state": parent.stat.state if parent else "",
        }

    def namespaces(self, pid: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return `ipc:[4026531839]`, … of a process, and the links that are listed and lead nowhere any
        more.
        """
        links = {n: self.namespace(pid, n) for n in self.root.names(f"/proc/{pid}/ns") or ()}
        return tuple(t for t, _ in links.values() if t), tuple(
            n for n, (t, error) in links.items() if not t and error == errno.ENOENT
        )

    def as_steady_fact(self, process: Process, at_least: float = 0.3) -> Proc:
        """Return the same as `as_fact`, counting only threads in D that have not run between two looks,
        this many seconds apart.
        """
        tasks = self.stuck[0].get(process.pid, ())
        if not tasks:
            return self.as_fact(process)
        if self.root.live:
            time.sleep(max(0.0, self._looked_at + at_least - time.monotonic()))
        steady = [t for t in tasks if self.still_waits(t)]
        now = parse_stat(self.root.brief(f"/proc/{process.pid}/stat") or "")
        return replace(
            self.as_fact(process),
            state=now.state if now else process.stat.state,
            waits_in=steady[0].waits_in if steady else "",
            syscall=self.calls.get(steady[0].tid, "") if steady else "",
            stuck_threads=len(steady),
            killed=any(t.killed for t in steady),
        )

    def _start(self, ticks: int) -> datetime | None:
        if self.boot is None or not 0 <= ticks < 1 << 40:
            return None
        # Recorded trees come from machines with the same USER_HZ: it is 100 on every Linux that Kubernetes
        # runs on.
        return (self.boot + timedelta(seconds=ticks / os.sysconf("SC_CLK_TCK"))).replace(microsecond=0)


def _parse_mask(text: str) -> int:
    try:
        return int(text.strip() or "0", 16)
    except ValueError:
        return 0
