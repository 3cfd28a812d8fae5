"""The limits of a Pod's cgroups for processes, processor time and memory, and the kernel's refusals."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record(kw_only=True)
class CgroupLimit(Record):
    """One cgroup directory. pod: the uid of its Pod, None above the Pods; container: its id, None outside of
    one.

    pids, pids_peak: processes and threads in it and below, now and at most since its creation. pids_max: the
    limit, None without one. pids_refused: the number of forks that the kernel refused here, by `pids.events`.
    quota, period: microseconds of processor time in each period, None without a limit. periods, throttled:
    the number of periods, and of throttled ones. memory: bytes in use by it and its children. memory_max: the
    limit, None without one. Otherwise None means that the kernel does not report the value.
    """

    path: str
    pod: str | None = None
    container: str | None = None
    pids: int | None = None
    pids_max: int | None = None
    pids_peak: int | None = None
    pids_refused: int | None = None
    quota: int | None = None
    period: int | None = None
    periods: int | None = None
    throttled: int | None = None
    memory: int | None = None
    memory_max: int | None = None


@record(kw_only=True)
class CgroupLimits(NodeFact):
    """The Pod's own cgroup directories, with their children and parents. about: the Pod. A container that has
    ended has none.

    Whole if every hierarchy was walked, and the Pod has a directory. Sources:
    Documentation/admin-guide/cgroup-v2.rst (pids, cpu, memory), cgroup-v1/pids.rst, cgroup-v1/memory.rst,
    Documentation/scheduler/sched-bwc.rst.
    """

    items: tuple[CgroupLimit, ...]
    ask: ClassVar[str] = (
        "find /sys/fs/cgroup -path '*{uid}*' -name 'pids.*' -exec grep -H . {} +; find /sys/fs/cgroup -path "
        "'*{uid}*' -name cpu.stat -exec grep -H throttled {} +"
    )
