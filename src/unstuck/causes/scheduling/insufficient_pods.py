"""Every Node has reached its Pod limit

## How it happens

Each kubelet takes a limited number of Pods (`maxPods`, by default 110; on some clouds fewer, by the addresses
of the machine's size). Finished Pods do not count, terminating ones do.

## How to tell

The Pod's condition PodScheduled names the reason with the number of Nodes, `Too many pods`. It is proven if,
counted from the objects of all Nodes and Pods, the nearest Nodes lack exactly this and the scheduler gives
the same reasons; or if the request exceeds the capacity of every Node that the statement does not exclude for
another reason. The sentence after `preemption:` repeats the first and is no second cause.

## Known limits

Where the Nodes or Pods of the cluster may not be listed, the scheduler's words are all there is, and they may
be older than the last change; then the answer is `likely`, and whether taints are tolerated is taken from the
scheduler's count. With an event alone, which is cut, it is `likely` too.

## References

- Kubernetes pkg/scheduler/framework/plugins/noderesources/fit.go (1.34), `PodRequests` in
  k8s.io/component-helpers/resource
"""

from __future__ import annotations

from unstuck.causes.scheduling._insufficient import READS, make_insufficient_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_insufficient_signs(pod, snap, lambda r: r == "pods")


CAUSE = Cause(
    id="scheduling.insufficient-pods",
    title=say("every node has reached its Pod limit"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS,
    rule=_rule,
)
