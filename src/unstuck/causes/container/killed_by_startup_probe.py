"""The kubelet restarts the container because its startup probe fails

## How it happens

The Pod's spec gives the container a startup probe, which holds back the other probes until it succeeds once.
It failed `failureThreshold` times, so the kubelet ended the container and starts it again. The program needs
longer to start than the probe allows, does not come up, or listens on another port or path than the probe
asks.

## How to tell

The kubelet writes an event about its own act, `Container c failed startup probe, will be restarted` (reason
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
    return probe_signs(pod, snap, "startup")


CAUSE = Cause(
    id="container.killed-by-startup-probe",
    title=say("the kubelet restarts the container because its startup probe fails"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
