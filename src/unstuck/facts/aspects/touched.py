"""Facts that a node shows only when a path that may hang is touched: only a person asks for them
(`--touch`).
"""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.core import Cost
from unstuck.facts.record import record


@record(kw_only=True)
class Touched(NodeFact):
    """One statvfs of a mount point, in a process of its own. about: `Ref("Mount", NODE, PATH)`.

    returned: whether it came back. seconds: how long it took, or has taken until now. error: the errno's name
    if it came back with one (`ESTALE`, `ENOTCONN`), else "". pid: the process that still waits, None if none
    does. dev: the device touched.
    """

    returned: bool
    seconds: float = 0.0
    error: str = ""
    pid: int | None = None
    dev: str = ""
    cost: ClassVar[Cost] = "active"
    ask: ClassVar[str] = "timeout 5 stat -f {path}"
