"""What many faults need: objects, and waiting for a Pod. No fault by itself."""

import contextlib
from collections.abc import Callable
from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError, CommandFailedError, LabError
from unstuck_lab.images import BUSYBOX
from unstuck_lab.node import Node

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


def template(ns: str, name: str) -> Object:
    """`selector` and `template` of a workload whose Pods are as `pod` makes them."""
    labels = {"app": name}
    spec = pod(ns, name)["spec"]
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}}


def bound_claim(ns: str, claim: str, volume: str) -> tuple[Object, Object]:
    """A volume in the node's own tmpfs, and the claim that is bound to it. Made by Pods that mount it; see `remove_volume`."""
    size = {"storage": "10Mi"}
    common: Object = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    return (
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": volume},
            "spec": common
            | {
                "capacity": size,
                "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": {"path": f"/run/{volume}", "type": "DirectoryOrCreate"},
                "claimRef": {"namespace": ns, "name": claim},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": ns},
            "spec": common | {"volumeName": volume, "resources": {"requests": size}},
        },
    )


def with_claim(ns: str, name: str, claim: str) -> Object:
    """A Pod that mounts a claim."""
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    return pod(ns, name, container=mounts, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}])


def remove_volume(lab: Lab, volume: str) -> None:
    """Delete a volume of `bound_claim` and its directory."""
    delete(lab, f"/api/v1/persistentvolumes/{volume}")
    for node in lab.nodes:
        if node.running:
            node.run(["rm", "-rf", f"/run/{volume}"])


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


def removing(ns: str) -> Callable[[Lab], None]:
    """The heal of a fault that is nothing but the objects of its Namespace."""
    return lambda lab: remove_namespace(lab, ns)


def event(lab: Lab, ns: str, name: str, reason: str, part: str = "") -> str | None:
    """The message of an event about the object that has this reason and holds `part`, or None."""
    for found in lab.api("GET", f"/api/v1/namespaces/{ns}/events")["items"]:
        message = str(found.get("message", ""))
        if found["involvedObject"].get("name") == name and found["reason"] == reason and part in message:
            return message
    return None


def terminated(lab: Lab, ns: str, name: str) -> Object | None:
    """How the Pod's first container ended: its state now, else its last one; None when it never did."""
    found = lab.pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        for when in ("state", "lastState"):
            ended: Object | None = status.get(when, {}).get("terminated")
            if ended:
                return ended
    return None


def restarts(lab: Lab, ns: str, name: str) -> int:
    """How often the Pod's first container was restarted."""
    found = lab.pod(ns, name)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return int(statuses[0].get("restartCount", 0)) if statuses else 0


def deleting(lab: Lab, ns: str, name: str) -> Object | None:
    """The Pod when its deletion was asked for and it is still there."""
    found = lab.pod(ns, name)
    return found if found and "deletionTimestamp" in found["metadata"] else None


def volume_dir(pod: Object, volume: str) -> str:
    """An emptyDir's directory, as the node sees it."""
    return f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~empty-dir/{volume}"


def clear_finalizers(lab: Lab, path: str) -> None:
    """Take all finalizers off an object. One that is gone is fine."""
    try:
        lab.api("PATCH", path, {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json")
    except ApiError as error:
        if error.code != 404:
            raise


def hook_line(node: Node, ns: str, name: str, command: str) -> str | None:
    """The kubelet's line that it runs a preStop hook, when the node's process table has that command line."""
    running = node.run(["pgrep", "-fx", command]).returncode == 0
    line = log_line(node.kubelet_log.read_text(errors="replace"), "Running preStop hook", f"{ns}/{name}")
    return line if running and line else None


def release(lab: Lab, ns: str, name: str, script: str) -> None:
    """Run a script in a container that is waited for, so that it ends, and remove the Namespace.

    A shorter grace period would not do: the kubelet does not cut short a hook or a stop it has begun.
    """
    # It may never have run, or its node may have ended.
    with contextlib.suppress(CommandFailedError):
        lab.kubectl("exec", "-n", ns, name, "--", "sh", "-c", script)
    remove_namespace(lab, ns)
