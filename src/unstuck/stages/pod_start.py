"""How a Pod comes up: each stage from its own evidence (kubelet: SyncPod in pkg/kubelet/kuberuntime/kuberuntime_manager.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unstuck.diagnosis.answer import Stage
from unstuck.diagnosis.sign import Sign, any_of, heard, some
from unstuck.diagnosis.text import Text
from unstuck.facts.aspects.objects import Conditions, Failure, Phase, Presence
from unstuck.facts.aspects.pod import Containers, ContainerStatus, ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import loops
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.line import Step, line

Signed = Sign[Any]

PULL_REASONS = ("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable")
CREATE_REASONS = ("CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "PostStartHookError")
START_REASONS = ("RunContainerError", "StartError", "ContainerCannotRun")


def pod_start(pod: Ref, snap: Snapshot) -> tuple[Stage, ...]:
    """The line of a Pod that is not being deleted."""
    begun = _begun(pod, snap)
    steps = [
        Step("admitted", Text("admitted", "已准入"), _or(some(snap, Presence, pod, lambda f: [f] if f.exists else []), begun)),
        Step("gates-lifted", Text("gates lifted", "门控已解除"), _or(_flip(some(snap, Placement, pod, lambda f: f.gates)), begun)),
        Step("scheduled", Text("scheduled", "已调度"), _or(some(snap, Placement, pod, lambda f: [f.node] if f.node else []), begun)),
        Step("kubelet-accepted", Text("accepted", "kubelet 已接受"), _accepted(pod, snap)),
        Step("devices-and-volumes-prepared", Text("volumes ready", "卷与设备就绪"), _volumes_ready(pod, snap)),
        Step("sandbox-and-network", Text("sandbox", "沙箱与网络"), _sandbox(pod, snap)),
        Step("init-done", Text("init done", "init 完成"), _init_done(pod, snap)),
        Step("images-pulled", Text("images", "镜像已拉取"), _images_pulled(pod, snap)),
        Step("containers-created", Text("created", "容器已创建"), _created(pod, snap)),
        Step("started", Text("started", "已启动"), _started(pod, snap)),
        Step("ready", Text("ready", "就绪"), _ready(pod, snap)),
        Step("stays-up", Text("stays up", "保持运行"), _stays_up(pod, snap)),
    ]
    return line(steps)


# What only a kubelet tries, so that a message about it says that the Pod was placed.
_KUBELETS = ("volume-set-up", "sandbox-create", "image-pull", "container-create", "container-start", "network-set-up")


def _begun(pod: Ref, snap: Snapshot) -> Signed:
    """Whether a kubelet has begun with the Pod, as far as what it says or reports tells."""
    tried = heard(snap, Failure, pod, lambda f: [f] if f.operation in _KUBELETS or f.operation.startswith("probe-") else [])
    reported = heard(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state != "none" and (s.container_id or s.reason)])
    return any_of([s for s in (tried, reported) if s.value]) if tried.value or reported.value else Sign(None)


def _or(sign: Signed, begun: Signed) -> Signed:
    """A stage before the kubelet's is done once the kubelet has begun; only what was not told otherwise is concluded so."""
    return begun if sign.value is None and begun.value else sign


def _flip(sign: Signed) -> Signed:
    return sign if sign.value is None else Sign(not sign.value, seen=sign.seen)


def _status(pod: Ref, snap: Snapshot, pick: Callable[[ContainerStatus], bool]) -> Signed:
    return some(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if pick(s)])


def has_run(status: ContainerStatus) -> bool:
    """Whether the container's process was ever started, as far as the status tells."""
    if status.state == "running":
        return True
    ends = [e for e in (status.ended, status.last) if e]
    return any(e.reason not in START_REASONS for e in ends)


def _done_with(pod: Ref, snap: Snapshot) -> Signed:
    return some(snap, Phase, pod, lambda f: [f] if f.phase == "Succeeded" else [])


def _accepted(pod: Ref, snap: Snapshot) -> Signed:
    rejected = some(snap, Phase, pod, lambda f: [f] if f.phase == "Failed" and f.reason and f.reason != "Evicted" else [])
    told = heard(snap, Life, pod, lambda f: [f] if f.started else [])
    any_status = heard(snap, ContainerStatuses, pod, lambda f: [s for s in f.items if s.state != "none"])
    ran = _status(pod, snap, has_run)
    if rejected.value and not ran.value:
        return Sign(False, seen=rejected.seen)
    yes = [s for s in (told, any_status) if s.value]
    return any_of(yes) if yes else _unless_placed(pod, snap)


def _unless_placed(pod: Ref, snap: Snapshot) -> Signed:
    """A Pod that has no Node cannot have got this far."""
    placed = some(snap, Placement, pod, lambda f: [f.node] if f.node else [])
    return Sign(False, seen=placed.seen) if placed.value is False else Sign(None, seen=placed.seen)


def _sandbox_ready(pod: Ref, snap: Snapshot) -> Signed:
    by_condition = heard(
        snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "PodReadyToStartContainers" and c.status == "True"]
    )
    by_container = _status(pod, snap, lambda s: bool(s.container_id) or has_run(s))
    by_pull = _status(pod, snap, lambda s: s.reason in (*PULL_REASONS, *CREATE_REASONS, *START_REASONS, "CrashLoopBackOff"))
    yes = [s for s in (by_condition, by_container, by_pull, _done_with(pod, snap)) if s.value]
    return any_of(yes) if yes else Sign(None)


def _volumes_ready(pod: Ref, snap: Snapshot) -> Signed:
    ready = _sandbox_ready(pod, snap)
    if ready.value:
        return ready
    tried = heard(snap, Failure, pod, lambda f: [f] if f.operation in ("sandbox-create", "image-pull", "container-create") else [])
    if tried.value:
        return tried
    refused = heard(snap, Failure, pod, lambda f: [f] if f.operation in ("volume-set-up", "volume-attach", "volume-mount") else [])
    return Sign(False, seen=refused.seen) if refused.value else _unless_placed(pod, snap)


def _sandbox(pod: Ref, snap: Snapshot) -> Signed:
    ready = _sandbox_ready(pod, snap)
    if ready.value:
        return ready
    refused = heard(snap, Failure, pod, lambda f: [f] if f.operation == "sandbox-create" else [])
    return Sign(False, seen=refused.seen) if refused.value else _unless_placed(pod, snap)


def _init_done(pod: Ref, snap: Snapshot) -> Signed:
    done = some(snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Initialized" and c.status == "True"])
    if done.value or (finished := _done_with(pod, snap)).value:
        return done if done.value else finished
    return done


def _images_pulled(pod: Ref, snap: Snapshot) -> Signed:
    pulling = _status(pod, snap, lambda s: s.reason in PULL_REASONS)
    if pulling.value:
        return Sign(False, seen=pulling.seen)
    missing = _status(
        pod, snap, lambda s: s.kind != "ephemeral" and not s.container_id and s.reason not in (*CREATE_REASONS, *START_REASONS)
    )
    return _flip(missing) if missing.value is False else _unless_placed(pod, snap)


def _created(pod: Ref, snap: Snapshot) -> Signed:
    failing = _status(pod, snap, lambda s: s.reason in CREATE_REASONS)
    if failing.value:
        return Sign(False, seen=failing.seen)
    missing = _status(pod, snap, lambda s: s.kind != "ephemeral" and not s.container_id)
    return _flip(missing) if missing.value is False else _unless_placed(pod, snap)


def _started(pod: Ref, snap: Snapshot) -> Signed:
    waiting = _status(pod, snap, lambda s: s.kind != "ephemeral" and not has_run(s))
    return _flip(waiting)


def _ready(pod: Ref, snap: Snapshot) -> Signed:
    ready = some(snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"])
    if ready.value or (finished := _done_with(pod, snap)).value:
        return ready if ready.value else finished
    return ready


def _stays_up(pod: Ref, snap: Snapshot) -> Signed:
    """Not done while a container that should run lies down between two tries, or is up for no longer than the last time.

    Whatever ended well and is not restarted stays done.

    What has not started yet has not shown that it stays up.
    """
    started = _started(pod, snap)
    if not started.value:
        return Sign(None, seen=started.seen)
    spec = snap.one(Containers, pod)
    again = (spec.restart if spec else "Always") == "Always"
    down = _status(
        pod,
        snap,
        lambda s: (
            s.reason == "CrashLoopBackOff"
            or loops(s, snap.now)
            or (s.kind == "main" and s.ended is not None and (again or s.ended.code != 0))
            or (s.kind == "init" and s.ended is not None and s.ended.code != 0)
        ),
    )
    return _flip(down)
