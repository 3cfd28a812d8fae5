"""Every Node that the Pod may choose carries a taint that it does not tolerate

## How it happens

Somebody keeps Nodes for certain Pods by a taint (`dedicated=gpu:NoSchedule`), or a tool taints them until they are ready (a cloud
provider's `uninitialized`, a network plugin's own), and the Pod has no toleration for it. Where Nodes without such a taint are left to the
Pod, this is not the cause: then look at what keeps it from those.

## How to tell

The condition says `node(s) had untolerated taint(s)` (older schedulers name the taint). Held against the objects, every Node that the
Pod's selector and affinity choose carries a taint of somebody's own; the taint is named, with the toleration that lacks.

## Known limits

What was read is of now, the scheduler's words are of its last try: where the two give other reasons, nothing is proven. Filters of a
scheduler that is configured otherwise, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from unstuck.scheduling.found import Found
    from unstuck.scheduling.refused import Refused

_KIND = "taint-not-tolerated"


def _words(text: str) -> bool:
    return "taint" in text and "node.kubernetes.io/" not in text


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, hits: _finding(pod, at, hits), _named)


def _named(text: str) -> bool:
    return _words(text) and "{" in text


def _finding(pod: Ref, at: Found | None, hits: tuple[Refused, ...]) -> Finding:
    taint = hits[0].what if hits else ""
    says = _placed.nodes_of(at, _KIND) + (
        Text(f" carry the taint {taint}, which the Pod does not tolerate", f"带有污点 {taint}，而该 Pod 不容忍它")
        if taint
        else Text(" carry a taint that the Pod does not tolerate", "带有该 Pod 不容忍的污点")
    )
    others = tuple(Text(f"others carry {r.what}", f"另有节点带有 {r.what}") for r in hits[1:4])
    lift = Step(
        Text("or take the taint off a Node that is meant for it (put its name for NODE)", "或去掉目标节点上的该污点（将 NODE 换成节点名）"),
        command=("kubectl", "taint", "node", "NODE", f"{taint}-"),
        risk="reversible",
        undo=("kubectl", "taint", "node", "NODE", taint),
        verify=_placed.PLACED,
    )
    return Finding(
        says,
        culprit=Ref("Taint", None, taint or None),
        blocks=(pod,),
        notes=others,
        help=(Step(_toleration(taint), where="source", verify=_placed.PLACED), *((lift,) if taint else ())),
        do_not=(
            DoNot(
                Text("tolerate everything (operator: Exists without a key)", "容忍一切污点（operator: Exists 而不写 key）"),
                Text("the Pod would also stay on Nodes that are failing", "Pod 也会留在正在失效的节点上"),
            ),
        ),
    )


def _toleration(taint: str) -> Text:
    if not taint:
        return Text("add the toleration that lacks to the owner's template", "在所属工作负载的模板中加上缺少的容忍")
    pair, _, effect = taint.rpartition(":")
    key, _, value = pair.partition("=")
    shown = (
        f"{{key: {key}, operator: Equal, value: {value}, effect: {effect}}}"
        if value
        else f"{{key: {key}, operator: Exists, effect: {effect}}}"
    )
    return Text(
        f"if the Pod is meant for these Nodes, add to its owner's tolerations: {shown}",
        f"若该 Pod 本应在这些节点运行，在其所属模板的 tolerations 中加入：{shown}",
    )


CAUSE = Cause(
    id="scheduling.taint-not-tolerated",
    title=Text("every Node that the Pod may choose carries a taint that it does not tolerate", "Pod 可选的每个节点都带有它不容忍的污点"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
