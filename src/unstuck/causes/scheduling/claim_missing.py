"""The Pod references a ResourceClaim that does not exist, so it is not even tried

## How it happens

`spec.resourceClaims` names a missing ResourceClaim, or a template from which none was made: the claim is in
another Namespace, was deleted, or the controller that makes claims from templates does not run or is refused.

## How to tell

No message reports it: the scheduler holds the Pod back without an Event and without a condition. A comparison
with all ResourceClaims shows that the Pod's is missing.

## Known limits

Without the right to list ResourceClaims the answer stays open. A claim that cannot be allocated is
`scheduling.dynamic-resource-unavailable`.

## References

- Kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (`PreEnqueue`, 1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Messages, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.rejections import NodeRejection


def _rule(pod: Ref, snap: Facts) -> Signs:
    lacking = _placed.find_rejections(pod, snap, lambda r: r.kind == "claim-missing")
    return Signs(
        applies=some(snap, Demands, pod, lambda f: f.claims or ()),
        decisive={"no ResourceClaim with that name exists": lacking},
        finding=lambda: _make_finding(pod, snap, lacking.hits),
    )


def _make_finding(pod: Ref, snap: Facts, hits: tuple[NodeRejection, ...]) -> Finding:
    at = _placed.find_known_analysis(pod, snap)
    uses = at.pod.shape.spec.resource_claims if at else ()
    there = at.cluster.resource_claims if at else {}
    use = next((u for u in uses if not u.needless and (pod.within or "", u.claim) not in there), None)
    made = use is not None and bool(use.template)
    name = (use.claim or use.template) if use else ""
    if made:
        says = say("no ResourceClaim was created from template {name}", name=name)
    else:
        says = say("ResourceClaim {name} does not exist", name=name)
    make = say("create ResourceClaim {name} in the Pod's Namespace, or use an existing one", name=name)
    if made:
        make = say(
            (
                "check that template {name} exists and that kube-controller-manager, which creates the "
                "ResourceClaim, is running"
            ),
            name=name,
        )
    return Finding(
        says,
        culprit=Ref("ResourceClaimTemplate" if made else "ResourceClaim", pod.within, name or None),
        blocks=(pod,),
        notes=tuple(same_in_both(r.reason.message) for r in hits[:1]),
        help=(Step(make, where="source", verify=_placed.PLACED),),
        do_not=(
            DoNot(
                say("wait for an Event"),
                say("no Event is written for this, however long the Pod waits"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.claim-missing",
    title=say("the Pod references a ResourceClaim that does not exist"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Demands},
    rule=_rule,
)
