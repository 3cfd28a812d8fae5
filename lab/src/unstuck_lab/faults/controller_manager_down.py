"""kube-controller-manager has ended: a Job's Pod that was deleted keeps the job controller's finalizer,
and a Namespace is not emptied.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _jobs, _kit, _manager

NS, JOB = "f-controller-manager-down", "count"
POD = "count-1"


def apply(lab: Lab) -> None:
    lab.apply(
        _kit.namespace(NS), *_jobs.job_with_pod(NS, JOB, POD, "trap 'exit 0' TERM; while :; do sleep 1; done")
    )
    lab.wait(lambda: _jobs.adopted(lab, NS, POD), 30, f"pod {NS}/{POD} adopted by its job")
    _kit.wait_running(lab, NS, POD)
    _manager.end(lab)
    _kit.delete_pod(lab, NS, POD, grace=1)
    _kit.delete_namespace(lab, NS)


def held(lab: Lab) -> str | None:
    pod, lease = _kit.deleting(lab, NS, POD), lab.get(_manager.LEASE)
    if pod is None or lease is None or not pod["metadata"].get("finalizers"):
        return None
    age = _kit.age(lease["spec"]["renewTime"])
    return f"lease of {lease['spec'].get('holderIdentity')} renewed {age:.0f} s ago" if age > 60 else None


def heal(lab: Lab) -> None:
    _manager.restore(lab)
    _kit.remove_namespace(lab, NS)


FAULT = Fault(
    name="controller-manager-down",
    summary="kube-controller-manager has ended, so that nobody goes on with what was deleted",
    scope="cluster",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("controller.manager-down",),
    consequences=("namespace.pods-remain", "namespace.content-remains"),
    with_node="proven",
    without_node="proven",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
    settle=150,
    also=(f"ns/{NS}",),
)
