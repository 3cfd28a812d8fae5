"""No Node has enough free CPU for the Pod's request

## How it happens

The sum of the CPU requests of a Pod's containers (the largest init container counts where it is more) must
fit into a Node's capacity beside the requests of its existing Pods. Either the request is larger than any
Node, often because of a wrong unit (`64` are 64 cores, `500m` half of one), or the Nodes are booked out,
though they may idle.

## How to tell

The Pod's condition PodScheduled names the reason with the number of Nodes, `2 Insufficient cpu`. It is proven
if, counted from the objects of all Nodes and Pods, the nearest Nodes lack exactly this and the scheduler
gives the same reasons; or if the request exceeds the capacity of every Node that the statement does not
exclude for another reason. The sentence after `preemption:` repeats the first and is no second cause.

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
    return make_insufficient_signs(pod, snap, lambda r: r == "cpu")


CAUSE = Cause(
    id="scheduling.insufficient-cpu",
    title=say("no node has enough free CPU for the Pod's request"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=READS,
    rule=_rule,
)
