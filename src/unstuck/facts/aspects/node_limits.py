"""The node's limits with their use, and whether its clock can be believed."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record

LimitName = Literal["conntrack", "open-files", "threads"]


@record()
class HostLimit(Record):
    """One limit of the whole node. used: at the moment of looking. setting: the sysctl that sets it.

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
    """One user's use of inotify. comms: the programs with most watches or instances, most first."""

    uid: int
    instances: int
    watches: int
    comms: tuple[str, ...] = ()


@record(kw_only=True)
class InotifyUse(NodeFact):
    """inotify's limits, each for one user, and each user's use. about: the Node. Only on request: every open
    file is looked at.

    An instance that processes share is counted for each. max_*: None if the limit cannot be read. Source:
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
    """about: the Node. synchronized: as the time service informed the kernel (adjtimex, STA_UNSYNC), None if
    not asked.

    max_error: seconds, as the kernel bounds it. service: the program that should steer it, "" if none runs (a
    container's clock is its machine's: then the machine's program is not seen). told: when that program last
    reported that it is synchronized. ahead_of_rtc: seconds by which the system's time is ahead of the battery
    clock's, None if that keeps local time.
    """

    synchronized: bool | None = None
    max_error: float | None = None
    service: str = ""
    told: datetime | None = None
    ahead_of_rtc: float | None = None
    ask: ClassVar[str] = "timedatectl show; chronyc tracking; cat /sys/class/rtc/rtc0/since_epoch"
