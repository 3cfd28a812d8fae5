"""The faults of the generated cluster.

Each function adds one kind of fault and returns its truth: from the input, not from an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.scale.world import Make, World, name_namespace

from unstuck_lab.objects_only import Json, Stored


def _make_broken(
    world: World, namespace: str, name: str, count: int, status: Json, **template: Any
) -> tuple[list[Stored], list[Json]]:
    """Return a Deployment without ready Pods, with its Pods, each on a different Node."""
    image = template.pop("image", "registry.example.com/app:v1")
    objects, owner = world.make_app(namespace, name, count, 0, image=image, **template)
    pods = [
        world.make_pod(
            owner, namespace, world.choose_node(i * 37 + count), world.make_spec(image, **template), status
        )
        for i in range(count)
    ]
    return [*objects, *pods], [p for _, p in pods]


def _make_pulling(
    world: World, image: str, why: str, spread: range, each: int, name: str
) -> tuple[list[Stored], list[Json]]:
    message = f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": {why}'
    waiting = {
        "reason": "ImagePullBackOff",
        "message": f'Back-off pulling image "{image}": ErrImagePull: {message}',
    }
    status = {
        "phase": "Pending",
        "conditions": world.make_conditions("False"),
        "containerStatuses": [
            world.make_container_status(
                image=image, imageID="", ready=False, started=False, state={"waiting": waiting}
            )
        ],
    }
    stored: list[Stored] = []
    members: list[Json] = []
    for i in spread:
        more, pods = _make_broken(world, name_namespace(i), name, each, status, image=image)
        stored += more
        stored += [
            world.make_event(
                p,
                "Pod",
                "Failed",
                f'Failed to pull image "{image}": {message}',
                fieldPath="spec.containers{app}",
            )
            for p in pods
        ]
        members += pods
    return stored, members


def make_registries(world: World) -> Iterator[Stored]:
    """Yield two silent registries: the same cause, two roots."""
    for host, address, spread, each in (
        ("registry-a.example.com", "10.9.0.1", range(50), 3),
        ("registry-b.example.com", "10.9.0.2", range(50, 58), 2),
    ):
        image = f"{host}/shop/web:1"
        why = (
            f'failed to do request: Head "https://{host}/v2/shop/web/manifests/1": dial tcp {address}:443: '
            "connect: connection refused"
        )
        stored, members = _make_pulling(world, image, why, spread, each, f"web-{host[9]}")
        yield from stored
        world.tell(("image.registry-unreachable",), ("Registry", None, host), members)


def make_images(world: World) -> Iterator[Stored]:
    """Yield two missing images."""
    for image, spread, each in (
        ("registry.example.com/shop/cart:9", range(58, 61), 4),
        ("registry.example.com/shop/mail:typo", range(61, 62), 1),
    ):
        stored, members = _make_pulling(
            world, image, f"{image}: not found", spread, each, image.split("/")[-1].partition(":")[0]
        )
        yield from stored
        world.tell(("image.not-found",), ("Image", None, image), members)


def make_references(world: World) -> Iterator[Stored]:
    """Yield missing ConfigMaps and Secrets: the same name is a different object in each Namespace."""
    for kind, name, at, count in (
        ("ConfigMap", "app-conf", 62, 20),
        ("ConfigMap", "app-conf", 63, 5),
        ("ConfigMap", "routes", 64, 1),
        ("Secret", "db-password", 65, 8),
        ("Secret", "tls-front", 66, 3),
    ):
        low = kind.lower()
        said = f'{low} "{name}" not found'
        waiting = {"reason": "CreateContainerConfigError", "message": said}
        status = {
            "phase": "Pending",
            "conditions": world.make_conditions("False"),
            "containerStatuses": [
                world.make_container_status(
                    imageID="", ready=False, started=False, state={"waiting": waiting}
                )
            ],
        }
        wants = {"envFrom": [{f"{low[:6]}Ref" if kind == "Secret" else "configMapRef": {"name": name}}]}
        stored, pods = _make_broken(
            world, name_namespace(at), f"wants-{name}", count, status, container=wants
        )
        yield from stored
        for p in pods:
            yield world.make_event(p, "Pod", "Failed", f"Error: {said}", fieldPath="spec.containers{app}")
        world.tell((f"config.{low}-missing",), (kind, name_namespace(at), name), pods)


def make_exits(world: World) -> Iterator[Stored]:
    """Yield containers that exit or are OOM-killed: the template of each owner is a separate root."""
    for cause, at, count, code, reason in (
        ("container.exits-by-itself", 67, 30, 1, "Error"),
        ("container.exits-by-itself", 68, 4, 3, "Error"),
        ("container.exits-by-itself", 69, 1, 1, "Error"),
        ("container.out-of-memory", 70, 12, 137, "OOMKilled"),
        ("container.out-of-memory", 71, 2, 137, "OOMKilled"),
    ):
        ended = {
            "exitCode": code,
            "reason": reason,
            "startedAt": world.format_time(3),
            "finishedAt": world.format_time(2.9),
            "containerID": "containerd://x",
        }
        name = f"crash-{at}"
        message = "back-off 5m0s restarting failed container=app pod=x"
        state = {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
        status = {
            "phase": "Running",
            "conditions": world.make_conditions("False"),
            "containerStatuses": [
                world.make_container_status(
                    ready=False, started=False, restartCount=20, state=state, lastState={"terminated": ended}
                )
            ],
        }
        stored, pods = _make_broken(world, name_namespace(at), name, count, status)
        yield from stored
        for p in pods:
            yield world.make_event(
                p,
                "Pod",
                "BackOff",
                "Back-off restarting failed container app in pod x",
                fieldPath="spec.containers{app}",
            )
        world.tell((cause,), ("Deployment", name_namespace(at), name), pods)


def make_restarting(world: World) -> Iterator[Stored]:
    """Yield containers ready at this moment, but restarted every other minute."""
    # The last run took nine minutes and the current one has just begun: that stays valid while a large
    # cluster is made.
    last = {
        "exitCode": 2,
        "reason": "Error",
        "startedAt": world.format_time(9.5),
        "finishedAt": world.format_time(0.5),
        "containerID": "containerd://x",
    }
    running = world.make_container_status(
        restartCount=30,
        state={"running": {"startedAt": world.format_time(0)}},
        lastState={"terminated": last},
    )
    status = {**world.make_running_status(), "containerStatuses": [running]}
    namespace = name_namespace(72)
    objects, owner = world.make_app(namespace, "flapping", 5, 5)
    yield from objects
    pods = [
        world.make_pod(
            owner, namespace, world.choose_node(i), world.make_spec("registry.example.com/app:v1"), status
        )
        for i in range(5)
    ]
    yield from pods
    world.tell(("container.exits-by-itself",), ("Deployment", namespace, "flapping"), [p for _, p in pods])


def make_classes(world: World) -> Iterator[Stored]:
    """Yield claims of missing StorageClasses, and their waiting Pods."""
    for class_, spread in (("fast-nvme", range(73, 83)), ("gone-nfs", range(83, 85))):
        members: list[Json] = []
        for i in spread:
            namespace = name_namespace(i)
            claim: Json = {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": f"data-{class_}",
                    "namespace": namespace,
                    "uid": world.make_uid(),
                    "creationTimestamp": world.format_time(110),
                },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                    "storageClassName": class_,
                    "volumeMode": "Filesystem",
                },
                "status": {"phase": "Pending"},
            }
            yield f"/registry/persistentvolumeclaims/{namespace}/data-{class_}", claim
            yield world.make_event(
                claim,
                "PersistentVolumeClaim",
                "ProvisioningFailed",
                f'storageclass.storage.k8s.io "{class_}" not found',
            )
            none = f"0/{world.nodes} nodes are available"
            said = (
                f"{none}: pod has unbound immediate PersistentVolumeClaims. preemption: {none}: Preemption "
                "is not helpful for scheduling."
            )
            status = {
                "phase": "Pending",
                "conditions": world.make_conditions(scheduled="False", reason="Unschedulable", message=said),
            }
            volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"data-{class_}"}}
            objects, owner = world.make_app(namespace, f"db-{class_}", 1, 0, volumes=[volume])
            key, pod = world.make_pod(
                owner,
                namespace,
                None,
                world.make_spec("registry.example.com/app:v1", volumes=[volume]),
                status,
            )
            yield from objects
            yield key, pod
            members += [claim, pod]
        world.tell(("storage.class-missing",), ("StorageClass", None, class_), members)


def make_finalizers(world: World) -> Iterator[Stored]:
    """Yield Pods kept by a finalizer: running ones, failed ones, and completed ones among thousands of just
    completed Pods.
    """
    ended = {"startedAt": world.format_time(90), "finishedAt": world.format_time(80)}
    for hold, spread, phase in (
        ("example.com/hold-a", range(85, 110), "Running"),
        ("example.com/hold-b", range(110, 112), "Failed"),
        ("example.com/hold-c", range(3), "Succeeded"),
    ):
        members: list[Json] = []
        for i in spread:
            namespace, name = name_namespace(i), f"held-{hold[-1]}"
            code, reason = (0, "Completed") if phase == "Succeeded" else (1, "Error")
            over = {"terminated": {"exitCode": code, "reason": reason, **ended}}
            status = {
                "phase": "Failed" if phase == "Running" else phase,
                "conditions": world.make_conditions("False"),
                "containerStatuses": [world.make_container_status(ready=False, started=False, state=over)],
            }
            owner = {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": name,
                "uid": world.make_uid(),
                "controller": True,
            }
            for _ in range(6 if phase == "Running" else 2):
                meta = {
                    "deletionTimestamp": world.format_time(60),
                    "deletionGracePeriodSeconds": 30,
                    "finalizers": [hold],
                }
                spec = world.make_spec("registry.example.com/app:v1", restartPolicy="Never")
                key, pod = world.make_pod(owner, namespace, world.choose_node(i), spec, status, **meta)
                yield key, pod
                members.append(pod)
            if phase != "Running":
                # The same without a deletion: their table rows look the same.
                more = world.make_pod(
                    owner,
                    namespace,
                    world.choose_node(i),
                    world.make_spec("registry.example.com/app:v1", restartPolicy="Never"),
                    status,
                )
                if phase == "Succeeded":
                    yield more
        world.tell(
            ("finalizer.unknown-owner", "finalizer.controller-gone"), ("Finalizer", None, hold), members
        )


def make_quotas(world: World) -> Iterator[Stored]:
    """Yield Pods never created for a quota."""
    for at, want in ((112, 10), (113, 2)):
        namespace, name = name_namespace(at), "never"
        amounts = ", ".join(f"{word}: requests.cpu=100m" for word in ("requested", "used", "limited"))
        said = f'pods "{name}-x-abcde" is forbidden: exceeded quota: cpu, {amounts}'
        objects, _ = world.make_app(namespace, name, want, 0)
        deployment, set_ = objects[0][1], objects[1][1]
        failed = {
            "type": "ReplicaFailure",
            "status": "True",
            "reason": "FailedCreate",
            "message": said,
            "lastTransitionTime": world.format_time(100),
        }
        none = {"replicas": 0, "readyReplicas": 0, "availableReplicas": 0}
        deployment["status"].update({**none, "updatedReplicas": 0, "unavailableReplicas": want})
        deployment["status"]["conditions"].append({**failed, "lastUpdateTime": world.format_time(100)})
        set_["status"].update({**none, "conditions": [failed]})
        yield from objects
        quota = {"hard": {"requests.cpu": "100m"}}
        yield (
            f"/registry/resourcequotas/{namespace}/cpu",
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {
                    "name": "cpu",
                    "namespace": namespace,
                    "uid": world.make_uid(),
                    "creationTimestamp": world.format_time(900),
                },
                "spec": quota,
                "status": {**quota, "used": {"requests.cpu": "100m"}},
            },
        )
        yield world.make_event(set_, "ReplicaSet", "FailedCreate", f"Error creating: {said}")
        world.tell(("admission.quota-exceeded",), ("ResourceQuota", namespace, "cpu"), [deployment])


def make_gates(world: World) -> Iterator[Stored]:
    """Yield Pods held by a scheduling gate."""
    for at, gate, count in ((114, "example.com/quota-check", 6), (115, "example.com/capacity", 1)):
        namespace, name = name_namespace(at), f"gated-{at}"
        status = {
            "phase": "Pending",
            "conditions": world.make_conditions(
                scheduled="False",
                reason="SchedulingGated",
                message="Scheduling is blocked due to non-empty scheduling gates",
            ),
        }
        spec = {"schedulingGates": [{"name": gate}]}
        objects, owner = world.make_app(namespace, name, count, 0, **spec)
        yield from objects
        pods = [
            world.make_pod(
                owner, namespace, None, world.make_spec("registry.example.com/app:v1", **spec), status
            )
            for _ in range(count)
        ]
        yield from pods
        world.tell(("scheduling.gated",), ("SchedulingGate", None, gate), [p for _, p in pods])


def make_evicted(world: World) -> Iterator[Stored]:
    """Yield Pods evicted for writing beyond their limit."""
    namespace, name = name_namespace(116), "writer"
    said = "Pod ephemeral local storage usage exceeds the total limit of containers 8Mi. "
    status = {
        "phase": "Failed",
        "reason": "Evicted",
        "message": said,
        "conditions": world.make_conditions("False"),
    }
    spec = {
        "container": {
            "resources": {"limits": {"ephemeral-storage": "8Mi"}, "requests": {"ephemeral-storage": "8Mi"}}
        }
    }
    objects, owner = world.make_app(namespace, name, 1, 1, **spec)
    yield from objects
    pods = [
        world.make_pod(
            owner,
            namespace,
            world.choose_node(3),
            world.make_spec("registry.example.com/app:v1", **spec),
            status,
        )
        for _ in range(9)
    ]
    yield from pods
    yield world.make_pod(
        owner,
        namespace,
        world.choose_node(4),
        world.make_spec("registry.example.com/app:v1", **spec),
        world.make_running_status(),
    )
    world.tell(("container.evicted",), ("Deployment", namespace, name), [p for _, p in pods])


def make_readiness_gates(world: World) -> Iterator[Stored]:
    """Yield running containers whose Pod has an unset readiness gate."""
    namespace, name = name_namespace(117), "behind-lb"
    conditions = [
        c if c["type"] != "Ready" else {**c, "status": "False", "reason": "ReadinessGatesNotReady"}
        for c in world.make_conditions()
    ]
    status = {**world.make_running_status(), "conditions": conditions}
    spec = {"readinessGates": [{"conditionType": "example.com/lb-ready"}]}
    objects, owner = world.make_app(namespace, name, 3, 0, **spec)
    yield from objects
    pods = [
        world.make_pod(
            owner,
            namespace,
            world.choose_node(i),
            world.make_spec("registry.example.com/app:v1", **spec),
            status,
        )
        for i in range(3)
    ]
    yield from pods
    world.tell(
        ("controller.readiness-gate-unset",),
        ("ReadinessGate", namespace, "example.com/lb-ready"),
        [p for _, p in pods],
    )


def make_nodes(world: World) -> Iterator[Stored]:
    """Yield silent Nodes with Pods that only seem to run. The API does not show the reason."""
    for i, node in enumerate(world.down):
        namespace = name_namespace(118 + i % 2)
        members: list[Json] = []
        for n in range(2 + i):
            name = f"on-{node}-{n}"
            objects, owner = world.make_app(namespace, name, 8, 0)
            yield from objects
            conditions = [
                c
                if c["type"] != "Ready"
                else {**c, "status": "False", "lastTransitionTime": world.format_time(29)}
                for c in world.make_conditions()
            ]
            for _ in range(8):
                status = {**world.make_running_status(), "conditions": conditions}
                key, pod = world.make_pod(
                    owner, namespace, node, world.make_spec("registry.example.com/app:v1"), status
                )
                yield key, pod
                members.append(pod)
        world.tell((), ("Node", None, node), [{"kind": "Node", "metadata": {"name": node}}, *members])


def make_content(world: World) -> Iterator[Stored]:
    """Yield a Terminating Namespace with a claim held by a finalizer."""
    name = "ci-8842"
    key, gone = world.make_namespace(name, phase="Terminating")
    gone["metadata"]["deletionTimestamp"] = world.format_time(60)
    said = [
        (
            "NamespaceFinalizersRemaining",
            "SomeFinalizersRemain",
            (
                "Some content in the namespace has finalizers remaining: example.com/hold-d in 1 resource "
                "instances"
            ),
        )
    ]
    said.append(
        (
            "NamespaceContentRemaining",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 1 resource instances",
        )
    )
    gone["status"]["conditions"] = [
        {"type": t, "status": "True", "reason": r, "message": m, "lastTransitionTime": world.format_time(60)}
        for t, r, m in said
    ]
    yield key, gone
    held = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "left",
            "namespace": name,
            "uid": world.make_uid(),
            "creationTimestamp": world.format_time(900),
            "deletionTimestamp": world.format_time(60),
            "finalizers": ["example.com/hold-d"],
        },
    }
    yield f"/registry/configmaps/{name}/left", held
    members = [gone, held]
    world.tell(
        ("finalizer.unknown-owner", "finalizer.controller-gone", "namespace.content-remains"),
        ("Finalizer", None, "example.com/hold-d"),
        members,
    )


ALL: tuple[Make, ...] = (
    *(
        make_registries,
        make_images,
        make_references,
        make_exits,
        make_restarting,
        make_classes,
        make_finalizers,
    ),
    *(make_quotas, make_gates, make_evicted, make_readiness_gates, make_nodes, make_content),
)
