"""Jobs, and one whose Pod has a predictable name. No fault by itself."""

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _kit

TRACKING = "batch.kubernetes.io/job-tracking"


def template(ns: str, name: str, *, container: _kit.Object | None = None) -> _kit.Object:
    """Return the Pod template of a Job, the Pod as `_kit.pod` makes it."""
    return {"spec": _kit.pod(ns, name, container=container, restartPolicy="Never")["spec"]}


def job(ns: str, name: str, *, container: _kit.Object | None = None) -> _kit.Object:
    """Return a Job of one Pod."""
    meta = {"name": name, "namespace": ns}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {"template": template(ns, name, container=container)},
    }


def job_with_pod(ns: str, job: str, pod: str, script: str) -> tuple[_kit.Object, _kit.Object]:
    """Return the Pod, which runs a shell script, and the Job that adopts it by its label; to be applied in
    this order.
    """
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
    return one, {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": job, "namespace": ns},
        "spec": spec,
    }


def adopted(lab: Lab, ns: str, pod: str) -> bool:
    """Tell whether the Pod is a Job's, and has its finalizer."""
    found = lab.get_pod(ns, pod)
    owners = found["metadata"].get("ownerReferences", []) if found else []
    return any(o["kind"] == "Job" for o in owners) and TRACKING in (found or {})["metadata"].get(
        "finalizers", []
    )
