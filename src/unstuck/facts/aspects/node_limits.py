"""The node's limits with their use, and the reliability of its clock."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record

LimitName = Literal["conntrack", "open-files", "threads"]


@record()
class HostLimit(Record):
    """One limit of the whole node. used: at the moment of the look. setting: its sysctl.

    conntrack: connections tracked in the node's network namespace. open-files: file handles of all processes.
    threads: tasks of all processes, against the lower of kernel.pid_max and kernel.threads-max.
    """

    name: LimitName
    used: int
    limit: int
    setting: str


@record(kw_only=True)
class HostLimits(NodeFact):
    """about: the Node. Unreadable limits are left out; whole if open files and threads were read.

    Sources: proc(5) `fs/file-nr`, `loadavg`; net/netfilter/nf_conntrack_standalone.c
    (`net/stat/nf_conntrack`).
    """

    items: tuple[HostLimit, ...]
    ask: ClassVar[str] = (
        "sysctl fs.file-nr net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max kernel.pid_max; "
        "cat /proc/loadavg"
    )


@record()
class InotifyUser(Record):
    """One user's use of inotify. comms: the programs with the most watches or instances, largest first."""

    uid: int
    instances: int
    watches: int
    comms: tuple[str, ...] = ()


@record(kw_only=True)
class InotifyUse(NodeFact):
    """inotify's limits, each for one user, and each user's use. about: the Node. Only on request, since every
    open file is examined.

    A shared instance is counted for each of its processes. max_*: None if the limit cannot be read. Source:
    inotify(7), proc(5) fdinfo.
    """

    items: tuple[InotifyUser, ...]
    max_instances: int | None = None
    max_watches: int | None = None
    ask: ClassVar[str] = (
        "find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | "
        "while read n pid; do echo $n $(ps -o uid=,comm= -p $pid); done; sysctl fs.inotify"
    )


@record(kw_only=True)
class Clock(NodeFact):
    """about: the Node. synchronized: the kernel's flag from the time service (adjtimex, STA_UNSYNC), None if
    not asked. max_error: the kernel's bound, in seconds. service: the running time service, "" if none runs
    (a container's clock is its machine's: then the machine's service is not visible). told: the service's
    last report of synchronization. ahead_of_rtc: seconds by which the system time is ahead of the battery
    clock, None if that keeps local time.
    """

    synchronized: bool | None = None
    max_error: float | None = None
    service: str = ""
    told: datetime | None = None
    ahead_of_rtc: float | None = None
    ask: ClassVar[str] = "timedatectl show; chronyc tracking; cat /sys/class/rtc/rtc0/since_epoch"
