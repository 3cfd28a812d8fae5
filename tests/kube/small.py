"""A small cluster for scans: tables, lists, metadata and single objects of a test; each answer can be
delayed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.e2e.command import write_kubeconfig
from tests.kube.server import Handler, Server, serving

Doc = dict[str, Any]
# plural → (kind, group and version, namespaced), for the kinds of a scan.
KINDS = {
    "namespaces": ("Namespace", "v1", False),
    "nodes": ("Node", "v1", False),
    "pods": ("Pod", "v1", True),
    "configmaps": ("ConfigMap", "v1", True),
    "serviceaccounts": ("ServiceAccount", "v1", True),
    "services": ("Service", "v1", True),
    "limitranges": ("LimitRange", "v1", True),
    "persistentvolumeclaims": ("PersistentVolumeClaim", "v1", True),
    "persistentvolumes": ("PersistentVolume", "v1", False),
    "replicationcontrollers": ("ReplicationController", "v1", True),
    "events": ("Event", "v1", True),
    "deployments": ("Deployment", "apps/v1", True),
    "replicasets": ("ReplicaSet", "apps/v1", True),
    "statefulsets": ("StatefulSet", "apps/v1", True),
    "daemonsets": ("DaemonSet", "apps/v1", True),
    "jobs": ("Job", "batch/v1", True),
    "poddisruptionbudgets": ("PodDisruptionBudget", "policy/v1", True),
    "storageclasses": ("StorageClass", "storage.k8s.io/v1", False),
    "leases": ("Lease", "coordination.k8s.io/v1", True),
    "endpointslices": ("EndpointSlice", "discovery.k8s.io/v1", True),
    "gadgets": ("Gadget", "things.example.com/v1", True),
}
COLUMNS = {
    "pods": ("Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"),
    "persistentvolumeclaims": ("Name", "Status"),
    "nodes": ("Name", "Status"),
    "jobs": ("Name", "Status", "Completions"),
    "deployments": ("Name", "Ready", "Up-to-date"),
}
LONG_AGO = "2026-11-20T00:00:00Z"


@dataclass
class Small:
    """objects: all objects. before: gets each request first, and returns True if it has answered. asked:
    paths with their times.
    """

    objects: list[Doc] = field(default_factory=list)
    before: Callable[[Handler, str], bool] = lambda _handler, _path: False
    asked: list[tuple[str, float]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, handler: Handler) -> None:
        """Answer one request."""
        url = urlsplit(handler.path)
        with self.lock:
            self.asked.append((url.path, time.monotonic()))
        if self.before(handler, url.path):
            return
        query = {k: v[0] for k, v in parse_qs(url.query).items()}
        handler.say(*self._reply(url.path.strip("/").split("/"), query, handler.headers.get("Accept", "")))

    def _reply(self, parts: list[str], query: dict[str, str], accept: str) -> tuple[int, Doc]:
        if parts in (["api"], ["apis"]):
            return 200, self._discovery(parts[0])
        group, rest = ("v1", parts[2:]) if parts[0] == "api" else ("/".join(parts[1:3]), parts[3:])
        within = None
        if len(rest) > 2 and rest[0] == "namespaces":
            within, rest = rest[1], rest[2:]
        plural = rest[0] if rest else ""
        kind, version, _ = KINDS.get(plural, ("", "", False))
        if version != group:
            return 404, {"kind": "Status", "message": "the server could not find the requested resource"}
        found = [
            o for o in self.objects if o["kind"] == kind and within in (None, o["metadata"].get("namespace"))
        ]
        if len(rest) > 1:
            one = next((o for o in found if o["metadata"]["name"] == rest[1]), None)
            details = {"name": rest[1], "kind": plural}
            return (
                (200, _strip(one))
                if one
                else (
                    404,
                    {"kind": "Status", "message": f'{plural} "{rest[1]}" not found', "details": details},
                )
            )
        if kind == "Event":
            wanted = dict(
                part.split("=", 1) for part in query.get("fieldSelector", "").split(",") if "=" in part
            )
            found = [
                o
                for o in found
                if o["involvedObject"]["name"]
                == wanted.get("involvedObject.name", o["involvedObject"]["name"])
            ]
        if labels := query.get("labelSelector"):
            asked_for = dict(part.split("=", 1) for part in labels.split(",") if "=" in part)
            found = [o for o in found if asked_for.items() <= o["metadata"].get("labels", {}).items()]
        if "as=Table" in accept:
            return 200, _make_table(plural, found, query.get("includeObject", ""))
        if "PartialObjectMetadataList" in accept:
            phase = query.get("fieldSelector", "").partition("status.phase=")[2]
            found = [o for o in found if not phase or o["status"]["phase"] == phase]
            return 200, {
                "kind": "PartialObjectMetadataList",
                "items": [{"metadata": o["metadata"]} for o in found],
            }
        return 200, {
            "kind": f"{kind}List",
            "metadata": {"resourceVersion": "7"},
            "items": [_strip(o) for o in found],
        }

    def _discovery(self, root: str) -> Doc:
        groups: dict[str, list[Doc]] = {}
        for plural, (kind, version, namespaced) in KINDS.items():
            if ("/" in version) == (root == "apis"):
                scope = "Namespaced" if namespaced else "Cluster"
                verbs = ["delete", "get", "list", "patch"]
                response = {
                    "kind": kind,
                    "group": version.rpartition("/")[0],
                    "version": version.rpartition("/")[2],
                }
                groups.setdefault(version, []).append(
                    {"resource": plural, "responseKind": response, "scope": scope, "verbs": verbs}
                )
        items = [
            {
                "metadata": {"name": version.rpartition("/")[0]} if "/" in version else {},
                "versions": [
                    {"version": version.rpartition("/")[2], "resources": resources, "freshness": "Current"}
                ],
            }
            for version, resources in groups.items()
        ]
        return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}


def _strip(one: Doc) -> Doc:
    return {k: v for k, v in one.items() if k != "cells"}


def _make_table(plural: str, found: list[Doc], include: str) -> Doc:
    columns = COLUMNS.get(plural, ("Name",))
    rows: list[Doc] = [{"cells": [*one.get("cells", (one["metadata"]["name"],))]} for one in found]
    if include == "Metadata":
        rows = [
            {**row, "object": {"metadata": one["metadata"]}} for row, one in zip(rows, found, strict=True)
        ]
    return {
        "kind": "Table",
        "columnDefinitions": [{"name": c} for c in columns],
        "rows": rows,
        "metadata": {},
    }


@contextmanager
def small(cluster: Small, path: Path) -> Iterator[tuple[Server, Path]]:
    """Serve the cluster on loopback, and yield a kubeconfig for it, in the Namespace `default`."""
    with serving(cluster.answer) as server:
        yield server, write_kubeconfig(path / "kubeconfig", server.url)


def make_object(
    kind: str, name: str, namespace: str | None = None, cells: tuple[str, ...] = (), **fields: Any
) -> Doc:
    """Return an old object. cells: its cells in the server's table, after the name. meta: more of its
    metadata.
    """
    version = next(version for k, version, _ in KINDS.values() if k == kind)
    meta = {
        "name": name,
        "uid": f"uid-{kind}-{name}".lower(),
        "creationTimestamp": LONG_AGO,
        **fields.pop("meta", {}),
    }
    if namespace:
        meta["namespace"] = namespace
    row = {"cells": (name, *cells)} if cells else {}
    return {"apiVersion": version, "kind": kind, "metadata": meta, **fields, **row}


def make_namespace(name: str) -> Doc:
    """Return a healthy Namespace."""
    return make_object("Namespace", name, status={"phase": "Active"}, spec={"finalizers": ["kubernetes"]})


def make_node(name: str) -> Doc:
    """Return a healthy Node."""
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": LONG_AGO}]
    return make_object("Node", name, None, ("Ready",), spec={}, status={"conditions": conditions})


def make_lease(name: str) -> Doc:
    """Return a Node's Lease, dated ahead since it is not renewed here."""
    renewed = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    return make_object(
        "Lease",
        name,
        "kube-node-lease",
        spec={"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": renewed},
    )


def make_pod(name: str, space: str, status: str = "Running", waiting: Doc | None = None, **meta: Any) -> Doc:
    """Return a Pod on `n-1` with one container `c`. waiting: its waiting reason; without one it is running
    and ready.
    """
    container: Doc = {
        "name": "c",
        "image": "registry.example.com/app:1",
        "restartCount": 0,
        "ready": not waiting,
        "started": not waiting,
    }
    container["state"] = {"waiting": waiting} if waiting else {"running": {"startedAt": LONG_AGO}}
    ready = "False" if waiting else "True"
    conditions = [
        {"type": t, "status": s, "lastTransitionTime": LONG_AGO}
        for t, s in (
            ("PodScheduled", "True"),
            ("Initialized", "True"),
            ("ContainersReady", ready),
            ("Ready", ready),
        )
    ]
    state = {"startTime": LONG_AGO, "conditions": conditions, "containerStatuses": [container]}
    return make_object(
        "Pod",
        name,
        space,
        ("0/1" if waiting else "1/1", status, "0", "1d", "10.1.1.1", "n-1", "<none>", "<none>"),
        spec={"nodeName": "n-1", "containers": [{"name": "c", "image": "registry.example.com/app:1"}]},
        status={"phase": "Pending" if waiting else "Running", **state},
        meta=meta,
    )


def make_pod_with_map(name: str, space: str, config_map: str = "app-conf") -> Doc:
    """Return a Pod that waits for a ConfigMap, which is missing unless added."""
    said = f'configmap "{config_map}" not found'
    one = make_pod(
        name, space, "CreateContainerConfigError", {"reason": "CreateContainerConfigError", "message": said}
    )
    one["spec"]["containers"][0]["envFrom"] = [{"configMapRef": {"name": config_map}}]
    return one


def make_waiting_pod(
    name: str, space: str, said: str = "0/1 nodes are available: 1 Insufficient cpu."
) -> Doc:
    """Return a Pod that fits no Node. said: the scheduler's message."""
    one = make_pod(name, space, "Pending", {"reason": "", "message": ""})
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": said,
        "lastTransitionTime": LONG_AGO,
    }
    one["status"] = {"phase": "Pending", "conditions": [condition]}
    del one["spec"]["nodeName"]
    one["cells"] = (name, "0/1", "Pending", "0", "1d", "<none>", "<none>", "<none>", "<none>")
    return one


def make_healthy_cluster(space: str = "default") -> list[Doc]:
    """Return a healthy cluster."""
    return [make_node("n-1"), make_lease("n-1"), make_namespace(space), make_pod("fine", space)]


def read_json(text: str) -> Doc:
    """Return the document of `-o json`."""
    document: Doc = json.loads(text)
    return document
