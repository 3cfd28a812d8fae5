"""Access methods through the cluster or the network, created only on demand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from unstuck.api.node_methods import AccessByConsent, AccessMethod, AnswersWants
from unstuck.api.nodes import Nodes
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref, Source

if TYPE_CHECKING:
    from unstuck.api.probe_consent import ProbeOffer
    from unstuck.collect.kube.transport.client import Client
    from unstuck.collect.ssh import SshWay
    from unstuck.facts.core import Fact, Want

_AGAIN = 11.0
# Limits how often a Pod is created.
_POD_AGAIN = 60.0


class AccessMethods(Protocol):
    """Access to the nodes of one cluster."""

    def ways(self) -> Sequence[AccessMethod]:
        """Return the methods that need no consent, the cheapest first."""

    def offer(self) -> AccessByConsent | None:
        """Return the method that requires consent, None if no user can consent."""


class ClusterMethods:
    """Access through one cluster's server, and by ssh. nodes: the permitted access."""

    def __init__(self, client: Client, nodes: Nodes) -> None:
        self._client, self._nodes = client, nodes
        self._ways: list[AccessMethod] | None = None
        self._offer: ProbeOffer | None = None

    def ways(self) -> Sequence[AccessMethod]:
        """Return the agent, and ssh if a host was given."""
        if self._ways is None:
            from unstuck.collect.kube.nodes.agent import AgentWay

            ssh: list[AccessMethod] = [SshToNode(self._nodes.ssh)] if self._nodes.ssh else []
            self._ways = [
                CachingAccess(AgentWay(self._client), _AGAIN),
                *(CachingAccess(way, _AGAIN) for way in ssh),
            ]
        return self._ways

    def offer(self) -> AccessByConsent | None:
        """Return a one-shot Pod if the user requested one or can be asked for consent."""
        nodes = self._nodes
        if self._offer is None and (nodes.probe or nodes.consent):
            from unstuck.api.probe_consent import ProbeOffer
            from unstuck.collect.kube.nodes.probe import ProbeWay

            way = ProbeWay(self._client, nodes.probe_image, nodes.probe_namespace)
            self._offer = ProbeOffer(way, CachingAccess(way, _POD_AGAIN), nodes)
        return self._offer


class CachingAccess:
    """Caches a node's answers for `seconds`: a waiting question polls the cluster every few seconds, but not
    the node.

    An agent accepts six questions a minute from one client.
    """

    def __init__(self, way: AccessMethod, seconds: float) -> None:
        self._way, self._seconds = way, seconds
        self._answers: dict[tuple[str, Ref | None], tuple[float, list[Fact], float]] = {}

    @property
    def name(self) -> str:
        """Return the access method's name."""
        return self._way.name

    @property
    def any_node(self) -> bool:
        """Tell whether it reaches every node."""
        return self._way.any_node

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Answer from the cache; ask again if the last look timed out and more time is left now."""
        at, facts, before = self._answers.get((node, pod), (0.0, [], 0.0))
        hurried = deadline > before + 1 and any(
            isinstance(f, Unreached) and f.why == "timeout" for f in facts
        )
        if not facts or hurried or time.monotonic() - at > self._seconds:
            facts, before = self._way.look(node, pod, deadline, since), deadline
            self._answers[node, pod] = time.monotonic(), facts, before
        return facts

    def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
        """Answer single questions through the access method, uncached; [] if it takes none."""
        return self._way.answer(node, wants, deadline) if isinstance(self._way, AnswersWants) else []

    def close(self) -> None:
        """Close the access method."""
        self._way.close()


@dataclass(frozen=True)
class SshToNode:
    """The operator's ssh. host: `{node}` in it is the Node's name."""

    host: str
    name: str = "ssh"

    @property
    def any_node(self) -> bool:
        """Tell whether the host is named after the Node."""
        return "{node}" in self.host

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Look as any access method does; refuse an invalid Node name: older clients pass it to a shell
        (CVE-2023-51385).
        """
        way = self._reach(node)
        return [way] if isinstance(way, Unreached) else way.look(node, pod, deadline, since)

    def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
        """Answer single questions, as `SshWay` does."""
        way = self._reach(node)
        return [] if isinstance(way, Unreached) else way.answer(node, wants, deadline)

    def close(self) -> None:
        """Do nothing: ssh creates nothing in the cluster."""

    def _reach(self, node: str) -> SshWay | Unreached:
        from unstuck.collect.ssh import SshWay
        from unstuck.knowledge.names import find_rule

        if "{node}" in self.host and not find_rule("Node").allows(node):
            about, src = Ref("Node", None, node), Source(f"ssh {self.host}")
            return Unreached(
                about=about, src=src, way=self.name, why="not-offered", reason="bad-host", name=node
            )
        return SshWay(self.host.replace("{node}", node))
