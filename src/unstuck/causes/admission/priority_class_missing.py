"""The PriorityClass that the Pods name does not exist

## How it happens

The template names a PriorityClass that this cluster does not have: a chart from another cluster, a typing
error, or a class that was removed while its workloads stayed. The API server turns the name into a number
before it accepts a Pod, and refuses.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `no PriorityClass with name NAME was found`. The server's own answer to a GET of it
decides.

## Known limits

Pods that run keep the number that they were given; only new ones are refused, so that a workload may shrink
for days before it is seen.

## References

- Kubernetes documentation: Pod Priority and Preemption
- plugin/pkg/admission/priority/admission.go
"""

from __future__ import annotations

from unstuck.causes.admission._creation import CREATORS, STAGES
from unstuck.causes.admission._named import NAMED, make_missing_object_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_DO_NOT = DoNot(
    say("use a system class (system-cluster-critical) instead"),
    say("these Pods would preempt others, including the cluster's own add-ons, whenever resources are short"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return make_missing_object_signs(subject, snap, "PriorityClass", _DO_NOT)


CAUSE = Cause(
    id="admission.priority-class-missing",
    title=say("the Pods' PriorityClass does not exist"),
    subjects=CREATORS,
    stages=STAGES,
    reads=NAMED,
    rule=_rule,
)
