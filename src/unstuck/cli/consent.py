"""Nothing is created on a node that nobody agreed to: what it would be is said first, and without a yes it is left."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from unstuck.cli.lang import Lang
from unstuck.cli.ways import Way
from unstuck.diagnosis.text import Text
from unstuck.facts.aspects.ways import Unreached
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.cli.ask import ProbeAsked
    from unstuck.cli.progress import Spinner
    from unstuck.collect.kube.probe import ProbeWay
    from unstuck.collect.kube.probe_pod import Plan

WHAT = Text(
    "On {node}, for at most 30 s, a Pod that looks: in Namespace {namespace}, image {image}; capabilities {capabilities}, not privileged,"
    " no token, no host PID or network; from the node {mounts}, read-only. It is deleted again in any case.",
    "将在 {node} 上创建一个用于查看的 Pod，至多 30 秒：命名空间 {namespace}，镜像 {image}；"
    "能力 {capabilities}，非特权，无令牌，不用宿主 PID 与网络；节点目录 {mounts}，只读。无论如何都会删除。",
)
ASK = Text("Create it? [y/N] ", "创建吗？[y/N] ")
_YES = ("y", "yes", "是", "好")
# Without an agent installed nobody knows an image, and nobody is asked about one.
_NO_AGENT = ("absent", "version")


class ProbeOffer:
    """The one-shot Pod, once it is agreed to: by --probe, or by a yes on the terminal, which is asked for once.

    asked: what the command line says. spinner: put aside while the question stands.
    """

    name = "probe"

    def __init__(self, plans: ProbeWay, way: Way, asked: ProbeAsked, lang: Lang) -> None:
        """plans: what says beforehand what would be made; way: the same, as it is gone."""
        self._plans, self._way, self._asked, self._lang = plans, way, asked, lang
        self.spinner: Spinner | None = None
        self._answer = True if asked.agreed else None
        self._told: set[str] = set()

    def agreed(self, nodes: Sequence[str], snap: Snapshot) -> tuple[list[str], list[Unreached]]:
        """As for any `Offer`."""
        if self._answer is False or (self._answer is None and self._asked.image is None and not _agent_installed(nodes, snap)):
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
            # A doubt about a Pod that nobody asked for is nothing to tell.
            refused = []
        if plans and not self._agree(plans):
            src = [Source(f"node:{p.node}") for p in plans]
            why = [
                Unreached(about=Ref("Node", None, p.node), src=s, way="probe", why="not-asked", reason="not-agreed")
                for p, s in zip(plans, src, strict=True)
            ]
            return [], [*refused, *why]
        return [p.node for p in plans], refused

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """As for any way."""
        return self._way.look(node, pod, deadline, since)

    def close(self) -> None:
        """As for any way."""
        self._plans.close()

    def _agree(self, plans: Sequence[Plan]) -> bool:
        with self.spinner.aside() if self.spinner else nullcontext():
            for plan in plans:
                if plan.node not in self._told:
                    sys.stderr.write(visible(self._said(plan)) + "\n")
                    self._told.add(plan.node)
            if self._answer is None:
                sys.stderr.write(in_lang(ASK, self._lang))
                sys.stderr.flush()
                self._answer = sys.stdin.readline().strip().lower() in _YES
            sys.stderr.flush()
        return self._answer

    def _said(self, plan: Plan) -> str:
        return in_lang(WHAT, self._lang).format(
            node=plan.node,
            namespace=plan.namespace,
            image=plan.image,
            capabilities=", ".join(plan.capabilities),
            mounts=", ".join(plan.mounts),
        )


def _agent_installed(nodes: Sequence[str], snap: Snapshot) -> bool:
    return any(u.way == "agent" and u.about.name in nodes and u.reason not in _NO_AGENT for u in snap.every(Unreached))
