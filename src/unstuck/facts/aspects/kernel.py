"""The kernel's own reports: blocked tasks, failed file systems, silent servers."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record

KernelKind = Literal[
    "fs-error",
    "fs-read-only",
    "fs-shutdown",
    "io-error",
    "server-silent",
    "conntrack-full",
    "file-max",
    "fork-rejected",
    "soft-lockup",
    "rcu-stall",
    "netdev-held",
    "neighbours-full",
    "allocation-failed",
    "kernel-bug",
]


@record()
class KernelEvent(Record):
    """One event reported by the kernel, once or repeatedly. what: the device, server, network interface or
    cgroup; "" if none is named.

    first, last: its times, None if the log has none. quote: its last line. over: whether a later line revokes
    it (`server … OK`).
    """

    kind: KernelKind
    what: str = ""
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None
    quote: str = ""
    over: bool = False


@record(kw_only=True)
class KernelEvents(NodeFact):
    """The kernel's log since the boot. about: the Node, or a Pod with its cgroup in a line.

    since: the first line's time. Whole only if the log reaches back to the boot; lost lines are not reported.
    """

    items: tuple[KernelEvent, ...]
    since: datetime | None = None
    ask: ClassVar[str] = "dmesg -T"


@record()
class HungTask(Record):
    """A task that did not run for `seconds` in state D. functions: its call stack, innermost first, without
    the scheduler's own.

    pod: the uid of the task's Pod, if the task is still alive. alive: whether it still exists in D, None if
    unknown.
    """

    comm: str
    pid: int
    seconds: int
    functions: tuple[str, ...] = ()
    count: int = 1
    first: datetime | None = None
    last: datetime | None = None
    pod: str | None = None
    alive: bool | None = None


@record(kw_only=True)
class HungTasks(NodeFact):
    """Tasks that the kernel reported as `blocked for more than 120 seconds`. about: the Node, or the Pod of
    the tasks.

    The kernel reports ten times (`kernel.hung_task_warnings`) and then no more: whole only if that limit was
    not reached. Source: kernel/hung_task.c.
    """

    items: tuple[HungTask, ...]
    ask: ClassVar[str] = "dmesg -T | grep -A 20 'blocked for more than'"
