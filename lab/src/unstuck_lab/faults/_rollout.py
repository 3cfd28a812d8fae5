"""A Deployment with a stalled rollout of its second template. No fault by itself."""

from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _objects, _owned
from unstuck_lab.faults._objects import Object


def roll_out(lab: Lab, deployment: Object) -> None:
    """Apply it, wait until it is ready, and change its template, so that a new Pod is made beside each old
    one.
    """
    ns, name = deployment["metadata"]["namespace"], deployment["metadata"]["name"]
    path = f"/apis/apps/v1/namespaces/{ns}/deployments/{name}"
    wanted = deployment["spec"]["replicas"]
    lab.apply(_objects.make_namespace(ns), deployment)

    def is_ready() -> bool:
        found = lab.get(path)
        return bool(found and found["status"].get("readyReplicas", 0) == wanted)

    lab.wait(is_ready, 150, f"deployment {ns}/{name} ready")
    change = {"spec": {"template": {"metadata": {"annotations": {"release": "2"}}}}}
    lab.request("PATCH", path, change, content_type="application/strategic-merge-patch+json")


def make_refusal_check(ns: str, part: str) -> Callable[[Lab], str | None]:
    """Return a check for a Pod of `web` that the scheduler rejects with this message, beside a ready one."""

    def observe(lab: Lab) -> str | None:
        pods = lab.request("GET", f"/api/v1/namespaces/{ns}/pods?labelSelector=app%3D{_owned.WEB}")["items"]
        said = [
            c.get("message", "")
            for p in pods
            for c in p["status"].get("conditions", [])
            if c["type"] == "PodScheduled"
        ]
        running = any(p["status"].get("phase") == "Running" for p in pods)
        return next((m for m in said if part in m), None) if running else None

    return observe
