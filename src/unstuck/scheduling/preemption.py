"""Preemption's result for a Pod that fits nowhere: the Nodes where removing Pods of lower priority makes
room, and the reasons against the other Nodes.

Sources (1.34): plugins/defaultpreemption/default_preemption.go (`SelectVictimsOnNode`,
`PodEligibleToPreemptOthers`), framework/preemption/preemption.go (`Preempt`, `DryRunPreemption`),
plugins/dynamicresources (`PostFilter`).

PodDisruptionBudgets only rank victims and never forbid one, so they are ignored here. The choice of Node and
victims is not predicted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from unstuck.scheduling.cluster import ClusterView, NodeState, Pod, ShapeOfPods, port_key
from unstuck.scheduling.decide import Decision, explain_without
from unstuck.scheduling.reason import Reason

NEVER = "not eligible due to preemptionPolicy=Never."
WAITING = "not eligible due to a terminating pod on the nominated node."
NO_VICTIMS = Reason("DefaultPreemption", "No preemption victims found for incoming pod")
_UNHELPFUL = "Preemption is not helpful for scheduling"
_NO_CLAIMS = "no new claims to deallocate"
# The scheduler tries every Node with Pods of lower priority; each Node costs as much here as deciding the
# Pod.
MOST_TRIED = 200


@dataclass(frozen=True, slots=True)
class Preemption:
    """The result of preemption.

    opens: Nodes where the Pod fits without the Pods of lower priority. refused: the remaining rejections, by
    Node. unhelpful: the number of Nodes with a rejection that removing Pods cannot lift. barred: the reason
    against any preemption by the Pod. untried: Nodes left out for their number.
    """

    nodes: int
    opens: tuple[str, ...] = ()
    refused: Mapping[str, tuple[Reason, ...]] | None = None
    unhelpful: int = 0
    barred: str = ""
    untried: int = 0

    @property
    def message(self) -> str:
        """The scheduler's message; "" if it preempts, or if not every Node was tried."""
        if self.barred:
            return f"preemption: {self.barred}"
        reasons = [rs for rs in (self.refused or {}).values() if rs]
        if self.opens or self.untried or any(r.outcome in ("unknown", "error") for rs in reasons for r in rs):
            return ""
        counted = Counter(r.message for rs in reasons for r in rs)
        if self.unhelpful:
            counted[_UNHELPFUL] += self.unhelpful
        return (
            f"preemption: 0/{self.nodes} nodes are available: "
            f"{', '.join(sorted(f'{n} {text}' for text, n in counted.items()))}."
        )


def preemption(pod: Pod, cluster: ClusterView, decision: Decision) -> Preemption | None:
    """Return the result of preemption, None if it does not run: the Pod fits, is not tried, or a deciding
    fact is unknown.

    It does not run for a Pod with resource claims either: the claims' plugin acts first and may end the
    attempt.
    """
    if (
        pod.shape.spec.resource_claims
        or decision.fits
        or decision.held
        or decision.stopped
        or decision.undecided
        or not decision.nodes
    ):
        return None
    if decision.rejected and decision.rejected.outcome != "unschedulable":
        return (
            None
            if decision.rejected.outcome == "unknown"
            else Preemption(decision.nodes, unhelpful=decision.nodes)
        )
    if barred := _barrier(pod, cluster, decision):
        return Preemption(decision.nodes, barred=barred)
    hopeful = [n for n in cluster.nodes if decision.rejected or _is_resolvable(decision.refused.get(n, ()))]
    with_lesser = [
        n
        for n in hopeful
        if any(p.shape.spec.priority < pod.shape.spec.priority for p in cluster.nodes[n].placed)
    ]
    tried, left_out = with_lesser[:MOST_TRIED], frozenset(with_lesser[MOST_TRIED:])
    try_ = explain_without(pod, cluster)
    found: dict[str, tuple[Reason, ...]] = {name: (NO_VICTIMS,) for name in hopeful if name not in left_out}
    found |= {name: _list_reasons_without_lesser(pod, cluster.nodes[name], try_) for name in tried}
    return Preemption(
        decision.nodes,
        tuple(name for name, reasons in found.items() if not reasons),
        {name: reasons for name, reasons in found.items() if reasons},
        decision.nodes - len(hopeful),
        untried=len(left_out),
    )


def whole_message(pod: Pod, cluster: ClusterView, decision: Decision) -> str:
    """Return the condition's complete message; "" if a part of it is unknown.

    The claims' plugin comes first: for a Pod without claims its message is constant; for a Pod with claims it
    depends on more than objects, and if the Pod was rejected before the plugin ran, the plugin fails and its
    error ends the message.
    """
    said = decision.message
    if not said or not decision.nodes:
        return said
    if decision.rejected and decision.rejected.outcome == "unresolvable":
        return "" if decision.rejected.plugin == "DynamicResources" else f"{said} not found"
    found = preemption(pod, cluster, decision)
    if found is None or not found.message:
        return ""
    return f"{said} {_NO_CLAIMS}, {found.message}"


def _barrier(pod: Pod, cluster: ClusterView, decision: Decision) -> str:
    spec = pod.shape.spec
    if not spec.preempts:
        return NEVER
    node = cluster.nodes.get(pod.nominated)
    if node is None or any(r.outcome == "unresolvable" for r in decision.refused.get(pod.nominated, ())):
        return ""
    leaving = any(p.shape.spec.preempted and p.shape.spec.priority < spec.priority for p in node.placed)
    return WAITING if leaving else ""


def _is_resolvable(reasons: tuple[Reason, ...]) -> bool:
    return bool(reasons) and all(r.outcome == "unschedulable" for r in reasons)


def _list_reasons_without_lesser(
    pod: Pod, node: NodeState, try_: Callable[[NodeState, tuple[ShapeOfPods, ...]], tuple[Reason, ...]]
) -> tuple[Reason, ...]:
    """Return the reasons against the Pod on the Node without its Pods of lower priority; () if it then
    fits.
    """
    kept = tuple(p for p in node.placed if p.shape.spec.priority >= pod.shape.spec.priority)
    lesser = tuple(p.shape for p in node.placed if p not in kept for _ in range(p.count))
    gone = {port_key(port) for p in node.placed if p not in kept for port in p.shape.spec.ports}
    left = NodeState.of(node.spec, kept)
    # As in the scheduler, a port is free once one of its users is gone, even if two were bound to it.
    left = replace(left, ports=left.ports - gone)
    return try_(left, lesser)
