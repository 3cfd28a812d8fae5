"""Failed access to a node: the access method and the obstacle."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Cost, Fact, WhyOpen
from unstuck.facts.record import record


@record(kw_only=True)
class Unreached(Fact):
    """A failed access to a node, without facts from it. about: the Node.

    way: `here`, `agent`, `ssh`, `probe`. why: as of the questions that stay open for it. reason: one word for
    the obstacle, for which the interface has a sentence in each language; "" if only `detail` says.
        agent: `absent`, `version`, `denied`, `webhook`, `silent`, `pod-absent`, `pod-terminating`,
        `pod-not-ready`, `pod-unknown`, `busy`, `other-node`, `unreadable`; ssh: `no-program`, `bad-host`,
        `no-host`, `host-key`, `host-key-changed`, `denied`, `not-root`, `silent`, `failed`, `not-able`,
        `other-node`, `unreadable`; name is the host, detail of `other-node` the Node that it is; probe:
        `not-agreed`, `no-image`, `no-namespace` (name is the one that is not there), `node-suspect`,
        `runtime-suspect`, `refused`, `not-started`, `unreadable`; any: `deadline` (no time was left for it).
    detail: a foreign message (the server's, ssh's last line). seconds: how long an answer was waited for.
    since: when the obstacle began. name: of the object in the way (a Pod, a webhook).
    """

    way: str
    why: WhyOpen
    reason: str = ""
    detail: str = ""
    seconds: float = 0.0
    since: datetime | None = None
    name: str = ""
    cost: ClassVar[Cost] = "node"
