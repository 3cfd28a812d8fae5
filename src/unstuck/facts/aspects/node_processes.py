"""A process of the node by its pid, and the kernel settings for a Pod's processes."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Ref
from unstuck.facts.record import record


@record(kw_only=True)
class NumberedProcess(NodeFact):
    """The process with this pid on the node. about: a `Process` of the node, its pid the name.

    proc: None if no process has this pid. program: the path of its executable from its own view; "" if
    unreadable. pod: its Pod. Whole if all processes of the node are visible. Source: proc(5).
    """

    proc: Proc | None = None
    program: str = ""
    pod: Ref | None = None
    ask: ClassVar[str] = "ps -o pid,ppid,lstart,args -p {name}"


@record(kw_only=True)
class PodSysctls(NodeFact):
    """Kernel settings that apply to a Pod's processes. about: the Pod.

    items: (name, value) of the existing settings read by causes; network settings (`net.…`) only if the Pod
    shares the node's network. own_network: whether it has its own network namespace; such a fact is never
    whole.
    """

    items: tuple[tuple[str, str], ...]
    own_network: bool = False
    ask: ClassVar[str] = "sysctl net.ipv4.ip_unprivileged_port_start"
