"""Where a Pod's programs listen."""

from __future__ import annotations

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.record import Record, record


@record()
class Listener(Record):
    """A TCP socket that listens. local: it is bound to a loopback address, so that nobody outside of the Pod reaches it."""

    port: int
    local: bool = False


@record(kw_only=True)
class Listening(NodeFact):
    """The TCP sockets that listen in the Pod's network namespaces. about: the Pod. UDP is not told.

    Whole where the table of each of its namespaces was read. Source: proc(5) `/proc/PID/net/tcp`.
    """

    items: tuple[Listener, ...]
