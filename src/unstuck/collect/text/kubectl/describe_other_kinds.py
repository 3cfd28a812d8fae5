"""Builds objects from descriptions of volumes, Deployments, DaemonSets, Jobs, Services and budgets
(describe.go, 1.5–1.34).

A described StatefulSet or ReplicaSet does not show the number of its ready Pods; no counts are read from
these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.kubectl.describe_pod import convert_to_rfc3339, parse_pairs, read_deletion_time
from unstuck.collect.text.kubectl.tree import Branch
from unstuck.facts.regex import regex

_REPLICAS = regex(r"(\d{1,9}) (desired|updated|total|available|unavailable)")
_STATUSES = regex(r"(\d{1,9}) (Active|Succeeded|Failed|Running)")
_REPLICA_SET = regex(r"^([a-z0-9][a-z0-9.-]{0,252}) \(\d{1,9}/\d{1,9} replicas created\)$")
_COUNTED = (
    ("disruptionsAllowed", "Allowed disruptions"),
    ("currentHealthy", "Current"),
    ("desiredHealthy", "Desired"),
    ("expectedPods", "Total"),
)
_PORT = regex(r"^(?P<name>\S{1,63})\s+(?P<port>\d{1,5})/(?P<protocol>[A-Z]{3,4})$")
_REQUIREMENT = regex(
    r"^(?P<key>[\w./-]{1,317}) (?P<operator>in|notin|not in) [\[(](?P<values>[^\])]{0,2000})[\])]"
)
_OPERATORS = {"in": "In", "notin": "NotIn", "not in": "NotIn"}
_CONDITION = regex(
    r"^\s*(?P<type>[A-Z]\w{1,100})\s+(?P<status>True|False|Unknown)\s+(?P<reason>[A-Z]\w{1,253})\s*$"
)


def build_volume(root: Branch, context: TextContext) -> dict[str, Any]:
    """Return a PersistentVolume, its claim and its CSI driver."""
    told, source = root.text("Status"), root.get("Source")
    within, slash, name = root.text("Claim").partition("/")
    spec: dict[str, Any] = {
        "storageClassName": root.text("StorageClass"),
        "persistentVolumeReclaimPolicy": root.text("Reclaim Policy"),
    }
    if slash:
        spec["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "apiVersion": "v1",
            "namespace": within,
            "name": name,
        }
    if source and source.text("Driver"):
        spec["csi"] = {"driver": source.text("Driver"), "volumeHandle": source.text("VolumeHandle")}
    if terms := _read_places(root):
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    ending = read_deletion_time(told, context.now)
    return {
        "kind": "PersistentVolume",
        "apiVersion": "v1",
        "metadata": {
            **_build_metadata(root),
            "finalizers": _parse_finalizers(root),
            **({"deletionTimestamp": ending} if ending else {}),
        },
        "spec": spec,
        "status": {
            "phase": _find_phase(told, root.text("Message")) if not ending else "",
            "message": root.text("Message"),
        },
    }


def _read_places(root: Branch) -> list[dict[str, Any]]:
    """Return the terms of a volume's node affinity, each `KEY in [VALUE, VALUE]` on a line of its own
    (printVolumeNodeAffinity).
    """
    affinity = root.get("Node Affinity")
    required = affinity.get("Required Terms") if affinity else None
    return [
        {
            "matchExpressions": [
                {
                    "key": m["key"],
                    "operator": _OPERATORS[m["operator"]],
                    "values": [v for v in m["values"].replace(",", " ").split() if v],
                }
                for line in term.lines()
                if (m := _REQUIREMENT.match(line))
            ]
        }
        for term in (required.below if required else ())
    ]


def _find_phase(status: str, message: str) -> str:
    """Return a volume's phase; its message is written with one alone (updateVolumePhaseWithEvent in
    pv_controller.go).
    """
    return status.split(maxsplit=1)[0] if status else "Failed" if message else ""


def build_deployment(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a Deployment: its replicas and conditions. An available replica is ready; ready replicas that
    are not available yet are not shown.
    """
    told = {word: int(n) for n, word in _REPLICAS.findall(root.text("Replicas"))}
    obj: dict[str, Any] = {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": _build_metadata(root)}
    conditions = list(_parse_conditions(root))
    if {"desired", "available"} <= told.keys():
        obj["spec"] = {
            "replicas": told["desired"],
            "paused": any(c["reason"] == "DeploymentPaused" for c in conditions),
        }
        obj["status"] = {
            "replicas": told.get("total", 0),
            "updatedReplicas": told.get("updated", 0),
            "readyReplicas": told["available"],
            "unavailableReplicas": told.get("unavailable", 0),
        }
    return {**obj, "status": {**obj.get("status", {}), "conditions": conditions}}


def list_replica_sets(root: Branch) -> list[str]:
    """Return the names of a Deployment's ReplicaSets."""
    told = ",".join((root.text("NewReplicaSet"), root.text("NewReplicaSets"), root.text("OldReplicaSets")))
    return [found[1] for part in told.split(",") if (found := _REPLICA_SET.match(part.strip()))]


def build_service(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a Service: its selector, and the targets of its ports. The addresses behind it name no Pod."""
    kind = root.text("Type")
    ports: list[dict[str, Any]] = []
    for branch in root.below:
        if branch.key == "Port" and (found := _PORT.match(branch.value)):
            name = found["name"] if found["name"] != "<unset>" else ""
            ports.append({"name": name, "port": int(found["port"]), "protocol": found["protocol"]})
        elif branch.key == "TargetPort" and ports:
            ports[-1]["targetPort"] = branch.value.partition("/")[0]
    spec: dict[str, Any] = {"selector": parse_pairs(root.get("Selector")), "type": kind, "ports": ports}
    # Only a server's own object is described.
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": _build_metadata(root),
        "spec": spec,
        "status": {"loadBalancer": {}},
    }


def is_without_endpoints(root: Branch) -> bool:
    """Tell whether every port of a described Service shows that it has no endpoints: `<none>`, or nothing if
    the description goes on below.
    """
    told = [branch.value.strip() for branch in root.below if branch.key == "Endpoints"]
    return bool(told) and all(value in ("", "<none>") for value in told)


def build_daemon_set(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a DaemonSet: the numbers of Nodes with it desired and available."""
    wanted, ready = (
        _parse_number(root, "Desired Number of Nodes Scheduled"),
        _parse_number(root, "Number of Nodes Scheduled with Available Pods"),
    )
    obj: dict[str, Any] = {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": _build_metadata(root)}
    if wanted is not None and ready is not None:
        obj["spec"] = {"selector": {}}
        obj["status"] = {
            "desiredNumberScheduled": wanted,
            "numberReady": ready,
            "currentNumberScheduled": _parse_number(root, "Current Number of Nodes Scheduled") or 0,
            "numberUnavailable": max(0, wanted - ready),
        }
    return obj


def build_job(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a Job: the numbers of Pods that are to complete and that have."""
    counts = {word: int(n) for n, word in _STATUSES.findall(root.text("Pods Statuses"))}
    obj: dict[str, Any] = {"kind": "Job", "apiVersion": "batch/v1", "metadata": _build_metadata(root)}
    completions, parallel = _parse_number(root, "Completions"), _parse_number(root, "Parallelism")
    if counts and parallel is not None:
        ready = re.search(r"\((\d{1,9}) Ready\)", root.text("Pods Statuses"))
        obj["spec"] = {
            "parallelism": parallel,
            "completions": completions,
            "suspend": root.text("Suspend") == "true",
        }
        active = counts.get("Active", counts.get("Running", 0))
        obj["status"] = {
            "active": active,
            "succeeded": counts.get("Succeeded", 0),
            "failed": counts.get("Failed", 0),
        }
        if ready:
            obj["status"]["ready"] = int(ready[1])
    return obj


def build_budget(root: Branch, _context: TextContext) -> dict[str, Any]:
    """Return a PodDisruptionBudget: its limits, and its status numbers (describePodDisruptionBudget)."""
    asks = {
        key: root.text(shown)
        for key, shown in (("minAvailable", "Min available"), ("maxUnavailable", "Max unavailable"))
    }
    obj = {
        "kind": "PodDisruptionBudget",
        "apiVersion": "policy/v1",
        "metadata": _build_metadata(root),
        "spec": {key: int(text[:9]) if text.isdecimal() else text for key, text in asks.items() if text},
    }
    status = root.get("Status")
    counted = {key: _parse_number(status, shown) for key, shown in _COUNTED} if status else {}
    return {**obj, "status": counted} if counted and None not in counted.values() else obj


def _build_metadata(root: Branch) -> dict[str, Any]:
    return {
        "labels": parse_pairs(root.get("Labels")),
        "creationTimestamp": convert_to_rfc3339(root.text("CreationTimestamp")),
    }


def _parse_finalizers(root: Branch) -> list[str]:
    return root.text("Finalizers").strip("[]").split()


def _parse_number(root: Branch, key: str) -> int | None:
    text = root.text(key)
    return int(text[:9]) if text.isdecimal() else None


def _parse_conditions(root: Branch) -> Iterator[dict[str, Any]]:
    table = root.get("Conditions")
    for _, line in table.raw if table else ():
        if found := _CONDITION.match(line):
            yield {"type": found["type"], "status": found["status"], "reason": found["reason"]}
