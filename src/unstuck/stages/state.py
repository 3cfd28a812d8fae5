"""Fine, progressing, stuck or unknown: what the words mean, with their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from unstuck.diagnosis.answer import Stage, State, StateName
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Text, lasting
from unstuck.facts.aspects.cluster import Claim, Lease, StorageClass, Workload
from unstuck.facts.aspects.objects import Below, Conditions, Deletion, Events, Owners, Phase, Presence
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatuses, Life
from unstuck.facts.aspects.services import ServicePods, ServiceSpec
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import SHUT_DOWN, loops, node_of, statuses
from unstuck.facts.lookup import Facts
from unstuck.stages.lines import deleting, stage_line, stopped
from unstuck.stages.namespace_deletion import empty_but_unlisted
from unstuck.stages.node import silent
from unstuck.stages.node_state import node_state
from unstuck.stages.overdue import overdue
from unstuck.stages.pod_deletion import requested_at
from unstuck.stages.pod_start import CREATE_REASONS, PULL_REASONS, START_REASONS
from unstuck.stages.words import said_of

_DEFAULT_AFTER = {
    "deleting": 30.0,
    "namespace": 60.0,
    "unscheduled": 30.0,
    "creating": 120.0,
    "not-ready": 60.0,
    "claim": 60.0,
    "workload": 120.0,
}
AT_ONCE = (*PULL_REASONS, *CREATE_REASONS, *START_REASONS, "CrashLoopBackOff")


def who(ref: Ref) -> str:
    """`Pod default/ed-immut`, `Namespace ci-8842`."""
    return (
        f"{ref.kind} {ref.within}/{ref.name or ref.uid or '?'}" if ref.within else f"{ref.kind} {ref.name or ref.uid or ref.block or '?'}"
    )


def state_of(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None = None) -> State:
    """The subject's state at the Snapshot's time. after: `--after`, seconds that replace every threshold.

    Of what has no line of stages, where what was said could stand, that is among its evidence.
    """
    state = _state(ref, snap, stages, after)
    if stages or state.name not in ("stuck", "unknown"):
        return state
    return replace(state, evidence=unique((*state.evidence, *said_of(ref, snap))))


def _state(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None) -> State:
    if unreadable := tuple(f for f in snap.of(Unreadable, ref) if f.whole):
        head = Text(f"{who(ref)} is stored and cannot be read", f"{who(ref)} 已存储但无法读取")
        return State("stuck", head, evidence=unreadable)
    if deleting(ref, snap):
        return _deleting(ref, snap, after)
    if ref.kind == "Pod" and stages and stages[0].id == "requested":
        return _going_unseen(ref, snap)
    if ref.kind == "Pod":
        return _starting_pod(ref, snap, stages, after)
    if ref.kind == "Node":
        return node_state(ref, snap)
    if ref.kind == "PersistentVolumeClaim":
        return _claim(ref, snap, after)
    if workload := snap.one(Workload, ref):
        return _failed_job(ref, snap) or _workload(ref, snap, workload, after)
    if ref.kind == "CronJob" and (held := _held_job(ref, snap, after)):
        return held
    if ref.kind == "Service" and (served := _service(ref, snap)):
        return served
    if ref.kind == "PersistentVolume" and (held := _volume(ref, snap)):
        return held
    return _there(ref, snap)


def _volume(ref: Ref, snap: Facts) -> State | None:
    """A PersistentVolume that is Failed, or Released while deleting what lies behind it fails (external-provisioner leaves its phase).

    Said once, it may have been asked for before the volume was detached, as it mostly is.
    """
    phases = snap.of(Phase, ref)
    if failed := [f for f in phases if f.phase == "Failed"]:
        return State("stuck", Text(f"{who(ref)} is Failed", f"{who(ref)} 处于 Failed 状态"), evidence=(failed[0],))
    said = tuple(f for f in snap.of(Events, ref) if sum(e.count for e in f.items if e.reason == "VolumeFailedDelete") > 1)
    if said and (released := [f for f in phases if f.phase == "Released"]):
        head = Text(f"{who(ref)} is Released and is not deleted", f"{who(ref)} 处于 Released 状态，且未被删除")
        return State("stuck", head, evidence=(released[0], *said))
    return None


def _there(ref: Ref, snap: Facts) -> State:
    """Of what only goes or stays."""
    present = snap.one(Presence, ref)
    if present and present.exists and present.whole:
        if deleting(ref, snap) is None:
            head = Text(f"{who(ref)} is there; whether it is being deleted was not seen", f"{who(ref)} 存在；未看到是否正在删除")
            return State("unknown", head, evidence=(present,))
        return State("fine", Text(f"{who(ref)} is there and is not being deleted", f"{who(ref)} 存在，未在删除"), evidence=(present,))
    return State("unknown", Text(f"{who(ref)}: not enough is known", f"{who(ref)}：已知信息不足"))


def _threshold(kind: str, after: float | None) -> timedelta:
    return timedelta(seconds=_DEFAULT_AFTER[kind] if after is None else after)


def _going_unseen(ref: Ref, snap: Facts) -> State:
    """Of a Pod of whose deletion nobody told, and that looks like one that goes."""
    if seen := stopped(ref, snap):
        head = Text(
            f"{who(ref)} has ended, its kubelet stopped it; whether it is being deleted was not seen",
            f"{who(ref)} 已结束，由 kubelet 停止；未看到是否正在删除",
        )
        return State("unknown", head, evidence=seen)
    return State(
        "unknown", Text(f"{who(ref)}: it fails on its way out; its deletion was not seen", f"{who(ref)}：清理步骤失败；未看到其删除请求")
    )


def _deleting(ref: Ref, snap: Facts, after: float | None) -> State:
    # Of several that tell of it, one that tells since when.
    fact = min((f for f in snap.of(Deletion, ref) if f.requested), key=lambda f: f.due is None)
    began = requested_at(fact)
    if fact.due is None or began is None:
        return State(
            "stuck", Text(f"{who(ref)} is being deleted; nobody told since when", f"{who(ref)} 正在删除，起始时间未知"), evidence=(fact,)
        )
    span = lasting(snap.now - began)
    head = Text(f"{who(ref)} has been deleting for {span.en}", f"{who(ref)} 已删除 {span.zh}仍未消失")
    over = snap.now - fact.due
    if over < timedelta(0):
        left = lasting(-over)
        tail = Text(f"; its grace period ends in {left.en}", f"；宽限期还剩 {left.zh}")
        return State("progressing", head + tail, began, (fact,))
    if fact.grace:
        grace = lasting(timedelta(seconds=fact.grace))
        head += Text(f"; its grace period ended after {grace.en}", f"；{grace.zh}的宽限期已过")
    empty = empty_but_unlisted(ref, snap) if ref.kind == "Namespace" else ()
    if empty:
        head += Text(
            ": it is empty as far as it can be listed, but the API cannot be listed completely", "：能列出的内容已清空，但无法完整列出 API"
        )
    name: StateName = "stuck" if over >= _threshold("namespace" if ref.kind == "Namespace" else "deleting", after) else "progressing"
    return State(name, head, began, (fact, *empty))


def _through(ref: Ref, snap: Facts, seen: tuple[Fact, ...]) -> State:
    """Of a Pod that has every stage behind it; told twice, it may have completed in between."""
    if any(f.phase == "Succeeded" for f in snap.of(Phase, ref)):
        return State("fine", Text(f"{who(ref)} has completed", f"{who(ref)} 已完成"), evidence=seen)
    head = Text(f"{who(ref)} is running and ready", f"{who(ref)} 运行正常且就绪")
    mirror = any(f.mirror for f in snap.of(Life, ref))
    return State("fine", head + Text("; it is the mirror of a static Pod", "；它是静态 Pod 的镜像") if mirror else head, evidence=seen)


def _starting_pod(ref: Ref, snap: Facts, stages: Sequence[Stage], after: float | None) -> State:
    # Where one container is known to stand says more than that nobody told of an earlier stage.
    current = next((s for state in ("not-done", "unknown") for s in stages if s.state == state), None)
    seen: tuple[Fact, ...] = (*snap.of(Phase, ref), *snap.of(ContainerStatuses, ref))
    # A table's row says Completed of one that went down with its Node, too.
    phase = next((f for f in snap.of(Phase, ref) if f.reason in SHUT_DOWN), snap.one(Phase, ref))
    if phase and phase.phase == "Succeeded" and deleting(ref, snap) is None and any(f.whole for f in snap.of(ContainerStatuses, ref)):
        # A description is silent about it; of a row in a table it is not worth a word.
        head = Text(f"{who(ref)} has completed; whether it is being deleted was not seen", f"{who(ref)} 已完成；未看到是否正在删除")
        return State("unknown", head, evidence=seen)
    if phase and phase.phase == "Succeeded":
        return State("fine", Text(f"{who(ref)} has completed", f"{who(ref)} 已完成"), evidence=seen)
    if current is None:
        return _through(ref, snap, seen)
    life = snap.one(Life, ref)
    begun = _began(ref, snap, current, life)
    span = lasting(snap.now - begun) if begun else None
    bad = [s for s in statuses(ref, snap) if s.reason in AT_ONCE or (s.ended is not None and s.kind == "main") or loops(s, snap.now)]
    restarts = max((s.restarts for s in bad), default=0)
    reason = _why_bad(bad[0].reason or (bad[0].ended.reason if bad[0].ended else "")) if bad else ""
    # The kubelet's own reason why it ended or refused the whole Pod says more than how its containers then ended.
    words = (phase.reason if phase and (phase.phase == "Failed" or phase.reason in SHUT_DOWN) else "") or reason
    where = Text(f"{who(ref)} is not up", f"{who(ref)} 未正常运行")
    if words:
        where += Text(f": {words}", f"：{words}")
    if restarts:
        where += Text(f", {restarts} restarts", f"，已重启 {restarts} 次")
    where += Text(f"; stage not done: {current.says.en}", f"；未完成阶段：{current.says.zh}")
    if span:
        where += Text(f", for {span.en}", f"，持续 {span.zh}")
    if not seen and life is None:
        head = Text(f"{who(ref)}: only messages about it were seen, not its state", f"{who(ref)}：只看到相关消息，未看到其状态")
        return State("unknown", head, begun)
    if bad or (phase and phase.phase == "Failed"):
        return State("stuck", where, begun, seen)
    if current.state == "unknown" and (told := _told_ready(ref, snap)):
        # A row of a table tells no stage before; that it is ready tells that nothing holds it up.
        return State("fine", Text(f"{who(ref)} is running and ready", f"{who(ref)} 运行正常且就绪"), evidence=(*seen, told))
    if current.state == "unknown" and _shown_ready(ref, snap):
        head = Text(
            f"{who(ref)}: its containers that were shown run and are ready; more of it was not seen",
            f"{who(ref)}：所显示的容器在运行且就绪；未看到其余信息",
        )
        return State("unknown", head, evidence=seen)
    kind = "unscheduled" if current.id == "scheduled" else "not-ready" if current.id in ("ready", "stays-up") else "creating"
    erring = current.state == "not-done" and current.id in (
        "devices-and-volumes-prepared",
        "sandbox-and-network",
        "images-pulled",
        "containers-created",
    )
    given = probes_time(ref, snap) if kind == "not-ready" and after is None else timedelta(0)
    if begun is None or erring or snap.now - begun >= _threshold(kind, after) + given:
        return State("stuck", where, begun, seen)
    return State("progressing", where, begun, seen)


def probes_time(ref: Ref, snap: Facts) -> timedelta:
    """The longest time that a container which runs and is not ready was given by its own probes to become so."""
    spec = snap.one(Containers, ref)
    waiting = {s.name for s in statuses(ref, snap) if s.state == "running" and not s.ready}
    given = [_allowance(c) for c in spec.items if c.name in waiting] if spec else []
    return timedelta(seconds=max(given, default=0))


def _allowance(c: ContainerSpec) -> int:
    """Seconds: what the startup probe allows to the last failure, then the readiness probe's first look."""
    start = c.startup.delay + c.startup.period * c.startup.failures if c.startup else 0
    return start + (c.readiness.delay + c.readiness.period if c.readiness else 0)


def _told_ready(ref: Ref, snap: Facts) -> Conditions | None:
    return next((f for f in snap.of(Conditions, ref) if any(c.type == "Ready" and c.status == "True" for c in f.items)), None)


def _shown_ready(ref: Ref, snap: Facts) -> bool:
    """Whether all containers of a piece that was cut out run and are ready, and nothing tells otherwise of the Pod."""
    shown = [s for s in statuses(ref, snap) if s.kind in ("main", "sidecar")]
    denied = any(c.type == "Ready" and c.status != "True" for f in snap.of(Conditions, ref) for c in f.items)
    return bool(shown) and not denied and all(s.state == "running" and s.ready for s in shown)


def _why_bad(reason: str) -> str:
    return reason


def _began(ref: Ref, snap: Facts, current: Stage, life: Life | None) -> datetime | None:
    if current.id in ("ready", "stays-up"):
        starts = [s.since for s in statuses(ref, snap) if s.state == "running" and s.since]
        if starts:
            return max(starts)
    conditions = snap.one(Conditions, ref)
    scheduled = conditions.get("PodScheduled") if conditions else None
    if current.id == "scheduled" and life and life.created:
        return life.created
    if scheduled and scheduled.status == "True" and scheduled.since:
        return scheduled.since
    return life.created if life else None


def _claim(ref: Ref, snap: Facts, after: float | None) -> State:
    phase = snap.one(Phase, ref)
    if phase is None:
        return State("unknown", Text(f"{who(ref)}: its phase was not seen", f"{who(ref)}：未看到其状态"))
    if phase.phase == "Bound":
        return State("fine", Text(f"{who(ref)} is bound", f"{who(ref)} 已绑定"), evidence=(phase,))
    present = snap.one(Presence, ref)
    begun = present.created if present else None
    span = lasting(snap.now - begun) if begun else None
    head = Text(f"{who(ref)} is {phase.phase}", f"{who(ref)} 状态为 {phase.phase}")
    if span:
        head += Text(f" for {span.en}", f"，已持续 {span.zh}")
    claim = snap.one(Claim, ref)
    waits = claim and claim.storage_class and any(f.waits for f in snap.of(StorageClass, Ref("StorageClass", None, claim.storage_class)))
    if phase.phase == "Pending" and not waits and (said := _waits_for_a_pod(ref, snap)):
        head += Text("; it is bound once a Pod that uses it is placed", "；使用它的 Pod 被调度后才会绑定")
        return State("progressing", head, begun, (phase, said))
    if phase.phase == "Pending" and (waits or (begun is not None and snap.now - begun < _threshold("claim", after))):
        return State("progressing", head, begun, (phase,))
    return State("stuck", head, begun, (phase,))


def _waits_for_a_pod(claim: Ref, snap: Facts) -> Events | None:
    """The controller's last word of it, where that is that its class binds once a Pod is placed (pv_controller.go, syncUnboundClaim)."""
    told = [(e.last is not None, e.last or snap.now, n, e, f) for f in snap.of(Events, claim) for n, e in enumerate(f.items)]
    newest = max(told, key=lambda t: t[:3], default=None)
    return newest[4] if newest and newest[3].reason in ("WaitForFirstConsumer", "WaitForPodScheduled") else None


def _workload(ref: Ref, snap: Facts, workload: Workload, after: float | None) -> State:
    old = max(workload.wanted, workload.created) - workload.updated if workload.rolls else 0
    down = workload.wanted - workload.ready
    if workload.finished or workload.suspended or (down <= 0 and old <= 0):
        return State("fine", Text(f"{who(ref)} has what it wants", f"{who(ref)} 已达到期望状态"), evidence=(workload,))
    if down > 0:
        head = Text(f"{who(ref)} has {down} of {workload.wanted} down", f"{who(ref)} {workload.wanted} 个副本中有 {down} 个不可用")
    else:
        head = Text(
            f"{who(ref)} still runs {old} of an older template: its rollout does not go on",
            f"{who(ref)} 仍有 {old} 个旧模板的 Pod：滚动更新没有进展",
        )
    conditions = snap.one(Conditions, ref)
    times = [t for c in conditions.items for t in (c.since, c.updated) if t] if conditions else []
    present = snap.one(Presence, ref)
    begun = max(times) if times else (present.created if present else None)
    if held := _name_taken(ref, snap):
        return State("stuck", head + held[0], held[1], (workload, *held[2]))
    # A StatefulSet or DaemonSet tells no time of its own; its Pods do.
    if not times and (since := _on_their_way(ref, snap, workload, after)):
        return State("progressing", head, since, (workload, *snap.of(Below, ref)))
    limit = _threshold("workload", after) if after is not None or not workload.deadline else timedelta(seconds=min(workload.deadline, 120))
    if begun and snap.now - begun < limit:
        return State("progressing", head, begun, (workload,))
    return State("stuck", head, begun, (workload,))


def _failed_job(ref: Ref, snap: Facts) -> State | None:
    """A Job that its controller has given up, with its reason: nothing starts it again."""
    conditions = snap.one(Conditions, ref) if ref.kind == "Job" else None
    failed = conditions.get("Failed") if conditions else None
    if conditions is None or failed is None or failed.status != "True":
        return None
    head = Text(f"{who(ref)} has failed", f"{who(ref)} 已失败")
    if said := ": ".join(word for word in (failed.reason, failed.message) if word):
        head += Text(f": {said}", f"：{said}")
    return State("stuck", head, failed.since, (conditions,))


def _on_their_way(ref: Ref, snap: Facts, workload: Workload, after: float | None) -> datetime | None:
    """Since when the youngest of its Pods that are not up is on its way; None where one is overdue, missing or not seen."""
    listed = (snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Pod" for r in f.refs)
    mine = snap.canon(ref)
    owned = (snap.canon(f.about) for f in snap.every(Owners) if f.controller and f.about.kind == "Pod" and snap.canon(f.controller) == mine)
    since: list[datetime] = []
    for pod in unique((*listed, *owned)):
        state = state_of(pod, snap, stage_line(pod, snap), after)
        if state.name == "progressing" and state.since:
            since.append(state.since)
        elif state.name == "stuck":
            return None
    # As many as the owner says are down; of the others nothing needs to be known.
    return max(since) if len(since) >= max(1, workload.wanted - workload.ready) else None


def _service(ref: Ref, snap: Facts) -> State | None:
    """Whether it has Pods to send to; of one without a selector, which somebody else serves, nothing is said."""
    spec, pods = snap.one(ServiceSpec, ref), snap.one(ServicePods, ref)
    if spec is None or not spec.selector or spec.outside:
        return None
    if pods is None:
        return State("unknown", Text(f"{who(ref)}: who is behind it was not seen", f"{who(ref)}：未看到其后端"), evidence=(spec,))
    ready = sum(p.ready for p in pods.matched)
    names = {name for p in pods.matched for name, _ in p.ports}
    lost = next((p for p in spec.ports if not p.target.isdecimal() and p.target not in names), None)
    if ready and lost:
        head = Text(f"{who(ref)} does not serve its port {lost.port}", f"{who(ref)} 的端口 {lost.port} 无法提供服务")
        return State("stuck", head, evidence=(spec, pods))
    if ready:
        return State("fine", Text(f"{who(ref)} has {ready} ready Pods", f"{who(ref)} 有 {ready} 个就绪的 Pod"), evidence=(pods,))
    if pods.matched:
        n = len(pods.matched)
        return State("stuck", Text(f"none of the {n} Pods of {who(ref)} is ready", f"{who(ref)} 的 {n} 个 Pod 均未就绪"), evidence=(pods,))
    return State("stuck", Text(f"{who(ref)} has no Pod to send to", f"{who(ref)} 没有可转发的 Pod"), evidence=(spec, pods))


def _held_job(ref: Ref, snap: Facts, after: float | None) -> State | None:
    """Of a CronJob: the state of the first of its Jobs that is stuck, as its own."""
    jobs = sorted({snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Job" for r in f.refs}, key=lambda r: r.key)
    states = ((job, _workload(job, snap, found, after)) for job in jobs if (found := snap.one(Workload, job)))
    job, state = next(((j, s) for j, s in states if s.name == "stuck"), (None, None))
    if job is None or state is None:
        return None
    head = Text(f"{who(ref)}: ", f"{who(ref)}：") + state.headline
    return State("stuck", head, state.since, state.evidence)


def _name_taken(ref: Ref, snap: Facts) -> tuple[Text, datetime | None, tuple[Fact, ...]] | None:
    """A StatefulSet's Pod that should be gone: its name is not free, so no other Pod can take its place. Text, since, evidence."""
    if ref.kind != "StatefulSet":
        return None
    pods = [snap.canon(r) for f in snap.of(Below, ref) if f.kind == "Pod" for r in f.refs]
    late = [(p, fact) for p in pods for fact in overdue(p, snap).hits]
    if not late:
        return None
    pod, fact = min(late, key=lambda one: one[0].key)
    began = requested_at(fact)
    span = lasting(snap.now - began) if began else Text("long", "很久")
    says = Text(f": {pod.name} deleting for {span.en}", f"：{pod.name} 已删除 {span.zh}仍未消失")
    node = node_of(pod, snap)
    lease = snap.one(Lease, node) if node else None
    if node and silent(node, snap).value:
        says += Text(f" on Node {node.name}, which does not report", f"（位于不再上报的节点 {node.name}）")
        if lease and lease.renewed:
            quiet = lasting(snap.now - lease.renewed)
            says += Text(f" (for {quiet.en})", f"（已 {quiet.zh}）")
    says += Text("; the same name cannot start elsewhere", "；同名 Pod 无法在别处启动")
    return says, began, (fact, *((lease,) if lease else ()))
