"""Facts about the kernel's kills for want of memory."""

from __future__ import annotations

from datetime import datetime
from itertools import zip_longest
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class Kill(Record):
    """One kill. why: `memcg` for a cgroup's limit, `none` for the node's memory, `cpuset`, `memory_policy`.

    at: None if the line has no usable time. container: the id in the victim's cgroup, "" if the line names
    none.
    """

    pid: int
    comm: str
    why: str
    at: datetime | None = None
    container: str = ""


@record(kw_only=True)
class OomKills(NodeFact):
    """Kernel OOM kills. about: the Pod (kills in its cgroups) or the Node (kills for want of the node's own
    memory).

    items: (pid, process name, why). more: for each of these, when, and the container's id in the victim's
    cgroup.
    """

    items: tuple[tuple[int, str, str], ...]
    more: tuple[tuple[datetime | None, str], ...] = ()

    @property
    def kills(self) -> tuple[Kill, ...]:
        """Return both put together; a Snapshot saved before a version recorded more has no time and no
        container.
        """
        told = zip_longest(self.items, self.more[: len(self.items)], fillvalue=(None, ""))
        return tuple(Kill(*item, *more) for item, more in told)

    ask: ClassVar[str] = "dmesg -T | grep -iE 'out of memory|oom-kill'"
