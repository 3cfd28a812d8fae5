"""The real kube-scheduler on clusters that exist in etcd only: no controller manager, no kubelet, nothing that changes them meanwhile.

Objects are written to etcd as they stand, so uids, status and deletion times are kept; the API server reads them with its defaults, and
kube-scheduler sees them by its own watches. Needs etcd(1) and the cluster's programs, no root and no running lab.
"""

from __future__ import annotations

import base64
import http.client
import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from unstuck_lab import api, build, pki, shell
from unstuck_lab.errors import ApiError, LabError
from unstuck_lab.paths import SERVICE_RANGE, Paths

Json = dict[str, Any]

# Of a case: where the API server keeps a kind, and what it is called.
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
_TRANSACTION = 100


class SchedulerProcess:
    """An etcd, an API server and a kube-scheduler of their own, ended with the `with`."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="unstuck-scheduler-")))
        self._paths = replace(Paths.from_environment(), state=directory)
        self._programs = build.ensure(self._paths, lambda line: click.echo(line, err=True))
        self._etcd, self._peer, self._port = _free_ports(3)
        self._server = api.Server(f"https://127.0.0.1:{self._port}", str(self._paths.pki / "ca.crt"))

    def __enter__(self) -> SchedulerProcess:
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def ask(self, case: Mapping[str, Any], settle: float = 0.4, deadline: float = 8) -> Json:
        """The `PodScheduled` condition of the case's Pod, or `{"node": …}` where it was bound; empty when nothing came in time.

        settle: seconds for the scheduler's watches to bring everything before the Pod comes.
        """
        self._forget()
        self._write(_objects(case))
        time.sleep(settle)
        pod = case["pod"]
        self._write([_object("pods", pod)])
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        until = time.monotonic() + deadline
        while time.monotonic() < until:
            try:
                found = api.request(self._server, "GET", path, token=self._token)
            except ApiError:
                found = {}
            conditions = {c["type"]: c for c in found.get("status", {}).get("conditions", ())}
            if "PodScheduled" in conditions:
                condition: Json = conditions["PodScheduled"]
                return condition if condition["status"] == "False" else {"node": found["spec"].get("nodeName", "")}
            time.sleep(0.03)
        return {}

    @property
    def _token(self) -> str:
        return pki.token(self._paths, pki.ADMIN)

    def _start(self) -> None:
        pki.ensure(self._paths)
        state, keys = self._paths.state, self._paths.pki
        self._spawn(
            "/usr/bin/etcd",
            f"--data-dir={state}/etcd",
            "--unsafe-no-fsync",
            "--log-level=error",
            f"--listen-client-urls=http://127.0.0.1:{self._etcd}",
            f"--advertise-client-urls=http://127.0.0.1:{self._etcd}",
            f"--listen-peer-urls=http://127.0.0.1:{self._peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{self._peer}",
            f"--initial-cluster=default=http://127.0.0.1:{self._peer}",
        )
        self._spawn(
            self._programs.component("kube-apiserver"),
            f"--etcd-servers=http://127.0.0.1:{self._etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._port}",
            "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={keys}/apiserver.crt",
            f"--tls-private-key-file={keys}/apiserver.key",
            f"--token-auth-file={self._paths.tokens}",
            f"--service-account-key-file={keys}/sa.pub",
            f"--service-account-signing-key-file={keys}/sa.key",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            "--authorization-mode=AlwaysAllow",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
        )
        shell.wait_for(self._ready, 120, "the API server is ready")
        config = state / "scheduler.conf"
        pki.write_private(config, pki.kubeconfig(self._paths, pki.ADMIN, self._server.url))
        self._spawn(self._programs.component("kube-scheduler"), f"--kubeconfig={config}", "--leader-elect=false", "--secure-port=0")

    def _ready(self) -> bool:
        try:
            return api.request(self._server, "GET", "/readyz", token=self._token).get("message") == "ok"
        except LabError:
            return False

    def _spawn(self, *argv: str) -> None:
        log = self._stack.enter_context((self._paths.state / f"{Path(argv[0]).name}.log").open("wb"))
        process = subprocess.Popen(["nice", *argv], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._stack.callback(process.wait)
        self._stack.callback(process.terminate)

    def _forget(self) -> None:
        for prefix, _, _ in _KINDS.values():
            key = f"/registry/{prefix}/"
            self._send("deleterange", {"key": _encoded(key), "range_end": _encoded(key[:-1] + "0")})

    def _write(self, objects: list[tuple[str, Json]]) -> None:
        for at in range(0, len(objects), _TRANSACTION):
            puts = [{"requestPut": {"key": _encoded(key), "value": _encoded(json.dumps(o))}} for key, o in objects[at : at + _TRANSACTION]]
            self._send("txn", {"success": puts})

    def _send(self, what: str, body: Json) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._etcd, timeout=20)
        try:
            connection.request("POST", f"/v3/kv/{what}", json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
        except OSError as error:
            raise LabError(f"cannot be reached: {error}", "etcd") from error
        finally:
            connection.close()
        if answer.status >= 400:
            raise LabError(text.decode(errors="replace")[:200], "etcd")


def _objects(case: Mapping[str, Any]) -> list[tuple[str, Json]]:
    return [_object(field, one) for field in _KINDS for one in case.get(field, ())]


def _object(field: str, one: Json) -> tuple[str, Json]:
    """Its key in etcd, and the object as the API server stores it."""
    prefix, version, kind = _KINDS[field]
    metadata = one["metadata"]
    within = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    stored = {"apiVersion": version, "kind": kind, **one}
    stored["metadata"] = {"uid": f"uid-{kind}-{metadata['name']}".lower(), "creationTimestamp": "2026-11-20T00:00:00Z", **metadata}
    if kind == "Pod":
        stored["spec"] = {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", **one["spec"]}
        stored["status"] = {"phase": "Pending", **one.get("status", {})}
    return f"/registry/{prefix}/{within}{metadata['name']}", stored


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _free_ports(count: int) -> Iterator[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return iter([one.getsockname()[1] for one in sockets])
