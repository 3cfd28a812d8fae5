"""Where a Pod that waits for a Node might go, in the form that every renderer reads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from unstuck.diagnosis.text import Text
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class Barrier(Record):
    """One reason against Nodes. kind: the cause that reports it, "" for none. quote: the scheduler's
    words.
    """

    kind: str
    says: Text
    quote: str


@record()
class ClosedNodes(Record):
    """Nodes that are closed for the same reasons."""

    barriers: tuple[Barrier, ...]
    nodes: tuple[str, ...]


@record()
class Opening(Record):
    """One change that was tried out, and the Nodes that it opens; for `node`, the Nodes that a new one
    would resemble.
    """

    kind: str
    says: Text
    opens: tuple[str, ...]


@record()
class Holds(Record):
    """The Pods that use the lacking resource on the nearest Nodes. shown: `12 GiB of memory`."""

    resource: str
    owner: Ref
    amount: int
    shown: str
    pods: int


@record()
class Placing(Record):
    """The placement computed from the objects. nodes: their number. closed: the nearest to fitting first.
    fits: Nodes with room now.

    preemption: why removing other Pods helps or not, None if it is not tried. flaws: terms that no cluster
    could meet, with their place. open: the deciding unknowns. agrees: whether the scheduler reports the same;
    None without its report.
    """

    nodes: int
    closed: tuple[ClosedNodes, ...] = ()
    fits: tuple[str, ...] = ()
    openings: tuple[Opening, ...] = ()
    holders: tuple[Holds, ...] = ()
    preemption: Text | None = None
    flaws: tuple[tuple[str, Text], ...] = ()
    open: tuple[str, ...] = ()
    agrees: bool | None = None


class LazyPlacing:
    """A `Placing` that is computed at its first use: a scan of many Pods shows none. of: the Pod."""

    def __init__(self, of: Ref, work: Callable[[], Placing]) -> None:
        self.of = of
        self._work = work

    @cached_property
    def placing(self) -> Placing:
        """The finding."""
        return self._work()
