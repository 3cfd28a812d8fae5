"""Objects that faults create. No fault by itself."""

from datetime import UTC, datetime
from typing import Any

from unstuck_lab.images import BUSYBOX

Object = dict[str, Any]


def make_namespace(name: str) -> Object:
    """Return a Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def make_pod(
    ns: str,
    name: str,
    *,
    container: Object | None = None,
    volumes: list[Object] | None = None,
    **spec: object,
) -> Object:
    """Return a Pod of one busybox container `c` that sleeps; `container` and `spec` override.

    It ends at once on SIGTERM, so that deletions are quick.
    """
    script = "trap 'exit 0' TERM; while :; do sleep 1; done"
    base: Object = {"name": "c", "image": BUSYBOX, "command": ["sh", "-c", script]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": ns},
        "spec": {"containers": [base | (container or {})], "volumes": volumes or [], **spec},
    }


def make_pod_with_volume(
    ns: str, name: str, volume: Object, *, container: Object | None = None, **spec: object
) -> Object:
    """Return a Pod of `make_pod` with one volume, mounted at its own name."""
    mounts = {"volumeMounts": [{"name": volume["name"], "mountPath": f"/{volume['name']}"}]}
    return make_pod(ns, name, container=mounts | (container or {}), volumes=[volume], **spec)


def make_config_map(ns: str, name: str, data: dict[str, str]) -> Object:
    """Return a ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": ns},
        "data": data,
    }


def make_workload_template(ns: str, name: str) -> Object:
    """Return `selector` and `template` of a workload with Pods of `make_pod`."""
    labels = {"app": name}
    spec = make_pod(ns, name)["spec"]
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}}


def make_node_without_kubelet(name: str, labels: dict[str, str], reason: str, **offers: str) -> Object:
    """Return a Node without a reporting kubelet, in the final state from the Node controller.

    The state applies from the start: without a status, it is tainted only after a minute, and the scheduler's
    message differs before and after. offers: resources once reported by a kubelet. Source:
    pkg/controller/nodelifecycle/node_lifecycle_controller.go (tryUpdateNodeHealth).
    """
    unheard = {"type": "Ready", "status": "Unknown", "reason": reason}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"conditions": [unheard], "capacity": offers, "allocatable": offers},
    }


def make_bound_claim(ns: str, claim: str, volume: str) -> tuple[Object, Object]:
    """Return a volume in the node's own tmpfs, and the claim bound to it. The mounting Pods create its
    directory; see `remove_volume`.
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


def make_claim(ns: str, name: str, storage: str = "1Gi", **spec: object) -> Object:
    """Return a claim that waits for a volume of its class; without `storageClassName`, of the default
    class.
    """
    wants: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": ns},
        "spec": wants | spec,
    }


def make_pod_with_claim(ns: str, name: str, claim: str) -> Object:
    """Return a Pod that mounts a claim."""
    return make_pod_with_volume(ns, name, {"name": "v", "persistentVolumeClaim": {"claimName": claim}})


def format_now() -> str:
    """Return the current time in the API server's format."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def locate_volume_dir(pod: Object, volume: str) -> str:
    """Return an emptyDir's path on the node."""
    return f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~empty-dir/{volume}"
