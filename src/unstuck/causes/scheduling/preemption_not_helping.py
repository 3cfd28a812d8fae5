"""No Node fits the Pod, and the scheduler only says that preemption would not help

## How it happens

A plugin that refuses every Node in advance may give no reason of its own, in an extended or an older
scheduler. Only the part of the message about preemption is left. It names a remedy that would not help, and
never the fault.

## How to tell

The condition reads `0/N nodes are available: preemption: 0/N nodes are available: N Preemption is not helpful
for scheduling`, without a reason between, or `… preemption: not eligible due to preemptionPolicy=Never`. If
the scheduler gives another reason, or the objects show one, that is the cause and this is none: it is never
reported beside another.

## Known limits

It shows only that the true reason is unknown, so it is never more than `likely`; the scheduler's own log has
it, from verbosity 4 on.

## References

- Kubernetes pkg/scheduler/framework/types.go (`FitError.Error`), plugins/defaultpreemption (1.34)
"""

from __future__ import annotations

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._said import find_condition, find_statement_reasons
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    statement = find_condition(pod, snap)
    alone = _alone(pod, snap, statement)
    return Signs(
        applies=alone,
        decisive={"nor do the objects show another reason": _exclude_else(pod, snap)},
        supporting={"the scheduler speaks of preemption and names nothing else": alone},
        finding=lambda: _make_finding(pod, statement.preemption if statement else ""),
    )


def _alone(pod: Ref, snap: Facts, statement: Unschedulable | None) -> Sign[Unschedulable]:
    """Return no if it, or an event of it, gives a reason."""
    reasons = find_statement_reasons(pod, snap, bool)
    if reasons.value:
        return Sign(False, seen=reasons.seen)
    return (
        Sign(bool(statement.preemption), (statement,), (statement,))
        if statement
        else Sign(None, wants=reasons.wants)
    )


def _exclude_else(pod: Ref, snap: Facts) -> Sign[Unschedulable]:
    """Return no if the objects show another reason, open where they were not read or show none; never yes."""
    inputs, at = snap.one(PlacingInputs, _placed.CLUSTER), _placed.find_known_analysis(pod, snap)
    return (
        Sign(False, seen=(inputs,)) if inputs and at and at.blamed else Sign(None, wants=(_placed.OBJECTS,))
    )


def _make_finding(pod: Ref, words: str) -> Finding:
    return Finding(
        say(
            "no node fits the Pod, and the scheduler only says why preemption would not help: {words}",
            words=words,
        ),
        culprit=pod,
        blocks=(pod,),
        help=(
            Step(
                say("read the scheduler's log for this Pod (-v=4 shows the plugin)"),
                command=command("kubectl logs -n kube-system -l component=kube-scheduler --tail=200"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.preemption-not-helping",
    title=say("no node fits the Pod, and the scheduler only says that preemption would not help"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
