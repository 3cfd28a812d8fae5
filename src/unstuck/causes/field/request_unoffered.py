"""A Pod requests more of a resource than any Node has, which the scheduler has not reported yet

## How it happens

The scheduler stops at the first obstacle that excludes every Node: an unbound PVC, a volume of another zone,
a taint. It does not report the next one: hugepages that no Node has reserved, a GPU that no plugin offers,
more memory than the largest Node has.

## How to tell

The Pod is not scheduled, the scheduler's last message does not mention the resource, and of all Nodes, each
of which was read, none offers the requested amount in total.

## Known limits

The usage of other Pods is not counted, so that a request that would fit an empty Node is not reported. An
autoscaler may add a larger Node.

## References

- Kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go; pkg/scheduler/schedule_one.go
  (findNodesThatFitPod)
"""

from __future__ import annotations

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.scheduling._insufficient import name_resource, offers
from unstuck.causes.scheduling._said import find_condition, find_shapes
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.cluster import NodeNames, NodeShape, Unschedulable
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Demands
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_amount

say = Messages(__name__)

_CPU = "cpu"


def _check(pod: Ref, snap: Facts) -> Sign[Misfit]:
    said = find_condition(pod, snap)
    if said is None:
        # The Pod's own condition gives the reason first.
        return Sign(None)
    told = {name_resource(text) for text, _ in said.reasons}
    asked = some(snap, Demands, pod, lambda f: [(r, n) for r, n in f.requests if n > 0 and r not in told])
    if not asked.value:
        return Sign(asked.value, seen=asked.seen, wants=asked.wants)
    every = find_shapes(snap)
    if every.value is None:
        return Sign(None, seen=every.seen, wants=every.wants)
    hits = tuple(
        _find_misfit(pod, r, n, every.hits)
        for r, n in asked.hits
        if every.hits and all(offers(s, r) < n for s in every.hits)
    )
    return Sign(bool(hits), hits, unique((*asked.seen, *every.seen)))


def _find_misfit(pod: Ref, resource: str, amount: int, nodes: tuple[NodeShape, ...]) -> Misfit:
    most = max(nodes, key=lambda n: (offers(n, resource), n.about.name or ""))
    what = format_amount(resource, amount)
    offered: Text = (
        say(
            "the most that one has is {most} ({node})",
            most=format_amount(resource, offers(most, resource)),
            node=most.about.name,
        )
        if offers(most, resource)
        else say("none of the {n} Nodes has any", n=len(nodes))
    )
    return Misfit(
        of=pod,
        field=f"resources.requests[{resource}]",
        says=say(
            (
                "the Pod requests {what}, more than any Node offers: {offered}; the scheduler has not come "
                "to that yet"
            ),
            what=what,
            offered=offered,
        ),
        help=(
            Step(
                say(
                    "lower the request for {resource}, or add a Node that offers {what}",
                    resource=resource,
                    what=what,
                ),
                where="source",
                verify=say("the scheduler places it, once nothing else keeps it"),
            ),
            Step(
                say("see which Nodes offer it, and how much"),
                command=command(
                    (
                        "kubectl get nodes -o "
                        "custom-columns=NAME:.metadata.name,OFFERS:.status.allocatable.{field}"
                    ),
                    field=given.field(resource),
                ),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a request is larger than what any Node offers",
        "offered",
        ("Pod",),
        _check,
        frozenset({Demands, NodeNames, NodeShape, Unschedulable, Conditions}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.request-unoffered",
    title=say(
        "a Pod requests more of a resource than any Node has, which the scheduler has not reported yet"
    ),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
