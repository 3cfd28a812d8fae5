"""A configured limit is reached

## How it happens

A node group is at its maximum size, a pool of machines at its limit of processors, a tenant at its quota: the
maximum is configured, and the program that would exceed it stops there.

## How to tell

The line is written as an error and names the limit: `all available instance types exceed limits for nodepool:
"default"`, `max node group size reached`.

## Known limits

Its evidence is the message alone: it is never more than likely. Limits of time, of tries and of a rate are
not covered, nor those of a cloud account (program.cloud-limit-reached) or a ResourceQuota
(admission.quota-exceeded).

## References

- karpenter pkg/controllers/provisioning/scheduling; cluster-autoscaler core/scaleup/orchestrator
"""

from __future__ import annotations

from unstuck.causes.program._plain import NEXT_RUN, make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("limit-reached",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    means = say("a configured limit is reached: “{reason}”", reason=one.complaint.reason.rstrip(" ."))
    step = Step(
        say(
            "raise that limit where it is set, if there may be more, or free what counts against it and is "
            "no longer needed"
        ),
        verify=NEXT_RUN,
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.limit-reached",
    title=say("a configured limit is reached"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
