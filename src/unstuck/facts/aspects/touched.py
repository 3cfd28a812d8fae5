"""Facts that require touching a path that may hang: gathered only on request (`--touch`)."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.core import Cost
from unstuck.facts.record import record


@record(kw_only=True)
class Touched(NodeFact):
    """One statvfs of a mount point, in a separate process. about: `Ref("Mount", NODE, PATH)`.

    returned: whether it returned. seconds: its duration, so far if it has not returned. error: the errno's
    name (`ESTALE`, `ENOTCONN`), "" for none. pid: the process still waiting, None without one. dev: the
    device touched.
    """

    returned: bool
    seconds: float = 0.0
    error: str = ""
    pid: int | None = None
    dev: str = ""
    cost: ClassVar[Cost] = "active"
    ask: ClassVar[str] = "timeout 5 stat -f {path}"
