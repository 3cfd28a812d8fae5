"""A PodDisruptionBudget requires more Pods than its workload has

## How it happens

`minAvailable` was written for more replicas than the workload has now: it was scaled down, its autoscaler has
a smaller minimum, or the budget was copied from a larger environment. Each Pod is healthy, and still there
are fewer than the budget requires: it never allows an eviction, and each drain of a node waits for it.

## How to tell

The status of the budget has more Pods in `desiredHealthy` than in `expectedPods`, and all of these are
healthy.

## Known limits

A budget by percentage, or by `maxUnavailable`, can never require more Pods than exist. Unhealthy Pods come
first. `minAvailable` of exactly the number of Pods allows no eviction either, and may be intended.

## References

- Kubernetes pkg/controller/disruption/disruption.go (getExpectedPodCount); policy/v1
"""

from __future__ import annotations

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import asking
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.disruption import DisruptionBudget
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _check(budget: Ref, snap: Facts) -> Sign[Misfit]:
    return some(
        snap,
        DisruptionBudget,
        budget,
        lambda f: [_make_misfit(budget, f)] if 0 < f.expected <= f.healthy and f.desired > f.expected else [],
    )


def _make_misfit(budget: Ref, f: DisruptionBudget) -> Misfit:
    return Misfit(
        of=budget,
        field="spec.minAvailable",
        says=say(
            "{budget} requires {desired} healthy Pods ({bound}), and it counts {expected}, all of them "
            "healthy: it never allows an eviction",
            budget=who(budget),
            desired=f.desired,
            bound=f.bound or "minAvailable",
            expected=f.expected,
        ),
        help=(
            Step(
                say(
                    "lower minAvailable below {expected}, or use maxUnavailable: 1, which goes "
                    "with the number of replicas",
                    expected=f.expected,
                ),
                where="source",
                verify=say("the budget allows an eviction"),
            ),
            Step(say("check what it counts"), command=asking.describe(budget)),
        ),
        do_not=(
            DoNot(
                say("delete its Pods by hand to get a drain done"),
                say("a deletion does not ask the budget, and what it guards may go down"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "it requires more Pods than it counts, and all of these are healthy",
        "allowed",
        ("PodDisruptionBudget",),
        _check,
        frozenset({DisruptionBudget}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.budget-above-scale",
    title=say("a PodDisruptionBudget requires more Pods than its workload has"),
    subjects=("PodDisruptionBudget",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
