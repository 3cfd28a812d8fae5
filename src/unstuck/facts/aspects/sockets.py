"""Where programs listen, and which process has a port."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class Listener(Record):
    """A TCP socket that listens. local: it is bound to a loopback address, which cannot be reached from
    outside the Pod.
    """

    port: int
    local: bool = False


@record(kw_only=True)
class Listening(NodeFact):
    """The TCP sockets that listen in the Pod's network namespaces. about: the Pod. UDP is left out.

    Whole where the table of each of its namespaces was read. Source: proc(5) `/proc/PID/net/tcp`.
    """

    items: tuple[Listener, ...]


@record()
class PortHolder(Record):
    """A process that has a listening TCP socket open. port, local: as of a `Listener`.

    pod: the Pod that it runs in, with its name where the node knows it; None: it runs in none.
    """

    port: int
    proc: Proc
    local: bool = False
    pod: Ref | None = None


@record(kw_only=True)
class PortHolders(NodeFact):
    """The processes that have the listening TCP sockets of a network open, whichever namespace they are in
    themselves.

    about: the Node, of its own network; or a Pod, of the namespaces that its processes are in: with
    hostNetwork, that of the Node. Whole where the open files of every process of the node were seen. Source:
    proc(5), `/proc/PID/net/tcp` and `/proc/PID/fd`.
    """

    items: tuple[PortHolder, ...]
    ask: ClassVar[str] = "ss -ltnp"
