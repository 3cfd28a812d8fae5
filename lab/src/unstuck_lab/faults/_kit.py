"""Shared by many faults: objects, and waiting for a Pod. No fault by itself."""

import contextlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import ApiError, CommandFailedError, LabError
from unstuck_lab.images import BUSYBOX

Object = dict[str, Any]


def namespace(name: str) -> Object:
    """Return a Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def pod(
    ns: str,
    name: str,
    *,
    container: Object | None = None,
    volumes: list[Object] | None = None,
    **spec: object,
) -> Object:
    """Return a Pod of one busybox container `c` that sleeps; `container` and `spec` override.

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


def with_volume(
    ns: str, name: str, volume: Object, *, container: Object | None = None, **spec: object
) -> Object:
    """Return a Pod as `pod` makes it, with one volume that is mounted at its own name."""
    mounts = {"volumeMounts": [{"name": volume["name"], "mountPath": f"/{volume['name']}"}]}
    return pod(ns, name, container=mounts | (container or {}), volumes=[volume], **spec)


def config_map(ns: str, name: str, data: dict[str, str]) -> Object:
    """Return a ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": ns},
        "data": data,
    }


def template(ns: str, name: str) -> Object:
    """Return `selector` and `template` of a workload whose Pods are as `pod` makes them."""
    labels = {"app": name}
    spec = pod(ns, name)["spec"]
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}}


def node_without_kubelet(name: str, labels: dict[str, str], reason: str, **offers: str) -> Object:
    """Return a Node without a reporting kubelet, in the state in which the Node controller leaves it.

    From its first moment: made without a status, it is tainted only after a minute, and the scheduler's
    message differs before and after. offers: resources that a kubelet once reported. Source:
    pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth).
    """
    unheard = {"type": "Ready", "status": "Unknown", "reason": reason}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"conditions": [unheard], "capacity": offers, "allocatable": offers},
    }


def bound_claim(ns: str, claim: str, volume: str) -> tuple[Object, Object]:
    """Return a volume in the node's own tmpfs, and the claim that is bound to it. Made by Pods that mount
    it; see `remove_volume`.
    """
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


def claim(ns: str, name: str, storage: str = "1Gi", **spec: object) -> Object:
    """Return a claim that waits for a volume of its class; without `storageClassName`, of the default one."""
    wants: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": ns},
        "spec": wants | spec,
    }


def claim_phase(lab: Lab, ns: str, name: str) -> str:
    """Return the server's message about a claim; "" while there is none."""
    found = lab.get(f"/api/v1/namespaces/{ns}/persistentvolumeclaims/{name}") or {}
    return str(found.get("status", {}).get("phase", ""))


def with_claim(ns: str, name: str, claim: str) -> Object:
    """Return a Pod that mounts a claim."""
    return with_volume(ns, name, {"name": "v", "persistentVolumeClaim": {"claimName": claim}})


def remove_volume(lab: Lab, volume: str) -> None:
    """Delete a volume of `bound_claim` and its directory."""
    delete(lab, f"/api/v1/persistentvolumes/{volume}")
    for node in lab.nodes:
        if node.running:
            node.run(["rm", "-rf", f"/run/{volume}"])


def wait_running(lab: Lab, ns: str, name: str, timeout: float = 60) -> Object:
    """Wait until the Pod's containers are ready, and return the Pod. Raises `TimedOutError`."""

    def look() -> Object | None:
        found = lab.get_pod(ns, name)
        return None if condition(found, "Ready") is None else found

    return lab.wait(look, timeout, f"pod {ns}/{name} ready")


def run(lab: Lab, pod: Object, *needs: Object, timeout: float = 60) -> Object:
    """Create a Pod, its Namespace and its dependencies, and wait until it runs; return the Pod. Raises
    `TimedOutError`.
    """
    ns, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    lab.apply(namespace(ns), *needs, pod)
    return wait_running(lab, ns, name, timeout)


def condition(found: Object | None, kind: str, status: str = "True") -> str | None:
    """Return the message of an object's condition that has this status; None if it has none, or is gone
    itself.
    """
    for one in found.get("status", {}).get("conditions", []) if found else []:
        if one["type"] == kind and one["status"] == status:
            return str(one.get("message", ""))
    return None


def waiting_reason(lab: Lab, ns: str, name: str) -> tuple[str, str] | None:
    """Return reason and message of the first container that waits, as the Pod's status has it."""
    found = lab.get_pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        waiting = status.get("state", {}).get("waiting")
        if waiting:
            return waiting.get("reason", ""), waiting.get("message", "")
    return None


def waits_with(lab: Lab, ns: str, name: str, reason: str, part: str = "") -> str | None:
    """Return the message of the first container that waits, when that is for this reason and the message
    holds `part`; else None.
    """
    found, message = waiting_reason(lab, ns, name) or ("", "")
    return message if found == reason and part in message else None


def delete(lab: Lab, path: str, grace: int | None = None) -> None:
    """Ask for an object's deletion and do not wait. An object that is gone is fine."""
    body = None if grace is None else {"gracePeriodSeconds": grace}
    try:
        lab.request("DELETE", path, body)
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def delete_pod(lab: Lab, ns: str, name: str, grace: int | None = None) -> None:
    """Ask for a Pod's deletion and do not wait."""
    delete(lab, f"/api/v1/namespaces/{ns}/pods/{name}", grace)


OWNERS = (
    "apps/v1/{ns}/deployments",
    "apps/v1/{ns}/statefulsets",
    "apps/v1/{ns}/daemonsets",
    "batch/v1/{ns}/jobs",
)


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
    lab.wait(lambda: not lab.request("GET", f"{path}/pods")["items"], timeout, f"end of the pods of {ns}")
    delete(lab, path)

    def gone() -> bool:
        found = lab.get(path)
        if condition(found, "NamespaceDeletionDiscoveryFailure") is not None:
            raise LabError(
                "cannot be deleted, discovery fails",
                f"namespace {ns}",
                "heal the cluster's fault first: `heal --all`",
            )
        return found is None

    _look_again(lab, ns)
    lab.wait(gone, timeout, f"end of namespace {ns}")


def _look_again(lab: Lab, ns: str) -> None:
    """Make the controller look at a Namespace that is being deleted: at one that has changed after 5 s,
    else after a pause that grows.
    """
    note = {"metadata": {"annotations": {"lab": str(time.time())}}}
    with contextlib.suppress(ApiError):  # deleted meanwhile
        lab.request("PATCH", f"/api/v1/namespaces/{ns}", note, content_type="application/merge-patch+json")


def delete_namespace(lab: Lab, ns: str) -> None:
    """Ask for a Namespace's deletion and do not wait."""
    delete(lab, f"/api/v1/namespaces/{ns}")


def namespace_condition(lab: Lab, ns: str, kind: str, part: str = "") -> str | None:
    """Return the message of a Namespace's condition that is True and holds `part`, or None."""
    message = condition(lab.get(f"/api/v1/namespaces/{ns}"), kind)
    return message if message and part in message else None


def wait_gone(lab: Lab, ns: str, timeout: float = 120) -> None:
    """Wait until a Namespace that is being deleted is gone. Raises `TimedOutError`."""
    _look_again(lab, ns)
    lab.wait(lambda: lab.get(f"/api/v1/namespaces/{ns}") is None, timeout, f"end of namespace {ns}")


def log_line(text: str, *parts: str) -> str | None:
    """Return the last line of a log that holds all the parts, or None."""
    for line in reversed(text.splitlines()):
        if all(part in line for part in parts):
            return line
    return None


def removing(ns: str) -> Callable[[Lab], None]:
    """Return the heal of a fault that is nothing but the objects of its Namespace."""
    return lambda lab: remove_namespace(lab, ns)


def event(lab: Lab, ns: str, name: str, reason: str, part: str = "") -> str | None:
    """Return the message of an event about the object that has this reason and holds `part`, or None."""
    for found in lab.request("GET", f"/api/v1/namespaces/{ns}/events")["items"]:
        message = str(found.get("message", ""))
        if found["involvedObject"].get("name") == name and found["reason"] == reason and part in message:
            return message
    return None


def terminated(lab: Lab, ns: str, name: str) -> Object | None:
    """Return how the Pod's first container ended: its state now, else its last one; None when it never
    did.
    """
    found = lab.get_pod(ns, name)
    for status in found["status"].get("containerStatuses", []) if found else []:
        for when in ("state", "lastState"):
            ended: Object | None = status.get(when, {}).get("terminated")
            if ended:
                return ended
    return None


def ended_saying(lab: Lab, ns: str, name: str, *parts: str) -> str | None:
    """Return the message with which the Pod's first container ended, when it holds all the parts; else
    None.
    """
    message = str((terminated(lab, ns, name) or {}).get("message", ""))
    return message if all(part in message for part in parts) else None


def crashing(lab: Lab, ns: str, name: str) -> Object | None:
    """Return how the Pod's first container ended last, when it now waits to be started again; else None."""
    return terminated(lab, ns, name) if waits_with(lab, ns, name, "CrashLoopBackOff") is not None else None


def unmade(lab: Lab, ns: str, name: str) -> str | None:
    """Return what kept a container, or the sandbox before it, from being created, if none of the Pod has
    run; else None.
    """
    found = lab.get_pod(ns, name)
    statuses = found["status"].get("containerStatuses", []) if found else []
    if not statuses or "running" in statuses[0]["state"] or "running" in statuses[0].get("lastState", {}):
        return None
    # Which call of the runtime fails first differs from try to try.
    return event(lab, ns, name, "FailedCreatePodSandBox") or event(lab, ns, name, "Failed")


def failed_with(lab: Lab, ns: str, name: str, reason: str) -> str | None:
    """Return the message of a Pod whose status gives this reason; else None."""
    status = (lab.get_pod(ns, name) or {}).get("status", {})
    return str(status.get("message", "")) if status.get("reason") == reason else None


def unbound(lab: Lab, ns: str, pod: str, claim: str, reason: str, part: str) -> str | None:
    """Return the message of the claim's event that has this reason and holds `part`, when the Pod waits
    for its claim; else None.
    """
    waits = event(lab, ns, pod, "FailedScheduling", "unbound immediate PersistentVolumeClaims")
    return waits and event(lab, ns, claim, reason, part)


def restarts(lab: Lab, ns: str, name: str) -> int:
    """Return how often the Pod's first container was restarted."""
    found = lab.get_pod(ns, name)
    statuses = found["status"].get("containerStatuses", []) if found else []
    return int(statuses[0].get("restartCount", 0)) if statuses else 0


def now() -> str:
    """Return the time, as the API server writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def age(stamp: str) -> float:
    """Return seconds since a time as the API server writes it."""
    return (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()


def deleting(lab: Lab, ns: str, name: str) -> Object | None:
    """Return the Pod when its deletion was asked for and it is still there."""
    found = lab.get_pod(ns, name)
    return found if found and "deletionTimestamp" in found["metadata"] else None


def kubelet_line(lab: Lab, pod: Object, *parts: str) -> str | None:
    """Return the last line of the log of the Pod's kubelet that holds all the parts, or None."""
    return log_line(lab.get_node(pod["spec"]["nodeName"]).kubelet_log.read_text(errors="replace"), *parts)


def kubelet_said(lab: Lab, ns: str, name: str, *parts: str) -> str | None:
    """Return the kubelet's last line about the Pod's uid that holds all the parts, while the Pod is being
    deleted.
    """
    found = deleting(lab, ns, name)
    return kubelet_line(lab, found, found["metadata"]["uid"], *parts) if found else None


def volume_dir(pod: Object, volume: str) -> str:
    """Return an emptyDir's directory, as the node sees it."""
    return f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~empty-dir/{volume}"


def clear_finalizers(lab: Lab, path: str) -> None:
    """Remove all finalizers of an object. One that is gone is fine."""
    try:
        lab.request(
            "PATCH", path, {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json"
        )
    except ApiError as error:
        if error.code != 404:
            raise


def hook_line(lab: Lab, ns: str, name: str, command: str) -> str | None:
    """Return the kubelet's line that it runs a preStop hook, while the Pod is being deleted and its node has
    a process of that command line.
    """
    found = deleting(lab, ns, name)
    running = found and lab.get_node(found["spec"]["nodeName"]).run(["pgrep", "-fx", command]).returncode == 0
    return kubelet_line(lab, found, "Running preStop hook", f"{ns}/{name}") if found and running else None


def release(lab: Lab, ns: str, name: str, script: str) -> None:
    """Run a script in a container that is waited for, so it ends, and remove the Namespace.

    A shorter grace period would not do: the kubelet does not cut short a hook or a stop it has begun.
    """
    # It may never have run, or its node may have ended.
    with contextlib.suppress(CommandFailedError):
        lab.run_kubectl("exec", "-n", ns, name, "--", "sh", "-c", script)
    remove_namespace(lab, ns)
