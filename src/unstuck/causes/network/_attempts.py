"""The record of a connection that could not be made."""

from __future__ import annotations

from typing import Literal

from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

Met = Literal["refused", "silence"]


@record()
class Attempt(Record):
    """A failed connection. by: `program`, or the probe's word. met: the answer. hooks: the kernel's, on its
    way.

    address: "" if unknown. line: the message that reports it. udp: UDP, and not TCP. node: of the other end,
    the Node there; "" for the Pod's own. to: where the client connects to, if that is another address. back:
    it is the way of the answers.
    """

    container: str
    by: str
    met: Met
    address: str
    port: int
    hooks: tuple[str, ...]
    line: str
    udp: bool = False
    node: str = ""
    to: str = ""
    back: bool = False

    @property
    def shown(self) -> str:
        """Where the client connects to."""
        return self.to or f"{self.address}:{self.port}"

    def way(self, node: Ref) -> Ref:
        """Return the subject of facts about its way on a node."""
        return Ref("Route", node.name, f"{self.address}:{self.port}{'/udp' if self.udp else ''}")

    def find_place(self, pod: Ref, snap: Facts) -> Ref | None:
        """Return the Node on which its way is looked at."""
        return Ref("Node", None, self.node) if self.node else find_node(pod, snap)
