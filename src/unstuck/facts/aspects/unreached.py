"""Failed access to a node: the access method and the obstacle."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Cost, Fact, WhyOpen
from unstuck.facts.record import record


@record(kw_only=True)
class Unreached(Fact):
    """A failed access to a node, without facts from it. about: the Node.

    way: `here`, `agent`, `ssh`, `probe`. why: as in the open questions. reason: one word for the obstacle,
    with a sentence in each language in the interface; "" if only `detail` explains it. agent: `absent`,
    `version`, `denied`, `webhook`, `silent`, `pod-absent`, `pod-terminating`, `pod-not-ready`, `pod-unknown`,
    `busy`, `other-node`, `unreadable`; ssh: `no-program`, `bad-host`, `no-host`, `host-key`,
    `host-key-changed`, `denied`, `not-root`, `silent`, `failed`, `not-able`, `other-node`, `unreadable`; name
    is the host, detail of `other-node` the actual Node; probe: `not-agreed`, `no-image`, `no-namespace` (name
    is the missing one), `node-suspect`, `runtime-suspect`, `refused`, `not-started`, `unreadable`; any:
    `deadline` (no time was left). detail: a foreign message (the server's, ssh's last line). seconds: the
    time waited for an answer. since: the beginning of the obstacle. name: of the obstructing object (a Pod, a
    webhook).
    """

    way: str
    why: WhyOpen
    reason: str = ""
    detail: str = ""
    seconds: float = 0.0
    since: datetime | None = None
    name: str = ""
    cost: ClassVar[Cost] = "node"
