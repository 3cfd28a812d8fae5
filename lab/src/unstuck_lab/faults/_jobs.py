"""A Job whose one Pod has a name that is known beforehand: the job controller adopts it by its label. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _kit

TRACKING = "batch.kubernetes.io/job-tracking"


def job_with_pod(ns: str, job: str, pod: str, script: str) -> tuple[_kit.Object, _kit.Object]:
    """The Pod, which runs a shell script, and the Job that adopts it; to be applied in this order."""
    labels = {"app": job}
    container = {"command": ["sh", "-c", script]}
    one = _kit.pod(ns, pod, container=container, restartPolicy="Never")
    one["metadata"] |= {"labels": labels, "finalizers": [TRACKING]}
    spec = {
        "manualSelector": True,
        "selector": {"matchLabels": labels},
        "backoffLimit": 0,
        "template": {"metadata": {"labels": labels}, "spec": one["spec"]},
    }
    return one, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": job, "namespace": ns}, "spec": spec}


def adopted(lab: Lab, ns: str, pod: str) -> bool:
    """The Pod is a Job's, and has its finalizer."""
    found = lab.pod(ns, pod)
    owners = found["metadata"].get("ownerReferences", []) if found else []
    return any(o["kind"] == "Job" for o in owners) and TRACKING in (found or {})["metadata"].get("finalizers", [])
