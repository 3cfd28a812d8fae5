"""The listening sockets of programs, and the processes behind ports."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record


@record()
class Listener(Record):
    """A listening TCP socket. local: whether it is bound to a loopback address, unreachable from outside the
    Pod. address: the one that it is bound to, "" for all.
    """

    port: int
    local: bool = False
    address: str = ""


@record(kw_only=True)
class Listening(NodeFact):
    """The listening TCP sockets in the Pod's network namespaces. about: the Pod. UDP is left out.

    Whole if the table of each of its namespaces was read. Source: proc(5) `/proc/PID/net/tcp`.
    """

    items: tuple[Listener, ...]


@record()
class PortHolder(Record):
    """A process with an open listening TCP socket. port, local: as in `Listener`. pod: its Pod, with the name
    if known on the node; None outside of Pods. address: as in `Listener`.
    """

    port: int
    proc: Proc
    local: bool = False
    pod: Ref | None = None
    address: str = ""


@record(kw_only=True)
class PortHolders(NodeFact):
    """The processes with open listening TCP sockets of a network, in any namespace.

    about: the Node, for its own network; or a Pod, for its processes' namespaces: with hostNetwork, the
    Node's. Whole if the open files of every process of the node were seen. Source: proc(5),
    `/proc/PID/net/tcp` and `/proc/PID/fd`.
    """

    items: tuple[PortHolder, ...]
    ask: ClassVar[str] = "ss -ltnp"
