"""Asks at the terminal before anything is created on a node: what it would be is said first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unstuck.cli.lang import Lang
from unstuck.diagnosis.text import Text
from unstuck.render.visible import visible
from unstuck.render.words import in_lang

if TYPE_CHECKING:
    from unstuck.api import LeftPod, Plan
    from unstuck.cli.progress import Spinner

WHAT = Text(
    "On {node}, for at most 30 s, a Pod that looks: in Namespace {namespace}, image {image}; capabilities {capabilities}, not privileged,"
    " no token, no host PID or network; from the node {mounts}, read-only. It is deleted afterwards; if unstuck itself is killed, the Pod"
    " ends within 30 s, and the next --probe in this Namespace deletes it, as this one does with what earlier ones left.",
    "将在 {node} 上创建一个用于查看的 Pod，至多 30 秒：Namespace {namespace}，镜像 {image}；"
    "能力 {capabilities}，非特权，无令牌，不用宿主 PID 与网络；节点目录 {mounts}，只读。用后即删；若 unstuck 自身被强行终止，"
    "该 Pod 会在 30 秒内自行结束，由下一次在此 Namespace 中的 --probe 删除；本次也会删除以前遗留的此类 Pod。",
)
OPEN = Text(
    "Whoever may run commands in Pods of Namespace {namespace} has these rights on the node as long as it runs: no policy of the chart that"
    " forbids it was found.",
    "未发现禁止此事的 chart 策略：在它运行期间，凡可在 Namespace {namespace} 的 Pod 中执行命令的人，都拥有它在节点上的上述权限。",
)
LEFT = Text("deleted what a killed unstuck had left: Pod {pod}", "已删除被强行终止的 unstuck 遗留的 Pod {pod}")
KEPT = Text(
    "a killed unstuck has left Pod {pod}, and it cannot be deleted: {why}", "被强行终止的 unstuck 遗留了 Pod {pod}，无法删除：{why}"
)
ASK = Text("Create it? [y/N] ", "创建吗？[y/N] ")
_YES = ("y", "yes", "是", "好")


class TerminalConsent:
    """Says what would be created, once for each node, and asks once, unless --probe has agreed beforehand."""

    def __init__(self, lang: Lang, spinner: Spinner, *, agreed: bool) -> None:
        """Keep the spinner, which is put aside while the question stands."""
        self._lang, self._spinner = lang, spinner
        self._answer = True if agreed else None
        self._told: set[str] = set()

    def __call__(self, plans: Sequence[Plan], /) -> bool:
        """Ask as any `Consent` does."""
        with self._spinner.aside():
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

    def tell_left(self, left: Sequence[LeftPod], /) -> None:
        """Tell what killed clients had left."""
        with self._spinner.aside():
            for one in left:
                words = in_lang(KEPT if one.why else LEFT, self._lang)
                sys.stderr.write(visible(words.format(pod=f"{one.namespace}/{one.name}", why=one.why)) + "\n")
            sys.stderr.flush()

    def _said(self, plan: Plan) -> str:
        said = in_lang(WHAT, self._lang) + ("" if plan.guarded else " " * (self._lang != "zh") + in_lang(OPEN, self._lang))
        return said.format(
            node=plan.node,
            namespace=plan.namespace,
            image=plan.image,
            capabilities=", ".join(plan.capabilities),
            mounts=", ".join(plan.mounts),
        )
