"""The objects of a large cluster and the truth about it: its incidents, and their members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from benchmarks.scale.maker import Maker

from unstuck_lab.objects_only import Json, Stored

SPACES = 120
PODS_EACH = 50


@dataclass(frozen=True)
class Truth:
    """One generated incident.

    causes: the right ids, none if the API alone cannot show the cause. culprit: kind, namespace, name.
    members: the affected objects.
    """

    causes: tuple[str, ...]
    culprit: tuple[str, str | None, str]
    members: frozenset[tuple[str, str, str]]


@dataclass
class World(Maker):
    """A generated cluster. nodes, pods: their numbers. truth: filled while `objects` is read."""

    nodes: int
    pods: int
    truth: list[Truth] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._down = [f"node-{i:05d}" for i in range(7, self.nodes, max(1, self.nodes // 3))][:3]
        self.begun = self.now - timedelta(hours=2)

    # --- the objects ----------------------------------------------------------------------------------------

    def list_objects(self) -> Iterator[Stored]:
        """Yield all objects in etcd's form."""
        yield from self.list_dated()
        yield from self._make_finished(self.pods * 2 // 15)
        app = 0
        while self.made < self.pods:
            yield from self._make_healthy(app, min(PODS_EACH, self.pods - self.made))
            app += 1

    def list_dated(self) -> Iterator[Stored]:
        """Yield the objects with relevant times: in an existing cluster of the same size only these are
        written again.
        """
        for i in range(SPACES):
            yield self.make_namespace(name_namespace(i))
        for i in range(self.nodes):
            yield from self._make_node(i)
        yield from self._make_incidents()

    def make_namespace(self, name: str, **status: Any) -> Stored:
        """Make a Namespace, Active unless overridden by `status`."""
        return f"/registry/namespaces/{name}", {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "uid": self.make_uid(), "creationTimestamp": self.format_time(9999)},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active", **status},
        }

    def _make_node(self, i: int) -> Iterator[Stored]:
        name = f"node-{i:05d}"
        down = name in self._down
        pressures = [
            ("MemoryPressure", "KubeletHasSufficientMemory"),
            ("DiskPressure", "KubeletHasNoDiskPressure"),
        ]
        conditions = [
            {
                "type": t,
                "status": "Unknown" if down else "False",
                "reason": "NodeStatusUnknown" if down else r,
                "lastHeartbeatTime": self.format_time(30 if down else 1),
                "lastTransitionTime": self.format_time(29 if down else 9000),
            }
            for t, r in pressures
        ]
        conditions.append(
            {
                "type": "Ready",
                "status": "Unknown" if down else "True",
                "reason": "NodeStatusUnknown" if down else "KubeletReady",
                "message": "Kubelet stopped posting node status."
                if down
                else "kubelet is posting ready status",
                "lastHeartbeatTime": self.format_time(30 if down else 1),
                "lastTransitionTime": self.format_time(29 if down else 9000),
            }
        )
        taints = [
            {"key": "node.kubernetes.io/unreachable", "effect": e, "timeAdded": self.format_time(29)}
            for e in ("NoSchedule", "NoExecute")
            if down
        ]
        yield (
            f"/registry/minions/{name}",
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": name,
                    "uid": self.make_uid(),
                    "creationTimestamp": self.format_time(9999),
                    "labels": {
                        "kubernetes.io/hostname": name,
                        "kubernetes.io/os": "linux",
                        "kubernetes.io/arch": "amd64",
                        "topology.kubernetes.io/zone": f"z{i % 3}",
                        "node.kubernetes.io/instance-type": "m5.4xlarge",
                    },
                },
                "spec": {"podCIDR": f"10.{i // 256}.{i % 256}.0/24", **({"taints": taints} if down else {})},
                "status": {
                    "capacity": {
                        "cpu": "16",
                        "memory": "65855488Ki",
                        "pods": "110",
                        "ephemeral-storage": "100Gi",
                    },
                    "allocatable": {
                        "cpu": "15890m",
                        "memory": "64800000Ki",
                        "pods": "110",
                        "ephemeral-storage": "90Gi",
                    },
                    "conditions": conditions,
                    "addresses": [{"type": "InternalIP", "address": f"10.200.{i // 256}.{i % 256}"}],
                    "nodeInfo": {
                        **dict.fromkeys(("machineID", "systemUUID", "bootID", "kubeProxyVersion"), "x"),
                        "kernelVersion": "5.15.0",
                        "osImage": "Ubuntu 22.04",
                        "containerRuntimeVersion": "containerd://1.7.13",
                        "kubeletVersion": "v1.34.4",
                        "architecture": "amd64",
                        "operatingSystem": "linux",
                    },
                    "images": [
                        {
                            "names": [
                                f"registry.example.com/app{j}@sha256:{'a' * 64}",
                                f"registry.example.com/app{j}:v1",
                            ],
                            "sizeBytes": 123456789,
                        }
                        for j in range(30)
                    ],
                },
            },
        )
        # The Lease is not renewed here: a live Node's Lease is dated ahead by more than the longest run.
        renewed = self.now + (timedelta(minutes=-30) if down else timedelta(days=1))
        yield (
            f"/registry/leases/kube-node-lease/{name}",
            {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {
                    "name": name,
                    "namespace": "kube-node-lease",
                    "uid": self.make_uid(),
                    "creationTimestamp": self.format_time(9999),
                },
                "spec": {
                    "holderIdentity": name,
                    "leaseDurationSeconds": 40,
                    "renewTime": renewed.strftime("%Y-%m-%dT%H:%M:%S.000000Z"),
                },
            },
        )

    def choose_node(self, i: int) -> str:
        """Return any Node that is up."""
        while (name := f"node-{i % self.nodes:05d}") in self._down:
            i += 1
        return name

    def _make_healthy(self, app: int, count: int) -> Iterator[Stored]:
        namespace = name_namespace(app)
        objects, owner = self.make_app(namespace, f"app-{app:04d}", count, count)
        yield from objects
        spec = self.make_spec("registry.example.com/app:v1")
        for _ in range(count):
            yield self.make_pod(
                owner, namespace, self.choose_node(self.made), spec, self.make_running_status()
            )

    def _make_finished(self, count: int) -> Iterator[Stored]:
        """Yield Pods of finished Jobs."""
        ended = {
            "terminated": {
                "exitCode": 0,
                "reason": "Completed",
                "startedAt": self.format_time(90),
                "finishedAt": self.format_time(80),
            }
        }
        for i in range(count):
            namespace, name = name_namespace(i % 30), f"backup-{i:06d}"
            uid = self.make_uid()
            if i % 10 == 0:
                yield f"/registry/jobs/{namespace}/{name}", self.make_job(namespace, name, uid, succeeded=1)
            owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
            status = {
                "phase": "Succeeded",
                "conditions": self.make_conditions("False"),
                "containerStatuses": [self.make_container_status(ready=False, started=False, state=ended)],
            }
            yield self.make_pod(
                owner,
                namespace,
                self.choose_node(i),
                self.make_spec("registry.example.com/app:v1", restartPolicy="Never"),
                status,
            )

    def _make_incidents(self) -> Iterator[Stored]:
        from benchmarks.scale import incidents  # noqa: PLC0415 - each uses this class

        for make in incidents.ALL:
            yield from make(self)

    def tell(
        self, causes: tuple[str, ...], culprit: tuple[str, str | None, str], members: list[Json]
    ) -> None:
        """Record a generated incident."""
        named = ((m["kind"], m["metadata"].get("namespace", ""), m["metadata"]["name"]) for m in members)
        self.truth.append(Truth(causes, culprit, frozenset(named)))

    @property
    def down(self) -> list[str]:
        """The silent Nodes."""
        return self._down


Make = Callable[[World], Iterator[Stored]]


def name_namespace(i: int) -> str:
    """Return the name of a Namespace."""
    return f"team-{i % SPACES:03d}"
