"""A policy denies the UPDATE with which the job controller releases a finished Pod: once deleted, it stays.
The log of kube-controller-manager is on no node here and in no Pod. The Job's count of the Pod makes the
cause likely, and a dry run of that UPDATE decides.
"""

from unstuck_lab import control
from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _admission, _checks, _jobs, _objects, _steps

NS, JOB = "f-job-tracking-refused", "count"
POD = "count-1"


def apply(lab: Lab) -> None:
    # The Pod ends only once the policy is in force, which takes a second or two.
    lab.apply(
        _objects.make_namespace(NS),
        *_jobs.make_job_with_pod(NS, JOB, POD, "until [ -e /tmp/end ]; do sleep 0.2; done"),
    )
    lab.wait(lambda: _jobs.is_adopted(lab, NS, POD), 30, f"pod {NS}/{POD} adopted by its job")
    _steps.wait_running(lab, NS, POD)
    _admission.keep_finalizers(lab, NS, "", "pods")
    lab.wait(
        lambda: _admission.is_removal_denied(lab, f"/api/v1/namespaces/{NS}/pods/{POD}"),
        30,
        f"policy {NS} in force",
    )
    lab.run_kubectl("exec", "-n", NS, POD, "--", "touch", "/tmp/end")
    lab.wait(lambda: _has_ended(lab), 30, f"end of the container of pod {NS}/{POD}")
    _steps.delete_pod(lab, NS, POD)


def _has_ended(lab: Lab) -> bool:
    found = lab.get_pod(NS, POD)
    return found is not None and found["status"].get("phase") == "Succeeded"


def observe(lab: Lab) -> str | None:
    found = _checks.find_deleting_pod(lab, NS, POD)
    if found is None or _jobs.TRACKING not in found["metadata"].get("finalizers", []):
        return None
    text = control.locate_log(lab.paths, "kube-controller-manager").read_text(errors="replace")
    line = _checks.find_log_line(
        text, "removing tracking finalizer", POD, f"ValidatingAdmissionPolicy '{NS}'", "denied request"
    )
    # `E1121 10:42:47.770119`: a refusal about an earlier Pod of this name does not count.
    return line if line and line.split()[1][:8] >= found["metadata"]["creationTimestamp"][11:19] else None


def heal(lab: Lab) -> None:
    _admission.forget(lab, NS)
    _steps.remove_namespace(lab, NS)


FAULT = Fault(
    name="job-tracking-refused",
    summary="a Job's Pod stays because a policy refuses to let the job controller take its finalizer off",
    scope="pod",
    subject=f"pod/{POD}",
    namespace=NS,
    accepts=("finalizer.removal-rejected",),
    with_node="likely",  # the log that would prove it is on no node
    without_node="likely",
    also=(f"job/{JOB}",),
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=90,
)
