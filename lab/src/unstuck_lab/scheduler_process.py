"""The real kube-scheduler on clusters that exist only in etcd, without controllers or kubelets to change
them.

Objects are written directly to etcd, so uids, status and deletion times are kept; the API server reads them
with its defaults, and kube-scheduler sees them by its own watches. Needs etcd(1) and the cluster's programs,
no root and no running lab.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from unstuck_lab.errors import ApiError
from unstuck_lab.objects_only import Json, ObjectsOnly, Stored

# For each kind of a case: the API server's path and the kind's name.
_KINDS = {
    "namespaces": ("namespaces", "v1", "Namespace"),
    "nodes": ("minions", "v1", "Node"),
    "pvcs": ("persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
    "pvs": ("persistentvolumes", "v1", "PersistentVolume"),
    "classes": ("storageclasses", "storage.k8s.io/v1", "StorageClass"),
    "csinodes": ("csinodes", "storage.k8s.io/v1", "CSINode"),
    "csidrivers": ("csidrivers", "storage.k8s.io/v1", "CSIDriver"),
    "capacities": ("csistoragecapacities", "storage.k8s.io/v1", "CSIStorageCapacity"),
    "attachments": ("volumeattachments", "storage.k8s.io/v1", "VolumeAttachment"),
    "resourceclaims": ("resourceclaims", "resource.k8s.io/v1", "ResourceClaim"),
    "resourceslices": ("resourceslices", "resource.k8s.io/v1", "ResourceSlice"),
    "deviceclasses": ("deviceclasses", "resource.k8s.io/v1", "DeviceClass"),
    "pods": ("pods", "v1", "Pod"),
}


class SchedulerProcess:
    """A separate etcd, API server and kube-scheduler, ended with the `with` block."""

    def __init__(self) -> None:
        self._cluster = ObjectsOnly(under=("nice",))

    def __enter__(self) -> SchedulerProcess:
        with ExitStack() as stack:
            cluster = stack.enter_context(self._cluster)
            cluster.serve("AlwaysAllow")
            config = cluster.write_kubeconfig()
            cluster.spawn(
                cluster.programs.locate("kube-scheduler"),
                f"--kubeconfig={config}",
                "--leader-elect=false",
                "--secure-port=0",
            )
            stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cluster.__exit__(kind, error, trace)

    def ask(self, case: Mapping[str, Any], settle: float = 0.4, deadline: float = 8) -> Json:
        """Return the `PodScheduled` condition of the case's Pod, or `{"node": …}` if it was bound; empty if
        neither happened in time.

        settle: seconds for the scheduler's watches to catch up before the Pod is created.
        """
        for prefix, _, _ in _KINDS.values():
            self._cluster.forget(prefix)
        self._cluster.fill(_make_objects(case))
        time.sleep(settle)
        pod = case["pod"]
        self._cluster.fill([_make_object("pods", pod)])
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        until = time.monotonic() + deadline
        while time.monotonic() < until:
            try:
                found = self._cluster.ask("GET", path)
            except ApiError:
                found = {}
            conditions = {c["type"]: c for c in found.get("status", {}).get("conditions", ())}
            if "PodScheduled" in conditions:
                condition: Json = conditions["PodScheduled"]
                return (
                    condition
                    if condition["status"] == "False"
                    else {"node": found["spec"].get("nodeName", "")}
                )
            time.sleep(0.03)
        return {}


def _make_objects(case: Mapping[str, Any]) -> Iterator[Stored]:
    return (_make_object(field, one) for field in _KINDS for one in case.get(field, ()))


def _make_object(field: str, one: Json) -> Stored:
    """Return an object's key in etcd, and the object in the API server's stored form."""
    prefix, version, kind = _KINDS[field]
    metadata = one["metadata"]
    within = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    stored = {"apiVersion": version, "kind": kind, **one}
    stored["metadata"] = {
        "uid": f"uid-{kind}-{metadata['name']}".lower(),
        "creationTimestamp": "2026-11-20T00:00:00Z",
        **metadata,
    }
    if kind == "Pod":
        stored["spec"] = {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", **one["spec"]}
        stored["status"] = {"phase": "Pending", **one.get("status", {})}
    return f"/registry/{prefix}/{within}{metadata['name']}", stored
