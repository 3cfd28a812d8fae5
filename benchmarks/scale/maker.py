"""Objects in the final form from controllers and kubelets: workloads, their Pods, Events and Jobs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from unstuck_lab.objects_only import Json, Stored

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(kw_only=True)
class Maker:
    """A maker of objects. now: the moment after all times. made: the number of Pods made."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    seed: int = 1
    made: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - a truth that can be reproduced
        self._uid = 0

    def format_time(self, minutes: float) -> str:
        """Return the time this long ago, in the API's format."""
        return (self.now - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def make_uid(self) -> str:
        """Return a new uid."""
        self._uid += 1
        return f"{self._uid:08x}-0000-4000-8000-{self.seed:012x}"

    def make_suffix(self, length: int = 5) -> str:
        """Return a generated name suffix in the style of controllers."""
        return "".join(self._random.choices(_LETTERS, k=length))

    def make_app(
        self, namespace: str, name: str, replicas: int, ready: int, **template: Any
    ) -> tuple[list[Stored], Json]:
        """Return a Deployment and its ReplicaSet, and the owner reference of its Pods."""
        hash_ = self.make_suffix(10)
        spec = {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": self._make_template(name, **template),
        }
        deployment, set_ = self.make_uid(), self.make_uid()
        status = {
            "replicas": replicas,
            "updatedReplicas": replicas,
            "readyReplicas": ready,
            "availableReplicas": ready,
        }
        conditions = [
            {
                "type": "Available",
                "status": "True" if ready >= replicas else "False",
                "reason": "MinimumReplicasAvailable" if ready >= replicas else "MinimumReplicasUnavailable",
                "message": "",
                "lastTransitionTime": self.format_time(110),
                "lastUpdateTime": self.format_time(110),
            }
        ]
        own = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": name,
            "uid": deployment,
            "controller": True,
        }
        meta = {"namespace": namespace, "creationTimestamp": self.format_time(120), "generation": 1}
        objects: list[Stored] = [
            (
                f"/registry/deployments/{namespace}/{name}",
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "metadata": {
                        "name": name,
                        "uid": deployment,
                        **meta,
                        "annotations": {"deployment.kubernetes.io/revision": "1"},
                    },
                    "spec": spec,
                    "status": {"observedGeneration": 1, "conditions": conditions, **status},
                },
            ),
            (
                f"/registry/replicasets/{namespace}/{name}-{hash_}",
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "metadata": {"name": f"{name}-{hash_}", "uid": set_, **meta, "ownerReferences": [own]},
                    "spec": spec,
                    "status": {
                        "observedGeneration": 1,
                        "replicas": replicas,
                        "readyReplicas": ready,
                        "availableReplicas": ready,
                    },
                },
            ),
        ]
        owner = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": f"{name}-{hash_}",
            "uid": set_,
            "controller": True,
        }
        return objects, owner

    def _make_template(self, app: str, image: str = "registry.example.com/app:v1", **spec: Any) -> Json:
        return {"metadata": {"labels": {"app": app}}, "spec": self.make_spec(image, **spec)}

    def make_spec(self, image: str, **more: Any) -> Json:
        """Return the spec of a Pod with one container. more: fields of the spec; `container` adds fields of
        the container.
        """
        container = {
            "name": "app",
            "image": image,
            "env": [{"name": f"E{j}", "value": f"some-value-{j}"} for j in range(15)],
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"cpu": "1", "memory": "512Mi"},
            },
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
            **more.pop("container", {}),
        }
        tolerations = [
            {
                "key": f"node.kubernetes.io/{k}",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }
            for k in ("not-ready", "unreachable")
        ]
        return {
            "containers": [container],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "tolerations": tolerations,
            **more,
        }

    def make_pod(
        self, owner: Json, namespace: str, node: str | None, spec: Json, status: Json, **meta: Any
    ) -> Stored:
        """Return one Pod of this owner. meta: more of its metadata. The Pods of each node are counted."""
        self.made += 1
        base = owner["name"]
        name = meta.pop("name", None) or f"{base}-{self.make_suffix()}"
        managed = [
            {
                "manager": "kube-controller-manager",
                "operation": "Update",
                "apiVersion": "v1",
                "time": self.format_time(120),
                "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                    "f:spec": {f"f:x{j}": {".": {}, "f:y": {}} for j in range(25)},
                },
            }
        ]
        return f"/registry/pods/{namespace}/{name}", {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "uid": self.make_uid(),
                "creationTimestamp": self.format_time(110),
                "generateName": f"{base}-",
                "labels": {"app": base},
                "ownerReferences": [owner],
                "managedFields": managed,
                **meta,
            },
            "spec": {**spec, **({"nodeName": node} if node else {})},
            "status": {"qosClass": "Burstable", "startTime": self.format_time(110), **status},
        }

    def make_conditions(self, ready: str = "True", scheduled: str = "True", **more: Any) -> list[Json]:
        """Return a Pod's conditions. ready: whether it and its containers are ready; more: fields of the
        PodScheduled condition.
        """
        if scheduled != "True":
            return [
                {
                    "type": "PodScheduled",
                    "status": scheduled,
                    "lastTransitionTime": self.format_time(110),
                    **more,
                }
            ]
        return [
            {
                "type": t,
                "status": ready if t in ("Ready", "ContainersReady") else "True",
                "lastTransitionTime": self.format_time(109),
            }
            for t in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ]

    def make_container_status(self, **more: Any) -> Json:
        """Return a container's status: running and ready, unless overridden by `more`."""
        return {
            "name": "app",
            "image": "registry.example.com/app:v1",
            "imageID": "registry.example.com/app@sha256:" + "b" * 64,
            "containerID": "containerd://" + "c" * 64,
            "restartCount": 0,
            "ready": True,
            "started": True,
            "state": {"running": {"startedAt": self.format_time(108)}},
            "lastState": {},
            **more,
        }

    def make_running_status(self) -> Json:
        """Return the status of a healthy Pod."""
        return {
            "phase": "Running",
            "conditions": self.make_conditions(),
            "podIP": "10.1.1.1",
            "containerStatuses": [self.make_container_status()],
        }

    def make_event(self, about: Json, kind: str, reason: str, message: str, **more: Any) -> Stored:
        """Return a Warning Event about an object, repeated until a minute ago."""
        meta = about["metadata"]
        name = f"{meta['name']}.{self.make_suffix(10)}"
        return f"/registry/events/{meta['namespace']}/{name}", {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": name,
                "namespace": meta["namespace"],
                "uid": self.make_uid(),
                "creationTimestamp": self.format_time(100),
            },
            "involvedObject": {
                "apiVersion": about["apiVersion"],
                "kind": kind,
                **{k: meta[k] for k in ("name", "namespace", "uid")},
                **more,
            },
            "type": "Warning",
            "reason": reason,
            "message": message,
            "count": 40,
            "firstTimestamp": self.format_time(100),
            "lastTimestamp": self.format_time(1),
            "source": {"component": "kubelet" if kind == "Pod" else "controller"},
            "reportingComponent": "",
            "reportingInstance": "",
        }

    def make_job(self, namespace: str, name: str, uid: str, **status: Any) -> Json:
        """Return a succeeded or failed Job."""
        done = {
            "type": "Complete" if status.get("succeeded") else "Failed",
            "status": "True",
            "lastTransitionTime": self.format_time(80),
        }
        reason = (
            {}
            if status.get("succeeded")
            else {"reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit"}
        )
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "uid": uid,
                "creationTimestamp": self.format_time(120),
                "generation": 1,
            },
            "spec": {
                "parallelism": 1,
                "completions": 1,
                "backoffLimit": 2,
                "completionMode": "NonIndexed",
                "selector": {"matchLabels": {"job-name": name}},
                "template": {
                    "metadata": {"labels": {"job-name": name}},
                    "spec": self.make_spec("registry.example.com/app:v1", restartPolicy="Never"),
                },
            },
            "status": {"startTime": self.format_time(119), "conditions": [{**done, **reason}], **status},
        }
