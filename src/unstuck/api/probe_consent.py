"""Consent to one-shot Pods: the plan is shown first, and dropped without a yes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from unstuck.api.node_methods import AccessMethod
from unstuck.api.nodes import Nodes
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from unstuck.collect.kube.nodes.probe import ProbeWay
    from unstuck.collect.kube.nodes.probe_pod import Plan

# Without an installed agent there is no image to propose.
_NO_AGENT = ("absent", "version")


class ProbeOffer:
    """The one-shot Pod after consent: in advance by `Nodes.probe`, or by the first answer of
    `Nodes.consent`.
    """

    name = "probe"

    def __init__(self, plans: ProbeWay, way: AccessMethod, nodes: Nodes) -> None:
        """Store the inputs of the plan and the consent. plans: describes the planned objects in advance. way:
        the access method that executes the plan.
        """
        self._plans, self._way, self._nodes = plans, way, nodes
        self._answer = True if nodes.probe else None

    def split_by_consent(self, nodes: Sequence[str], snap: Snapshot) -> tuple[list[str], list[Unreached]]:
        """Split the nodes as any `AccessByConsent` does."""
        if self._answer is False or (
            self._answer is None and self._nodes.probe_image is None and not _has_agent(nodes, snap)
        ):
            return [], []
        plans: list[Plan] = []
        refused: list[Unreached] = []
        for node in nodes:
            plan = self._plans.plan(node)
            if isinstance(plan, Unreached):
                refused.append(plan)
            else:
                plans.append(plan)
        if self._answer is None:
            # An obstacle to an unrequested Pod is not reported.
            refused = []
        if plans and not self._agree(plans):
            src = [Source(f"node:{p.node}") for p in plans]
            why = [
                Unreached(
                    about=Ref("Node", None, p.node), src=s, way="probe", why="not-asked", reason="not-agreed"
                )
                for p, s in zip(plans, src, strict=True)
            ]
            return [], [*refused, *why]
        return [p.node for p in plans], refused

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Look as any access method does, and report leftover Pods of killed clients."""
        facts = self._way.look(node, pod, deadline, since)
        left = self._plans.take_leftovers()
        if left and self._nodes.tell_left is not None:
            self._nodes.tell_left(left)
        return facts

    def close(self) -> None:
        """Close the access method."""
        self._plans.close()

    def _agree(self, plans: Sequence[Plan]) -> bool:
        if self._nodes.consent is not None:
            self._answer = self._nodes.consent(plans)
        return bool(self._answer)


def _has_agent(nodes: Sequence[str], snap: Snapshot) -> bool:
    return any(
        u.way == "agent" and u.about.name in nodes and u.reason not in _NO_AGENT
        for u in snap.every(Unreached)
    )
