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
    " no token, no host PID or network; from the node {mounts}, read-only. It is deleted afterwards; if unstuck itself is killed, the Pod"
    " ends within 30 s, and the next --probe in this Namespace deletes it, as this one does with what earlier ones left.",
    "将在 {node} 上创建一个用于查看的 Pod，至多 30 秒：命名空间 {namespace}，镜像 {image}；"
    "能力 {capabilities}，非特权，无令牌，不用宿主 PID 与网络；节点目录 {mounts}，只读。用后即删；若 unstuck 自身被强行终止，"
    "该 Pod 会在 30 秒内自行结束，由下一次在此命名空间中的 --probe 删除；本次也会删除以前遗留的此类 Pod。",
)
OPEN = Text(
    "Whoever may run commands in Pods of Namespace {namespace} has these rights on the node as long as it runs: no policy of the chart that"
    " forbids it was found.",
    "未发现禁止此事的 chart 策略：在它运行期间，凡可在命名空间 {namespace} 的 Pod 中执行命令的人，都拥有它在节点上的上述权限。",
)
LEFT = Text("deleted what a killed unstuck had left: Pod {pod}", "已删除被强行终止的 unstuck 遗留的 Pod {pod}")
KEPT = Text(
    "a killed unstuck has left Pod {pod}, and it cannot be deleted: {why}", "被强行终止的 unstuck 遗留了 Pod {pod}，无法删除：{why}"
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
        """As for any way. What killed clients had left there is told on stderr."""
        facts = self._way.look(node, pod, deadline, since)
        left = self._plans.left()
        if left:
            with self.spinner.aside() if self.spinner else nullcontext():
                for one in left:
                    words = in_lang(KEPT if one.why else LEFT, self._lang)
                    sys.stderr.write(visible(words.format(pod=f"{one.namespace}/{one.name}", why=one.why)) + "\n")
                sys.stderr.flush()
        return facts

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
        said = in_lang(WHAT, self._lang) + ("" if plan.guarded else " " * (self._lang != "zh") + in_lang(OPEN, self._lang))
        return said.format(
            node=plan.node,
            namespace=plan.namespace,
            image=plan.image,
            capabilities=", ".join(plan.capabilities),
            mounts=", ".join(plan.mounts),
        )


def _agent_installed(nodes: Sequence[str], snap: Snapshot) -> bool:
    return any(u.way == "agent" and u.about.name in nodes and u.reason not in _NO_AGENT for u in snap.every(Unreached))
