"""How a node could not be reached: which way was tried and what stood in it."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Cost, Fact, WhyOpen
from unstuck.facts.record import record


@record(kw_only=True)
class Unreached(Fact):
    """A way to a node that gave no facts of it. about: the Node.

    way: `here`, `agent`, `ssh`, `probe`. why: as of the questions that stay open for it.
    reason: one word for what stood in the way, for which the interface has a sentence in each language; "" where only `detail` tells.
        agent: `absent`, `version`, `denied`, `webhook`, `silent`, `pod-absent`, `pod-terminating`, `pod-not-ready`, `pod-unknown`,
        `busy`, `other-node`, `unreadable`;
        ssh: `no-program`, `bad-host`, `no-host`, `host-key`, `host-key-changed`, `denied`, `not-root`, `silent`, `failed`, `not-able`,
        `other-node`, `unreadable`; name is the host, detail of `other-node` the Node that it is;
        probe: `not-agreed`, `no-image`, `no-namespace` (name is the one that is not there), `node-suspect`,
        `runtime-suspect`, `refused`, `not-started`, `unreadable`;
        any: `deadline` (no time was left for it).
    detail: a stranger's own words (the server's message, ssh's last line). seconds: how long an answer was waited for.
    since: since when what stood in the way has been so. name: of the object that stood in the way (a Pod, a webhook).
    """

    way: str
    why: WhyOpen
    reason: str = ""
    detail: str = ""
    seconds: float = 0.0
    since: datetime | None = None
    name: str = ""
    cost: ClassVar[Cost] = "node"
