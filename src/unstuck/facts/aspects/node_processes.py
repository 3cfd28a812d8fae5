"""A process of the node by its number, and the settings of the kernel that a Pod's processes meet."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Ref
from unstuck.facts.record import record


@record(kw_only=True)
class NumberedProcess(NodeFact):
    """The process with this number on the node. about: a `Process` of the node, its number the name.

    proc: None: nobody has it. program: the path of the file that it runs, as it sees it; "" if that may not
    be read. pod: the Pod that it belongs to. Whole where all processes of the node are in sight. Source:
    proc(5).
    """

    proc: Proc | None = None
    program: str = ""
    pod: Ref | None = None
    ask: ClassVar[str] = "ps -o pid,ppid,lstart,args -p {name}"


@record(kw_only=True)
class PodSysctls(NodeFact):
    """Kernel settings that apply to a Pod's processes. about: the Pod.

    items: (name, value) of those that causes read and that are there; those of the network (`net.…`) only
    where the Pod shares the node's. own_network: it has a network namespace of its own; such a fact is never
    whole.
    """

    items: tuple[tuple[str, str], ...]
    own_network: bool = False
    ask: ClassVar[str] = "sysctl net.ipv4.ip_unprivileged_port_start"
