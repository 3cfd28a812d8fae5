"""kube-controller-manager has ended: a deleted Pod of a Job keeps the job controller's finalizer, and a
Namespace is not emptied.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _jobs, _manager, _objects, _steps

NS, JOB = "f-controller-manager-down", "count"
POD = "count-1"


def apply(lab: Lab) -> None:
    lab.apply(
        _objects.make_namespace(NS),
        *_jobs.make_job_with_pod(NS, JOB, POD, "trap 'exit 0' TERM; while :; do sleep 1; done"),
    )
    lab.wait(lambda: _jobs.is_adopted(lab, NS, POD), 30, f"pod {NS}/{POD} adopted by its job")
    _steps.wait_running(lab, NS, POD)
    _manager.end(lab)
    _steps.delete_pod(lab, NS, POD, grace=1)
    _steps.delete_namespace(lab, NS)


def observe(lab: Lab) -> str | None:
    pod, lease = _checks.find_deleting_pod(lab, NS, POD), lab.get(_manager.LEASE)
    if pod is None or lease is None or not pod["metadata"].get("finalizers"):
        return None
    age = _checks.measure_age(lease["spec"]["renewTime"])
    return f"lease of {lease['spec'].get('holderIdentity')} renewed {age:.0f} s ago" if age > 60 else None


def heal(lab: Lab) -> None:
    _manager.restore(lab)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="controller-manager-down",
    summary="kube-controller-manager has exited, so deletions are not completed",
    scope="cluster",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("controller.manager-down",),
    consequences=("namespace.pods-remain", "namespace.content-remains"),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=150,
    also=(f"ns/{NS}",),
)
