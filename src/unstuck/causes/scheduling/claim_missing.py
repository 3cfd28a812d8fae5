"""A ResourceClaim that the Pod names does not exist, so that it is not even tried

## How it happens

`spec.resourceClaims` names a ResourceClaim that is not there, or a template of which none was made: the claim is in another Namespace, was
deleted, or the controller that makes claims from templates does not run or is refused.

## How to tell

Nothing tells it: the scheduler holds the Pod back without an Event and without a condition. Held against all ResourceClaims, the one that
the Pod names is not there.

## Known limits

While the ResourceClaims may not be listed the answer is open. A claim that cannot be allocated is told by
`scheduling.dynamic-resource-unavailable`.

## References

- Kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (`PreEnqueue`, 1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

if TYPE_CHECKING:
    from unstuck.scheduling.refused import NodeRejection


def _rule(pod: Ref, snap: Facts) -> Signs:
    lacking = _placed.blamed(pod, snap, lambda r: r.kind == "claim-missing")
    return Signs(
        applies=some(snap, Demands, pod, lambda f: f.claims or ()),
        decisive={"no ResourceClaim of that name is there": lacking},
        finding=lambda: _finding(pod, snap, lacking.hits),
    )


def _finding(pod: Ref, snap: Facts, hits: tuple[NodeRejection, ...]) -> Finding:
    at = _placed.found_of(pod, snap)
    uses = at.pod.shape.spec.resource_claims if at else ()
    there = at.cluster.resource_claims if at else {}
    use = next((u for u in uses if not u.needless and (pod.within or "", u.claim) not in there), None)
    made = use is not None and bool(use.template)
    name = (use.claim or use.template) if use else ""
    if made:
        says = Text(f"no ResourceClaim was created from template {name}", f"没有由模板 {name} 生成的 ResourceClaim")
    else:
        says = Text(f"ResourceClaim {name} does not exist", f"ResourceClaim {name} 不存在")
    make = Text(
        f"create ResourceClaim {name} in the Pod's Namespace, or use an existing one",
        f"在该 Pod 的 Namespace 中创建 ResourceClaim {name}，或改用已有的",
    )
    if made:
        make = Text(
            f"check that template {name} exists and that kube-controller-manager, which creates the ResourceClaim, is running",
            f"查看模板 {name} 是否存在、负责生成 ResourceClaim 的 kube-controller-manager 是否在运行",
        )
    return Finding(
        says,
        culprit=Ref("ResourceClaimTemplate" if made else "ResourceClaim", pod.within, name or None),
        blocks=(pod,),
        notes=tuple(Text(r.reason.message, r.reason.message) for r in hits[:1]),
        help=(Step(make, where="source", verify=_placed.PLACED),),
        do_not=(
            DoNot(
                Text("wait for an Event", "等待 Event"),
                Text("no Event is written for this, however long the Pod waits", "无论 Pod 等多久，都不会有 Event"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.claim-missing",
    title=Text("the Pod references a ResourceClaim that does not exist", "Pod 引用的 ResourceClaim 不存在"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Demands},
    rule=_rule,
)
