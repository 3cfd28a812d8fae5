"""A Pod cannot be evicted from a cordoned Node: its PodDisruptionBudget allows none

## How it happens

A drain cordons a Node and asks for the eviction of each of its Pods; a Pod whose budget allows no disruption stays, and the drain asks
again for ever. One Pod of the set is not Ready and uses up the budget, or the budget asks for all Pods that there are (one replica with
`minAvailable: 1`, `maxUnavailable: 0`), so that none can ever go. A Pod that more than one budget selects can never be evicted, whatever
these allow. Nothing is written down of it: no event, no condition, no
deletionTimestamp.

## How to tell

The Node is cordoned (`spec.unschedulable`). A Pod on it is selected by a PodDisruptionBudget with `status.disruptionsAllowed: 0`, and is
none that a drain leaves (finished, of a DaemonSet, a mirror). Who drains reads `Cannot evict pod as it would violate the pod's disruption
budget`.

## Known limits

That the Node is cordoned does not tell that somebody drains it: what is proven is that this Pod would not be evicted now.
A budget allows none for a moment whenever one of its Pods has moved, so that the Node is called stuck only after a minute of it, and at
once where it can never allow any. From what
`kubectl drain` prints alone it is likely: which budget it is, and why, the budgets tell.

## References

- Kubernetes documentation: Safely Drain a Node, Specifying a Disruption Budget; KEP-3017
- pkg/registry/core/pod/storage/eviction.go
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import heard, some
from unstuck.diagnosis.text import Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.disruption import Evictions, Guarded
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_ALLOWS = Text("`kubectl get pdb` shows ALLOWED DISRUPTIONS above 0", "`kubectl get pdb` 的 ALLOWED DISRUPTIONS 大于 0")
_PAST_IT = DoNot(
    Text("delete the Pod, or drain with --disable-eviction", "直接删除该 Pod，或用 --disable-eviction 排空"),
    Text(
        "deletion bypasses the budget: the protected service or quorum may be lost",
        "删除会绕过该预算：它所保护的服务或法定多数可能丢失",
    ),
)


def _rule(node: Ref, snap: Facts) -> Signs:
    held = some(snap, Evictions, node, lambda f: f.items)
    said = heard(snap, Failure, node, lambda f: [f] if f.operation == "evict" and f.error == "budget-blocked" else [])
    return Signs(
        applies=some(snap, NodeShape, node, lambda f: ["cordoned"] if f.cordoned else []),
        decisive={"a Pod on it has a budget that allows no disruption": held},
        supporting={"who drains it is told so": said},
        finding=lambda: _finding(node, held.hits) if held.hits else _told(node, said.hits),
    )


def _told(node: Ref, said: tuple[Failure, ...]) -> Finding:
    """Return the finding where the budgets were not seen."""
    pods = tuple(dict.fromkeys(f.object for f in said if f.object))
    first = pods[0] if pods else Ref("Pod")
    others = ", ".join(who(p) for p in pods[1:5])
    return Finding(
        Text(
            f"{who(first)} cannot be evicted from {who(node)}: a PodDisruptionBudget allows no disruption now",
            f"{who(first)} 无法从 {who(node)} 驱逐：某个 PodDisruptionBudget 目前不允许任何中断",
        ),
        culprit=first,
        blocks=(node, *pods),
        notes=(Text(f"also: {others}", f"同样无法驱逐：{others}"),) if others else (),
        help=(
            Step(
                Text(
                    "see which budget selects it: if fewer Pods are healthy than it requires, one of them is not Ready; make "
                    "that one Ready",
                    "查看是哪个预算选中了它：若健康 Pod 数少于其要求，则同组中有 Pod 未就绪；使其恢复就绪",
                ),
                command=command("kubectl get pdb {space}", space=given.space(first)) if first.within else command("kubectl get pdb -A"),
                verify=_ALLOWS,
            ),
            Step(
                Text(
                    "if it requires every Pod, add one replica while the node is drained, or ask its owner to allow one disruption",
                    "若它要求所有 Pod 都在，则在排空期间增加一个副本，或由其所有者允许一次中断",
                ),
                where="source",
            ),
        ),
        do_not=(_PAST_IT,),
    )


def _finding(node: Ref, held: tuple[Guarded, ...]) -> Finding:
    several = next((g for g in held if g.besides), None)
    if several is not None:
        return _of_several(node, several, held)
    first = held[0]
    budget = who(first.budget)
    unready = next(iter(first.unready), None)
    pods = tuple(dict.fromkeys(g.pod for g in held))
    counts = Text(
        f"{budget} requires {first.desired} healthy, has {first.healthy} of {first.expected}",
        f"{budget} 要求健康数 {first.desired}，现有 {first.healthy}，共 {first.expected} 个",
    )
    why: tuple[Text, ...] = (counts,)
    if unready:
        why += (Text(f"{who(unready)} counts towards it and is not Ready", f"{who(unready)} 计入其中但未就绪"),)
    elif first.every:
        why += (Text("it requires every Pod, so none can ever be evicted", "它要求所有 Pod 都健康，因此永远无法驱逐任何一个"),)
    if len(pods) > 1:
        others = ", ".join(who(p) for p in pods[1:5])
        why += (Text(f"also: {others}", f"同样无法驱逐：{others}"),)
    return Finding(
        Text(
            f"{who(node)} is cordoned, and {who(first.pod)} cannot be evicted from it: {budget} allows no disruption now",
            f"{who(node)} 已被封锁，而 {who(first.pod)} 无法从中驱逐：{budget} 目前不允许任何中断",
        ),
        culprit=unready or first.budget,
        blocks=(node, *pods),
        notes=why,
        help=(_repair(unready) if unready else _room(first),),
        do_not=(_PAST_IT,),
    )


def _of_several(node: Ref, first: Guarded, held: tuple[Guarded, ...]) -> Finding:
    """Return the finding of a Pod that more than one budget selects: neither more replicas nor healthy ones help."""
    budgets = (first.budget, *first.besides)
    names, pod = ", ".join(b.name or "?" for b in budgets), who(first.pod)
    return Finding(
        Text(
            f"{who(node)} is cordoned, and {pod} cannot be evicted from it: {len(budgets)} PodDisruptionBudgets select it ({names})",
            f"{who(node)} 已被封锁，而 {pod} 无法从中驱逐：有 {len(budgets)} 个 PodDisruptionBudget 选中它（{names}）",
        ),
        culprit=first.budget,
        blocks=(node, *dict.fromkeys(g.pod for g in held)),
        notes=(
            Text(
                "the eviction subresource supports one budget for a Pod, and refuses whatever each of them allows",
                "eviction 子资源只支持每个 Pod 一个预算，因此无论各预算允许多少都会拒绝",
            ),
        ),
        help=(
            Step(
                Text(
                    "narrow the selectors until one budget alone selects the Pod, or merge them; in their source",
                    "在来源中收窄选择器，使只有一个预算选中该 Pod，或将它们合并",
                ),
                where="source",
                command=command("kubectl get pdb {space}", space=given.space(first.budget)),
                verify=Text("the drain's next try evicts the Pod", "排空的下一次重试会驱逐该 Pod"),
            ),
        ),
        do_not=(_PAST_IT,),
    )


def _repair(unready: Ref) -> Step:
    return Step(
        Text(f"make {who(unready)} Ready; the drain continues automatically", f"使 {who(unready)} 恢复就绪；排空会自动继续"),
        command=command("unstuck why {pod} {space}", pod=given.of(unready), space=given.space(unready)),
        verify=_ALLOWS,
    )


def _room(held: Guarded) -> Step:
    return Step(
        Text(
            "add one replica while the node is drained, or ask its owner to allow one disruption",
            "在排空期间为其增加一个副本，或由其所有者允许一次中断",
        ),
        where="source",
        command=command("kubectl describe {budget} {space}", budget=given.obj("pdb", held.budget.name), space=given.space(held.budget)),
        verify=_ALLOWS,
    )


CAUSE = Cause(
    id="deletion.eviction-blocked",
    title=Text("a PodDisruptionBudget allows no eviction", "PodDisruptionBudget 不允许驱逐"),
    subjects=("Node",),
    stages=(),
    reads=frozenset({NodeShape, Evictions, Failure}),
    rule=_rule,
)
