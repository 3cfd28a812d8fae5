"""Workloads whose Pods are rejected at creation. No fault by itself."""

from collections.abc import Callable

from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _objects
from unstuck_lab.faults._objects import Object

WEB, DB = "web", "db"


def make_deployment(
    ns: str,
    *,
    replicas: int = 2,
    container: Object | None = None,
    strategy: Object | None = None,
    **spec: object,
) -> Object:
    """Return the Deployment `web` with Pods of `_objects.make_pod`."""
    found = _make_workload("Deployment", ns, WEB, replicas, container, spec)
    if strategy is not None:
        found["spec"]["strategy"] = strategy
    return found


def make_stateful_set(
    ns: str, *, replicas: int = 2, container: Object | None = None, **spec: object
) -> Object:
    """Return the StatefulSet `db` with Pods of `_objects.make_pod`."""
    found = _make_workload("StatefulSet", ns, DB, replicas, container, spec)
    found["spec"]["serviceName"] = DB
    return found


def _make_workload(
    kind: str, ns: str, name: str, replicas: int, container: Object | None, spec: Object
) -> Object:
    labels = {"app": name}
    pod = _objects.make_pod(ns, name, container=container, **spec)["spec"]
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": ns},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def make_refusal_check(ns: str, part: str) -> Callable[[Lab], str | None]:
    """Return a check for the condition ReplicaFailure of the Deployment `web` with `part` in its message."""

    def observe(lab: Lab) -> str | None:
        found = lab.get(f"/apis/apps/v1/namespaces/{ns}/deployments/{WEB}")
        for condition in found["status"].get("conditions", []) if found else []:
            if condition["type"] == "ReplicaFailure" and part in condition.get("message", ""):
                return str(condition["message"])
        return None

    return observe
