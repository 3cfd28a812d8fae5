"""The ways to a cluster's nodes, as the command line allows them. Each is made only when a question wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unstuck.cli.lang import Lang
from unstuck.cli.ways import Offer, Way

if TYPE_CHECKING:
    from unstuck.cli.ask import Sight
    from unstuck.cli.progress import Spinner
    from unstuck.collect.kube.client import Client
    from unstuck.facts.core import Fact, Ref


class ClusterReach:
    """sight: what the command line allows. ask: whether somebody sits at the terminal who can agree to a Pod."""

    def __init__(self, client: Client, sight: Sight, lang: Lang, ask: bool) -> None:
        self._client, self._sight, self._lang, self._ask = client, sight, lang, ask
        self._ways: list[Way] | None = None
        self._offer: Offer | None = None

    def ways(self) -> Sequence[Way]:
        """The agent, and ssh where a host was given."""
        if self._ways is None:
            from unstuck.collect.kube.agent import AgentWay  # noqa: PLC0415

            ssh: list[Way] = [SshToNode(self._sight.ssh)] if self._sight.ssh else []
            self._ways = [AgentWay(self._client), *ssh]
        return self._ways

    def offer(self, spinner: Spinner) -> Offer | None:
        """A Pod that looks once: where it was asked for, or where somebody can be asked."""
        probe = self._sight.probe
        if self._offer is None and (probe.agreed or self._ask):
            from unstuck.cli.consent import ProbeOffer  # noqa: PLC0415
            from unstuck.collect.kube.probe import ProbeWay  # noqa: PLC0415

            self._offer = ProbeOffer(ProbeWay(self._client, probe.image, probe.namespace), probe, self._lang, spinner)
        return self._offer


@dataclass(frozen=True)
class SshToNode:
    """The operator's ssh. host: `{node}` in it is the Node's name."""

    host: str
    name: str = "ssh"

    def look(self, node: str, pod: Ref | None, deadline: float) -> list[Fact]:
        """As for any way."""
        from unstuck.collect.ssh import SshWay  # noqa: PLC0415

        return SshWay(self.host.replace("{node}", node)).look(node, pod, deadline)
