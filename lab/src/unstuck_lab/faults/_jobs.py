"""Jobs, and one whose Pod has a predictable name. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _objects

TRACKING = "batch.kubernetes.io/job-tracking"


def make_template(ns: str, name: str, *, container: _objects.Object | None = None) -> _objects.Object:
    """Return the Pod template of a Job, with a Pod of `_objects.make_pod`."""
    return {"spec": _objects.make_pod(ns, name, container=container, restartPolicy="Never")["spec"]}


def make_job(ns: str, name: str, *, container: _objects.Object | None = None) -> _objects.Object:
    """Return a Job of one Pod."""
    meta = {"name": name, "namespace": ns}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {"template": make_template(ns, name, container=container)},
    }


def make_job_with_pod(ns: str, job: str, pod: str, script: str) -> tuple[_objects.Object, _objects.Object]:
    """Return a Pod that runs a shell script, and the Job that adopts it by its label, in the order of
    application.
    """
    labels = {"app": job}
    container = {"command": ["sh", "-c", script]}
    one = _objects.make_pod(ns, pod, container=container, restartPolicy="Never")
    one["metadata"] |= {"labels": labels, "finalizers": [TRACKING]}
    spec = {
        "manualSelector": True,
        "selector": {"matchLabels": labels},
        "backoffLimit": 0,
        "template": {"metadata": {"labels": labels}, "spec": one["spec"]},
    }
    return one, {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": job, "namespace": ns},
        "spec": spec,
    }


def is_adopted(lab: Lab, ns: str, pod: str) -> bool:
    """Tell whether a Job owns the Pod, and the Pod has the Job's finalizer."""
    found = lab.get_pod(ns, pod)
    owners = found["metadata"].get("ownerReferences", []) if found else []
    return any(o["kind"] == "Job" for o in owners) and TRACKING in (found or {})["metadata"].get(
        "finalizers", []
    )
