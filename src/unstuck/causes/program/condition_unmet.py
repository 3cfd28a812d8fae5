"""A condition that a program checks is not met

## How it happens

A kernel is older than a program accepts, two address ranges overlap, a key differs from the one that
encrypted the data, a volume is bound to another claim, a file system lacks a feature, several objects exist
where only one is allowed. The program finds it out by itself and stops there.

## How to tell

The line is written as an error and states the relation: `kernel version 4.14.0 is older than 4.19.57`,
`IPPool(192.168.0.0/16) overlaps host`, `token CA hash does not match the Cluster CA certificate hash`.

## Known limits

Its evidence is the message alone: it is never more than likely. The message does not show which of the two
sides is at fault. If the text has a more specific message, that is reported instead.

## References

- The programs' own words; containerd plugins/snapshots/overlay; Calico node/pkg/lifecycle/startup
"""

from __future__ import annotations

from unstuck.causes._relations import advise_relation
from unstuck.causes.program._plain import NEXT_RUN, make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_EITHER = say("change one of the two sides that it names so that the condition is met")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("condition-unmet",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    reason = one.complaint.reason.rstrip(" .")
    means = say("a condition that the program checks is not met: “{reason}”", reason=reason)
    says = advise_relation(reason) or _EITHER
    return make_finding(pod, one, means, (Step(says, verify=NEXT_RUN),))


CAUSE = Cause(
    id="program.condition-unmet",
    title=say("a condition that a program checks is not met"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
