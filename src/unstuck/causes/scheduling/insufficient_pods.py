"""Every Node holds as many Pods as it may

## How it happens

Each kubelet takes a limited number of Pods (`maxPods`, by default 110; on some clouds fewer, by the addresses of the machine's size).
Finished Pods do not count, terminating ones do.

## How to tell

The Pod's condition PodScheduled names the reason with the number of Nodes, `Too many pods`. It is proven where the request
exceeds what every Node offers that the statement does not exclude for another reason, or where the scheduler says it of every Node and
said so lately. The sentence after `preemption:` repeats the first and is no second cause.

## Known limits

The requests of the other Pods on each Node are not summed here: the scheduler is the authority on what is free, and its words may be older
than the last change; then the answer is `likely`. With an event alone, which is cut, it is `likely` too. Whether taints are tolerated is
taken from the scheduler's count.

## References

- Kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (1.34), `PodRequests` in k8s.io/component-helpers/resource
"""

from __future__ import annotations

from unstuck.causes.scheduling._insufficient import READS, insufficient
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    return insufficient(pod, snap, lambda r: r == "pods")


CAUSE = Cause(
    id="scheduling.insufficient-pods",
    title=Text("every Node holds as many Pods as it may", "节点上的 Pod 数已达上限"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS,
    rule=_rule,
)
