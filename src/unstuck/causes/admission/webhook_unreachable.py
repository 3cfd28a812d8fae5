"""A webhook that must be asked does not answer

## How it happens

A webhook with `failurePolicy: Fail` is asked about the writes that would finish this, and nothing answers for it: its Deployment was
deleted or scaled down, its Pods are not ready, its Service is gone. The API server refuses every such write, the kubelet's own too. The
kubelet tries again for ever, and no event tells it.

## How to tell

The kubelet's log has `Failed to delete status for pod` or `Failed to update status for pod` with `failed calling webhook "NAME"`. The
webhook of that name stands in a ValidatingWebhookConfiguration or MutatingWebhookConfiguration with `failurePolicy: Fail`, and its
Service does not exist or has no ready address.

## Known limits

Without the kubelet's log it is likely at most: selectors and match conditions may leave this object out. A webhook behind a URL is not
looked at. `kubectl delete --dry-run=server` of an object that is being deleted skips admission and proves nothing.

## References

- Kubernetes documentation: Dynamic Admission Control, Failure policy
- staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook; pkg/kubelet/status/status_manager.go
"""

from __future__ import annotations

from dataclasses import dataclass

from unstuck.causes.admission._refused import CLUSTER, WRITES, in_turn, refused, written
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import Webhook, Webhooks
from unstuck.facts.aspects.cluster import Backends
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Deletion, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue
from unstuck.stages.state import who


@dataclass(frozen=True, slots=True)
class _Dead:
    """A webhook with nothing behind it. gone: its Service does not exist."""

    hook: Webhook
    gone: bool


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    said = refused(pod, snap, "webhook-unreachable")
    names = {f.object.name for f in said.hits if f.object}
    guards = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.fails and (h.name in names or _asked(h, pod))])
    dead = _dead(in_turn(guards, said, pod, snap), snap)
    named = tuple(d for d in dead.hits if d.hook.name in names)
    proof: Sign[_Dead] = Sign(True, named, (*said.seen, *dead.seen), sure=said.sure) if named else Sign(None, wants=dead.wants)
    return Signs(
        applies=overdue(pod, snap),
        necessary={"a webhook that must be asked has nothing behind it": dead},
        decisive={"the kubelet's write was refused for want of its answer": proof},
        supporting={"it is asked about a write that would finish this": _unscoped(dead, pod)},
        finding=lambda: _finding(pod, (*named, *dead.hits)[0], said.hits),
    )


def _asked(hook: Webhook, pod: Ref) -> bool:
    return hook.scope.reaches(pod.within) and any(hook.covers("", resource, operation) for resource, operation in WRITES.values())


def _unscoped(dead: Sign[_Dead], pod: Ref) -> Sign[_Dead]:
    hits = tuple(d for d in dead.hits if not d.hook.scope.more and _asked(d.hook, pod))
    return Sign(True, hits, dead.seen) if hits else Sign(None)


def _dead(guards: Sign[Webhook], snap: Snapshot) -> Sign[_Dead]:
    """Whether one of them has nothing behind it; those behind a URL are not looked at, and stay open."""
    if not guards.value:
        return Sign(guards.value, seen=guards.seen, wants=guards.wants)
    return any_of([_one(hook, guards.seen, snap) for hook in guards.hits])


def _one(hook: Webhook, seen: tuple[Fact, ...], snap: Snapshot) -> Sign[_Dead]:
    if hook.service is None:
        return Sign(None, seen=seen)
    gone = some(snap, Presence, hook.service, lambda f: [_Dead(hook, True)] if not f.exists else [])
    empty = some(snap, Backends, hook.service, lambda f: [_Dead(hook, False)] if f.ready == 0 else [])
    if gone.value:
        return Sign(True, gone.hits, (*seen, *gone.seen), sure=gone.sure)
    # Whether addresses are ready says that it is there, too.
    return Sign(empty.value, empty.hits, (*seen, *empty.seen), empty.wants, empty.sure)


def _finding(pod: Ref, dead: _Dead, said: tuple[Failure, ...]) -> Finding:
    hook = dead.hook
    service = f"Service {hook.service.within}/{hook.service.name}" if hook.service else "its backend"
    lacks, lacks_zh = ("does not exist", "不存在") if dead.gone else ("has no ready address", "没有就绪地址")
    refused_, refused_zh = written(said[0]) if said else ("writes that would finish this", "能完成此事的写入")
    return Finding(
        Text(
            f"Webhook {hook.name} must be asked about {refused_}, and {service} behind it {lacks}",
            f"Webhook {hook.name} 必须被询问（{refused_zh}），而其后端 {service} {lacks_zh}",
        ),
        culprit=hook.configuration,
        blocks=(pod,),
        notes=(Text(f"it stands in {who(hook.configuration)}", f"它定义在 {who(hook.configuration)} 中"),),
        help=(
            Step(
                Text(f"restore {service}; the kubelet tries again by itself", f"恢复 {service}；kubelet 会自行重试"),
                where="source",
                verify=Text("the Pod goes within seconds", "Pod 会在数秒内消失"),
            ),
            Step(
                Text(
                    "or narrow the webhook's rules or selectors so that it is not asked about this; its check of such writes ends",
                    "或收窄该 webhook 的规则或选择器，使其不再涉及此写入；其在该处的检查随之失效",
                ),
                where="source",
                command=("kubectl", "edit", hook.configuration.kind.lower().partition(".")[0], hook.configuration.name or ""),
                risk="disrupts",
            ),
        ),
        do_not=(
            DoNot(
                Text("force delete the Pod", "强制删除该 Pod"),
                Text(
                    "the same webhook refuses it, or, if it does not, every other Pod behind the webhook still waits",
                    "同一个 webhook 会拒绝；即使不拒绝，其他受影响的 Pod 仍会等待",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.webhook-unreachable",
    title=Text("a webhook that must be asked does not answer", "必须询问的 webhook 无应答"),
    subjects=("Pod",),
    stages=("containers-stopped", "phase-reported", "final-delete"),
    reads=frozenset({Deletion, Failure, LogSeen, Placement, PodCgroup, Webhooks, Backends, Presence}),
    rule=_rule,
)
