"""What many faults need: objects, and waiting for a Pod. No fault by itself."""

from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError, LabError
from unstuck_lab.images import BUSYBOX

Object = dict[str, Any]


def namespace(name: str) -> Object:
    """A Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def pod(
    ns: str,
    name: str,
    *,
    container: Object | None = None,
    volumes: list[Object] | None = None,
    **spec: object,
) -> Object:
    """A Pod of one busybox container `c` that sleeps; `container` and `spec` override.

    It ends at once on SIGTERM, so that a deletion takes no longer than it must.
    """
    script = "trap 'exit 0' TERM; while :; do sleep 1; done"
    base: Object = {"name": "c", "image": BUSYBOX, "command": ["sh", "-c", script]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": ns},
        "spec": {"containers": [base | (container or {})], "volumes": volumes or [], **spec},
    }


def wait_running(lab: Lab, ns: str, name: str, timeout: float = 60) -> Object:
    """Until the Pod's containers are ready; the Pod. Raises `TimedOutError`."""

    def look() -> Object | None:
        found = lab.pod(ns, name)
        conditions = found["status"].get("conditions", []) if found else []
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
        return found if ready else None

    return lab.wait(look, timeout, f"pod {ns}/{name} ready")


def waiting_reason(lab: Lab, ns: str, name: str) -> tuple[str, str] | None:
    """Reason and message of the first container that waits, as the Pod's status has it."""
    found = lab.pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        waiting = status.get("state", {}).get("waiting")
        if waiting:
            return waiting.get("reason", ""), waiting.get("message", "")
    return None


def delete(lab: Lab, path: str, grace: int | None = None) -> None:
    """Ask for an object's deletion and do not wait. An object that is gone is fine."""
    body = None if grace is None else {"gracePeriodSeconds": grace}
    try:
        lab.api("DELETE", path, body)
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def delete_pod(lab: Lab, ns: str, name: str, grace: int | None = None) -> None:
    """Ask for a Pod's deletion and do not wait."""
    delete(lab, f"/api/v1/namespaces/{ns}/pods/{name}", grace)


OWNERS = ("apps/v1/{ns}/deployments", "apps/v1/{ns}/statefulsets", "apps/v1/{ns}/daemonsets", "batch/v1/{ns}/jobs")


def remove_namespace(lab: Lab, ns: str, timeout: float = 90) -> None:
    """Delete a Namespace with its Pods and wait until it is gone. Raises `TimedOutError`.

    Its Pods first: the controller looks again only after some 10 s when a
    Namespace still has any.
    """
    path = f"/api/v1/namespaces/{ns}"
    if lab.get(path) is None:
        return
    for owner in OWNERS:
        delete(lab, f"/apis/{owner.format(ns=f'namespaces/{ns}')}")
    delete(lab, f"{path}/pods", grace=1)
    lab.wait(lambda: not lab.api("GET", f"{path}/pods")["items"], timeout, f"end of the pods of {ns}")
    delete(lab, path)

    def gone() -> bool:
        found = lab.get(path)
        for condition in found["status"].get("conditions", []) if found else []:
            if condition["type"] == "NamespaceDeletionDiscoveryFailure" and condition["status"] == "True":
                raise LabError("cannot be deleted, discovery fails", f"namespace {ns}", "heal the cluster's fault first: `heal --all`")
        return found is None

    lab.wait(gone, timeout, f"end of namespace {ns}")


def log_line(text: str, *parts: str) -> str | None:
    """The last line of a log that holds all the parts, or None."""
    for line in reversed(text.splitlines()):
        if all(part in line for part in parts):
            return line
    return None
