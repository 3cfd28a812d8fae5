"""Claims, volumes and classes for cases, reduced to a test's topic."""

from __future__ import annotations

from typing import Any

from tests.scheduling.make import Obj

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
WAITS = "WaitForFirstConsumer"


def use_claims(*claims: str) -> list[Obj]:
    """Return `spec.volumes` of a Pod with these claims."""
    return [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": c}} for i, c in enumerate(claims)]


def make_claim(
    name: str = "data",
    /,
    *,
    to: str = "",
    notes: Obj | None = None,
    phase: str = "Pending",
    size: str = "1Gi",
    **spec: Any,
) -> Obj:
    """Return a PersistentVolumeClaim, bound to the volume `to` if given."""
    bound = {"volumeName": to} if to else {}
    done = {"pv.kubernetes.io/bind-completed": "yes"} if to else {}
    made = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": size}},
        **bound,
        **spec,
    }
    meta = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "annotations": {**done, **(notes or {})},
    }
    return {"metadata": meta, "spec": made, "status": {"phase": phase}}


def make_affinity(key: str, *values: str) -> Obj:
    """Return the node affinity of a volume restricted to Nodes with one of these values of a label."""
    return {
        "required": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}
            ]
        }
    }


def make_volume(
    name: str, /, *, size: str = "1Gi", labels: Obj | None = None, phase: str = "Available", **spec: Any
) -> Obj:
    """Return a PersistentVolume of class `fast`, of a CSI driver by default."""
    given = any(k in spec for k in ("local", "awsElasticBlockStore", "gcePersistentDisk", "csi", "nfs"))
    source = {} if given else {"csi": {"driver": "disk.example.com", "volumeHandle": f"h-{name}"}}
    made = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        **source,
        **spec,
    }
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": made, "status": {"phase": phase}}


def make_storage_class(
    name: str = "fast",
    /,
    *,
    provisioner: str = "kubernetes.io/no-provisioner",
    binding: str = WAITS,
    **fields: Any,
) -> Obj:
    """Return a StorageClass, without a provisioner by default."""
    return {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": binding, **fields}


def make_csi_node(name: str, /, *, migrated: str = "", **limits: int) -> Obj:
    """Return a CSINode with a limit for `disk.example.com` and for drivers given by name with `_` for
    dots.
    """
    drivers = [
        {"name": driver.replace("_", "."), "nodeID": name, "allocatable": {"count": n}}
        for driver, n in limits.items()
    ]
    notes = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    return {"metadata": {"name": name, "annotations": notes}, "spec": {"drivers": drivers}}
