"""The ways to a cluster's nodes, as the command line allows them. Each is made only when a question wants it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from unstuck.cli.lang import Lang
from unstuck.cli.ways import Offer, Way
from unstuck.facts.aspects.ways import Unreached

if TYPE_CHECKING:
    from unstuck.cli.ask import Sight
    from unstuck.cli.consent import ProbeOffer
    from unstuck.cli.progress import Spinner
    from unstuck.collect.kube.client import Client
    from unstuck.facts.core import Fact, Ref

_AGAIN = 11.0
# Nobody wants a Pod made every few seconds.
_POD_AGAIN = 60.0


class ClusterReach:
    """sight: what the command line allows. ask: whether somebody sits at the terminal who can agree to a Pod."""

    def __init__(self, client: Client, sight: Sight, lang: Lang, ask: bool) -> None:
        self._client, self._sight, self._lang, self._ask = client, sight, lang, ask
        self._ways: list[Way] | None = None
        self._offer: ProbeOffer | None = None

    def ways(self) -> Sequence[Way]:
        """The agent, and ssh where a host was given."""
        if self._ways is None:
            from unstuck.collect.kube.agent import AgentWay  # noqa: PLC0415

            ssh: list[Way] = [SshToNode(self._sight.ssh)] if self._sight.ssh else []
            self._ways = [Remembered(AgentWay(self._client), _AGAIN), *(Remembered(way, _AGAIN) for way in ssh)]
        return self._ways

    def offer(self, spinner: Spinner) -> Offer | None:
        """A Pod that looks once: where it was asked for, or where somebody can be asked."""
        probe = self._sight.probe
        if self._offer is None and (probe.agreed or self._ask):
            from unstuck.cli.consent import ProbeOffer  # noqa: PLC0415
            from unstuck.collect.kube.probe import ProbeWay  # noqa: PLC0415

            way = ProbeWay(self._client, probe.image, probe.namespace)
            self._offer = ProbeOffer(way, Remembered(way, _POD_AGAIN), probe, self._lang)
        if self._offer is not None:
            self._offer.spinner = spinner
        return self._offer


class Remembered:
    """A way that is not gone again within `seconds`: with --wait the cluster is asked every few seconds, a node need not be.

    An agent takes six questions a minute from one asker.
    """

    def __init__(self, way: Way, seconds: float) -> None:
        self._way, self._seconds = way, seconds
        self._told: dict[tuple[str, Ref | None], tuple[float, list[Fact], float]] = {}

    @property
    def name(self) -> str:
        """That of the way."""
        return self._way.name

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """As for any way. One that did not answer in less time than it has now is asked anew."""
        at, facts, before = self._told.get((node, pod), (0.0, [], 0.0))
        hurried = deadline > before + 1 and any(isinstance(f, Unreached) and f.why == "timeout" for f in facts)
        if not facts or hurried or time.monotonic() - at > self._seconds:
            facts, before = self._way.look(node, pod, deadline, since), deadline
            self._told[node, pod] = time.monotonic(), facts, before
        return facts

    def close(self) -> None:
        """As for any way."""
        close = getattr(self._way, "close", None)
        if close is not None:
            close()


@dataclass(frozen=True)
class SshToNode:
    """The operator's ssh. host: `{node}` in it is the Node's name."""

    host: str
    name: str = "ssh"

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """As for any way."""
        from unstuck.collect.ssh import SshWay  # noqa: PLC0415

        return SshWay(self.host.replace("{node}", node)).look(node, pod, deadline, since)
