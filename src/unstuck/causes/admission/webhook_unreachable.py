"""A webhook that must be asked does not answer

## How it happens

A webhook with `failurePolicy: Fail` is asked about the writes that would finish this, and nothing answers for it: its Deployment was
deleted or scaled down, its Pods are not ready, its Service is gone. The API server refuses every such write: the kubelet's status and
final DELETE of a Pod, the namespace controller's deletions, the UPDATE with which a controller takes its finalizer off. All of them try
again for ever, and no event tells it. New Pods are refused in the same way, and their workload stays empty. A webhook whose own backend
lies in the Namespace that is being deleted is the usual case.

## How to tell

The one who writes says so: the kubelet's log (`Failed to delete status for pod`, `Failed to update status for pod`) or the Namespace's
condition NamespaceDeletionContentFailure, with `failed calling webhook "NAME"`. The webhook of that name stands in a
ValidatingWebhookConfiguration or MutatingWebhookConfiguration with `failurePolicy: Fail`, and its Service does not exist or has no ready
address. Of Pods that are not created the same words stand in the events of their workload and in the condition ReplicaFailure. Where an
object only waits for its finalizers, a webhook on the UPDATE of its type without any selector is proof enough.

## Known limits

Where selectors or match conditions may leave the object out, it is likely at most unless the refusal itself was seen. A webhook behind a
URL is not looked at. Where new Pods are refused and the backend is ready all the same (wrong port or certificate, too slow), it is
`likely`. `kubectl delete --dry-run=server` of an object that is being deleted skips admission and proves nothing.

## References

- Kubernetes documentation: Dynamic Admission Control, Failure policy
- staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook; pkg/kubelet/status/status_manager.go
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from unstuck.causes.admission import _creation
from unstuck.causes.admission._refused import CLUSTER, in_turn, refused, writes, written
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import Webhook, Webhooks
from unstuck.facts.aspects.cluster import Backends, Contents
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import deleting
from unstuck.stages.overdue import overdue
from unstuck.stages.served import unserved
from unstuck.stages.state import who

# staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
_CALLED = re.compile(r'failed calling webhook "([^"]{1,253})"')


@record()
class _Dead(Record):
    """A webhook with nothing behind it. gone: its Service does not exist."""

    hook: Webhook
    gone: bool


def _rule(subject: Ref, snap: Snapshot) -> Signs:
    if subject.kind in _creation.CREATORS and not deleting(subject, snap):
        return _of_pods(subject, snap)
    said: Sign[Any] = refused(subject, snap, "webhook-unreachable") if subject.kind == "Pod" else _in_conditions(subject, snap)
    names = _names(said)
    guards = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.fails and (h.name in names or _asked(h, subject))])
    dead = _dead(in_turn(guards, said, subject, snap) if subject.kind == "Pod" else guards, snap)
    named = tuple(d for d in dead.hits if d.hook.name in names)
    proof: Sign[_Dead] = Sign(True, named, (*said.seen, *dead.seen), sure=said.sure) if named else Sign(None, wants=dead.wants)
    always = _always_asked(dead, subject)
    decisive = {"a write that would finish this was refused for want of its answer": proof}
    if subject.kind not in ("Pod", "Namespace"):
        decisive["it is asked about every UPDATE of this type, and so about taking a finalizer off"] = always
    return Signs(
        applies=overdue(subject, snap),
        necessary={"a webhook that must be asked has nothing behind it": dead},
        decisive=decisive,
        supporting={"it is asked about a write that would finish this": always},
        finding=lambda: _finding(subject, snap, (*named, *dead.hits)[0], _refused_write(subject, said.hits)),
    )


def _of_pods(subject: Ref, snap: Snapshot) -> Signs:
    """The controller's own words tell which one was asked; that its backend is ready does not tell that it answers."""
    said = _creation.refused_pods(subject, snap, "webhook-unreachable")
    names = _names(said)
    guards = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.fails and h.name in names])
    dead = _dead(guards, snap) if names else Sign[_Dead](None)
    gone = dead if dead.value or not guards.value else replace(dead, value=None)

    def finding() -> Finding:
        hook = next(iter(guards.hits), Webhook(min(names, default="?"), Ref("Webhook", None, min(names, default="?")), (), True))
        return _no_pods(subject, snap, next(iter(dead.hits), None), hook, said.hits[0])

    return _creation.signs(subject, snap, said, {"it has nothing behind it": gone}, finding)


def _no_pods(subject: Ref, snap: Snapshot, dead: _Dead | None, hook: Webhook, failure: Failure) -> Finding:
    service = f"Service {hook.service.within}/{hook.service.name}" if hook.service else ""
    lacks, lacks_zh = ("does not exist", "不存在") if dead and dead.gone else ("has no ready address", "没有就绪地址")
    if dead:
        says = Text(
            f"Webhook {hook.name} must be asked about new Pods, and {service} behind it {lacks}",
            f"Webhook {hook.name} 必须就新 Pod 被询问，而其后端 {service} {lacks_zh}",
        )
    else:
        says = Text(
            f"Webhook {hook.name} must be asked about new Pods, and did not answer", f"Webhook {hook.name} 必须就新 Pod 被询问，但没有应答"
        )
    told = failure.src.quote.partition(f'failed calling webhook "{hook.name}": ')[2]
    words = (Text(f"the server: {told}", f"服务器：{told}"),) if told and not dead else ()
    restore = Text(f"restore {service or 'what answers for it'}", f"恢复 {service or '为其应答的后端'}")
    known = hook.configuration.kind != "Webhook"
    stands = (Text(f"it stands in {who(hook.configuration)}", f"它定义在 {who(hook.configuration)} 中"),) if known else ()
    return _creation.finding(
        subject,
        snap,
        says,
        hook.configuration,
        notes=(*stands, *words),
        help=(Step(restore, where="source", verify=_creation.RETRIES), *(_unask(hook) if known else ())),
        do_not=(
            DoNot(
                Text("set its failurePolicy to Ignore and leave it so", "把其 failurePolicy 改为 Ignore 并就此不管"),
                Text(
                    "what it checks or fills in is then missing whenever it is down, and nobody is told",
                    "此后每当它不可用，其检查或补全的内容都会缺失，且无人得知",
                ),
            ),
        ),
    )


def _in_conditions(subject: Ref, snap: Snapshot) -> Sign[str]:
    """Webhooks that a Namespace's deletion conditions name (NamespaceDeletionContentFailure carries the server's own words)."""
    return heard(snap, Conditions, subject, lambda f: [n for c in f.items if c.status == "True" for n in _CALLED.findall(c.message)])


def _names(said: Sign[Any]) -> set[str]:
    return {name for hit in said.hits if (name := hit if isinstance(hit, str) else hit.object.name if hit.object else None)}


def _asked(hook: Webhook, subject: Ref) -> bool:
    return hook.scope.reaches(subject.within) and any(hook.covers(*write) for write in writes(subject))


def _always_asked(dead: Sign[_Dead], subject: Ref) -> Sign[_Dead]:
    hits = tuple(d for d in dead.hits if not d.hook.scope.more and _asked(d.hook, subject))
    return Sign(True, hits, dead.seen) if hits else Sign(None, wants=dead.wants)


def _refused_write(subject: Ref, said: tuple[Any, ...]) -> tuple[str, str]:
    if subject.kind == "Pod" and said:
        return written(said[0])
    if subject.kind == "Namespace":
        return "the deletion of what is in the Namespace", "删除该 Namespace 中的内容"
    return "writes that would finish this", "能完成此事的写入"


def _dead(guards: Sign[Webhook], snap: Snapshot) -> Sign[_Dead]:
    """Whether one of them has nothing behind it; those behind a URL are not looked at, and stay open."""
    if not guards.value:
        return Sign(guards.value, seen=guards.seen, wants=guards.wants)
    return any_of([_one(hook, guards.seen, snap) for hook in guards.hits])


def _one(hook: Webhook, seen: tuple[Fact, ...], snap: Snapshot) -> Sign[_Dead]:
    if hook.service is None:
        return Sign(None, seen=seen)
    lacks = unserved(hook.service, snap)
    return Sign(lacks.value, tuple(_Dead(hook, lack == "gone") for lack in lacks.hits), (*seen, *lacks.seen), lacks.wants, lacks.sure)


def _finding(subject: Ref, snap: Snapshot, dead: _Dead, refused_: tuple[str, str]) -> Finding:
    hook = dead.hook
    service = f"Service {hook.service.within}/{hook.service.name}" if hook.service else "its backend"
    lacks, lacks_zh = ("does not exist", "不存在") if dead.gone else ("has no ready address", "没有就绪地址")
    notes = [Text(f"it stands in {who(hook.configuration)}", f"它定义在 {who(hook.configuration)} 中")]
    inside = hook.service is not None and subject.kind == "Namespace" and hook.service.within == subject.name
    if inside:
        notes.append(
            Text(
                "its backend lay in this very Namespace, where nothing can be created any more",
                "其后端原本就在该 Namespace 中，而其中已无法再创建任何对象",
            )
        )
    left = tuple(ref for f in snap.of(Contents, subject) for i in f.items for ref in i.first)
    restore = Step(
        Text(f"restore {service}; the write is tried again by itself", f"恢复 {service}；该写入会自动重试"),
        where="source",
        verify=Text("the object goes within minutes", "对象会在数分钟内消失"),
    )
    return Finding(
        Text(
            f"Webhook {hook.name} must be asked about {refused_[0]}, and {service} behind it {lacks}",
            f"Webhook {hook.name} 必须被询问（{refused_[1]}），而其后端 {service} {lacks_zh}",
        ),
        culprit=hook.configuration,
        blocks=(subject, *left),
        notes=tuple(notes),
        help=(*(() if inside else (restore,)), *_unask(hook)),
        do_not=(_tempting(subject),),
    )


def _unask(hook: Webhook) -> tuple[Step, ...]:
    resource, name = hook.configuration.kind.lower().partition(".")[0], hook.configuration.name or ""
    return (
        Step(
            Text(
                "only if nothing uses it any more (its owner is uninstalled), delete the configuration; it can be applied again",
                "仅当已无人使用（其所有者已卸载）时，删除该配置；之后可重新创建",
            ),
            command=("kubectl", "delete", resource, name),
            risk="disrupts",
        ),
        Step(
            Text(
                "or narrow its rules or selectors so that it is not asked about this; its check of such writes ends",
                "或收窄其规则或选择器，使其不再涉及此写入；其在该处的检查随之失效",
            ),
            where="source",
            command=("kubectl", "edit", resource, name),
            risk="disrupts",
        ),
    )


def _tempting(subject: Ref) -> DoNot:
    if subject.kind == "Namespace":
        return DoNot(
            Text("clear the Namespace's spec.finalizers", "清空该 Namespace 的 spec.finalizers"),
            Text(
                "what could not be deleted would be left in etcd, unseen, and come back with the next Namespace of that name",
                "未能删除的内容会留在 etcd 中且不可见，并随下一个同名 Namespace 重新出现",
            ),
        )
    if subject.kind == "Pod":
        return DoNot(
            Text("force delete the Pod", "强制删除该 Pod"),
            Text(
                "the same webhook refuses it, or, if it does not, every other Pod behind the webhook still waits",
                "同一个 webhook 会拒绝；即使不拒绝，其他受影响的 Pod 仍会等待",
            ),
        )
    return DoNot(
        Text("take the finalizers off by hand", "手动移除 finalizer"),
        Text(
            "that is an UPDATE and meets the same webhook; once it passes, what they protect is left behind",
            "这同样是 UPDATE，会遇到同一个 webhook；一旦成功，其保护的内容会遗留",
        ),
    )


CAUSE = Cause(
    id="admission.webhook-unreachable",
    title=Text("a webhook that must be asked does not answer", "必须询问的 webhook 无应答"),
    subjects=("*",),
    stages=(
        *_creation.STAGES,
        "containers-stopped",
        "phase-reported",
        "final-delete",
        "content-deleted",
        "content-finalizers-cleared",
        "finalizers-cleared",
    ),
    reads=_creation.READS | {Deletion, Failure, LogSeen, Placement, PodCgroup, Conditions, Webhooks, Backends, Presence, Contents},
    rule=_rule,
)
