"""The Pod is being deleted and is within its grace period

## How it happens

A deletion gives every Pod a grace period: its preStop hooks run, then its processes get SIGTERM and may end
in their own time. Only when the time is over the kubelet kills them. Until then there is no fault.

## How to tell

`metadata.deletionTimestamp` lies in the future: it already includes the grace period, so it is the time at
which the kubelet will kill the remaining processes.

## Known limits

The kubelet's clock starts when it sees the deletion; it may end some seconds later than the object says.

## References

- Kubernetes documentation: Pod Lifecycle, Termination of Pods
- staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go (BeforeDelete)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes.deletion._grace import find_due_time, format_clock, is_within_grace, make_period_ref
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    ahead = is_within_grace(pod, snap)
    return Signs(
        decisive={"deletionTimestamp is in the future": ahead},
        finding=lambda: _make_finding(pod, ahead.hits[0], snap),
    )


def _make_finding(pod: Ref, deletion: Deletion, snap: Facts) -> Finding:
    due = find_due_time(deletion)
    until, left = format_clock(due), format_duration(due - snap.now)
    whole = format_duration(timedelta(seconds=deletion.grace)) if deletion.grace else None
    of = say(" of {whole}", whole=whole) if whole else NO_TEXT
    return Finding(
        say("The Pod has until {until} to stop on its own, {left} left{of}", until=until, left=left, of=of),
        culprit=make_period_ref(pod),
        blocks=(pod,),
        help=(
            Step(
                say("wait: at {until} the kubelet kills any remaining process", until=until),
                verify=say("the Pod is deleted within seconds after that"),
            ),
        ),
        do_not=(
            DoNot(
                say("force delete now"),
                say("unfinished writes and handovers of its processes would be lost"),
            ),
        ),
    )


CAUSE = Cause(
    id="deletion.in-grace-period",
    title=say("the Pod is within its grace period"),
    subjects=("Pod",),
    stages=("grace-over",),
    reads=frozenset({Deletion}),
    rule=_rule,
    intended=True,
)
