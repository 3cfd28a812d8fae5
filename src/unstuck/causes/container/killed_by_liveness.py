"""The kubelet restarts the container because its liveness probe fails

## How it happens

The Pod's spec gives the container a liveness probe, and the probe failed `failureThreshold` times. The
kubelet then ends the container, by the rules of termination (preStop, TERM, after the grace period KILL), and
starts it again. The program may hang, or it is only slow to start, too busy for a probe's timeout of a
second, or listens on another port or path than the probe asks.

## How to tell

The kubelet writes an event about its own act, `Container c failed liveness probe, will be restarted` (reason
Killing), and that run of the container ends after it, with the program's exit code on SIGTERM (possibly 0) or
137. `Unhealthy` events before it give the result of the probe.

## Known limits

Events are kept for an hour, and the kubelet drops those of a Pod beyond 25 at once: if its event is before
the last run, the answer is `likely`; if there is none, or events may not be read, it stays open. A failing
readiness probe never restarts a container.

## References

- Kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go (computePodActions), pkg/kubelet/prober
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES
from unstuck.causes.container._probed import READS, probe_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return probe_signs(pod, snap, "liveness")


CAUSE = Cause(
    id="container.killed-by-liveness",
    title=say("the kubelet restarts the container because its liveness probe fails"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
