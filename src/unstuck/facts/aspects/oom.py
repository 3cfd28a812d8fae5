"""Facts about the kernel's OOM kills."""

from __future__ import annotations

from datetime import datetime
from itertools import chain, repeat
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record

_UNTOLD: tuple[datetime | None, str] = (None, "")


@record()
class Kill(Record):
    """One kill. why: `memcg` for a cgroup's limit, `none` for the node's memory, `cpuset`, `memory_policy`.

    at: None if the line has no usable time. container: the id in the victim's cgroup, "" if none is named.
    bound: for `none`, the exhausted cgroup above the Pods, "" if the machine itself ran out of memory.
    """

    pid: int
    comm: str
    why: str
    at: datetime | None = None
    container: str = ""
    bound: str = ""


@record(kw_only=True)
class OomKills(NodeFact):
    """Kernel OOM kills. about: the Pod (kills in its cgroups) or the Node (kills for lack of the node's own
    memory).

    items: (pid, process name, why). more: for each item, its time, and the container's id in the victim's
    cgroup. bounds: for each item, the exhausted cgroup above the Pods.
    """

    items: tuple[tuple[int, str, str], ...]
    more: tuple[tuple[datetime | None, str], ...] = ()
    bounds: tuple[str, ...] = ()

    @property
    def kills(self) -> tuple[Kill, ...]:
        """Return the kills with all their fields; older Snapshots lack some of them."""
        told = zip(
            self.items, chain(self.more, repeat(_UNTOLD)), chain(self.bounds, repeat("")), strict=False
        )
        return tuple(Kill(*item, *more, bound) for item, more, bound in told)

    ask: ClassVar[str] = "dmesg -T | grep -iE 'out of memory|oom-kill'"
