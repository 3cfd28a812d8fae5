"""kube-scheduler has exited: a new Pod gets neither a Node nor a message."""

import signal

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _scheduler, _steps

NS, POD = "f-scheduler-ended", "waits"


def apply(lab: Lab) -> None:
    _scheduler.signal_leader(lab, signal.SIGKILL)
    lab.apply(_objects.make_namespace(NS), _objects.make_pod(NS, POD))


def heal(lab: Lab) -> None:
    _scheduler.restore(lab)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="scheduler-ended",
    summary="kube-scheduler has exited, so new Pods are not scheduled",
    scope="cluster",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("scheduling.scheduler-down",),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=_scheduler.make_silence_check(NS, POD),
    heal=heal,
    settle=150,
    beside="stale discovery and scheduler",
)
