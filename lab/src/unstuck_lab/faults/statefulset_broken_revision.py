"""A StatefulSet with a fixed template: it still waits for the Pod of the broken revision, and never replaces
it.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _objects, _owned, _steps

NS = "f-statefulset-broken-revision"
PATH = f"/apis/apps/v1/namespaces/{NS}/statefulsets/{_owned.DB}"
BROKEN = {"exec": {"command": ["false"]}, "periodSeconds": 1}


def apply(lab: Lab) -> None:
    lab.apply(_objects.make_namespace(NS), _owned.make_stateful_set(NS))
    lab.wait(lambda: _read_status(lab, "readyReplicas") == 2, 60, f"statefulset {NS}/{_owned.DB} ready")
    _patch_probe(lab, BROKEN)
    lab.wait(lambda: _find_waiting_revision(lab), 60, f"a Pod of the broken template of {NS}/{_owned.DB}")
    _patch_probe(lab, None)


def _patch_probe(lab: Lab, probe: _objects.Object | None) -> None:
    container = {"name": "c", "readinessProbe": probe}
    change: _objects.Object = {"spec": {"template": {"spec": {"containers": [container]}}}}
    if probe is None:
        change["spec"]["template"]["metadata"] = {"annotations": {"release": "mended"}}
    lab.request("PATCH", PATH, change, content_type="application/strategic-merge-patch+json")


def _read_status(lab: Lab, field: str) -> object:
    found = lab.get(PATH)
    return found["status"].get(field) if found else None


def _find_waiting_revision(lab: Lab) -> str | None:
    """Return the revision of a running Pod that is not ready."""
    for pod in lab.request("GET", f"/api/v1/namespaces/{NS}/pods")["items"]:
        ready = any(
            c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", [])
        )
        if (
            not ready
            and pod["status"].get("phase") == "Running"
            and "deletionTimestamp" not in pod["metadata"]
        ):
            revision: str = pod["metadata"]["labels"]["controller-revision-hash"]
            return None if revision == _read_status(lab, "currentRevision") else revision
    return None


def observe(lab: Lab) -> str | None:
    revision, newest = _find_waiting_revision(lab), _read_status(lab, "updateRevision")
    return (
        f"a Pod of {revision} is not ready, the newest is {newest}"
        if revision and newest != revision
        else None
    )


FAULT = Fault(
    name="statefulset-broken-revision",
    summary="a StatefulSet waits for a broken Pod of an older template",
    scope="pod",
    subject=f"statefulset/{_owned.DB}",
    namespace=NS,
    accepts=("controller.statefulset-broken-revision",),
    consequences=("probe.readiness-failing",),
    with_node="proven",
    without_node="proven",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    settle=90,
)
