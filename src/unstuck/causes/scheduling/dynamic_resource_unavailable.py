"""The devices that the Pod claims cannot be allocated on any Node that it could otherwise use

## How it happens

A ResourceClaim asks for devices by a DeviceClass. No driver publishes such devices (ResourceSlices) where the
Pod may run, all are taken, the class does not exist, or the claim is allocated already to a Node that the Pod
cannot use.

## How to tell

The condition says `cannot allocate all claims`, `resourceclaim not available on the node`, or names the
request and its fault. Compared with the claims, classes and slices, the nearest Nodes have no other obstacle.
If selectors in CEL decide, this is left open: the claim's request and the devices' attributes are reported
side by side.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.facts.aspects.placing_terms import Pairs
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_SHOWN = 4
_KIND = "dynamic-resource-unavailable"


def _words(text: str) -> bool:
    return "allocate all claims" in text or "resourceclaim" in text.lower() or "device class" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit, notes = _details(pod, at)
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" cannot provide the devices the Pod requests{what}", what=what),
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("see which devices the drivers publish, and what uses them"),
                command=command("kubectl get resourceslices,deviceclasses,resourceclaims -A"),
                verify=_placed.PLACED,
            ),
            Step(
                say(
                    "then request what one of the devices has, restore the driver, correct the class in the "
                    "ResourceClaim, or release an unused ResourceClaim"
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("edit the status of another Pod's ResourceClaim"),
                say("two Pods would then use one device"),
            ),
        ),
    )


def _details(pod: Ref, at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    claims = [c.claim or c.template for c in at.pod.shape.spec.resource_claims] if at else []
    words = tuple(same_in_both(r.reason.message) for r in at.everywhere) if at else ()
    shown = ", ".join(claims)
    compared = _compare(pod, claims, at) if at else ()
    return (
        (f" ({shown})" if shown else ""),
        Ref("ResourceClaim", pod.within, claims[0] if claims else None),
        (*compared, *words),
    )


def _compare(pod: Ref, claims: list[str], at: PlacementAnalysis) -> tuple[Text, ...]:
    """Return the claims' requests beside the devices' attributes, for a person to compare: CEL is not
    evaluated.
    """
    inputs = at.cluster.inputs
    asked = [
        r
        for c in inputs.resource_claims
        if c.namespace == pod.within and c.name in claims
        for r in c.requests
        if r.selectors
    ]
    offered = [
        (device, s.node or s.pool, traits) for s in inputs.slices for device, traits in s.traits if traits
    ]
    if not asked or not offered:
        return ()
    wanted = tuple(
        say("request {name} takes a device for which {term}", name=r.name, term=" && ".join(r.selectors))
        for r in asked
    )
    shown = "; ".join(f"{device} ({place}): {_show(traits)}" for device, place, traits in offered[:_SHOWN])
    more = say(" and {count} more", count=len(offered) - _SHOWN) if len(offered) > _SHOWN else NO_TEXT
    return (*wanted, say("offered are {shown}", shown=shown) + more)


def _show(traits: Pairs) -> str:
    return ", ".join(f"{name} {value}" for name, value in traits[:_SHOWN])


CAUSE = Cause(
    id="scheduling.dynamic-resource-unavailable",
    title=say("the Pod's devices cannot be allocated on any remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
