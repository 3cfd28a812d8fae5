"""An aggregated API does not answer, so no Namespace can be emptied with certainty

## How it happens

An APIService registers a group that another server answers for: a metrics adapter, an operator's API. When the Service behind it
is gone or does not answer, the list of all resource types is incomplete. The namespace controller refuses to call a Namespace
empty while it cannot list everything, so every Namespace that is being deleted waits, also the empty ones.

## How to tell

The Namespace's condition NamespaceDeletionDiscoveryFailure is True and names the group; the APIService reads Available=False with
a reason such as ServiceNotFound, MissingEndpoints or FailedDiscoveryCheck.

## Known limits

A `stale GroupVersion discovery` can appear for a moment while the API works. While the APIService's own condition was not seen,
the answer is at most likely.

## References

- Kubernetes pkg/controller/namespace/deletion/namespaced_resources_deleter.go, status_condition_utils.go
- k8s.io/kube-aggregator pkg/controllers/status/remote/remote_available_controller.go
"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import ApiService, ApiServices, Discovery, Terminating
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot

_CLUSTER = Ref("Cluster")


def _rule(ns: Ref, snap: Snapshot) -> Signs:
    said = some(
        snap, Conditions, ns, lambda f: [c for c in f.items if c.type == "NamespaceDeletionDiscoveryFailure" and c.status == "True"]
    )
    offered = some(snap, Discovery, _CLUSTER, lambda f: f.failed)
    dead = _dead(snap)

    def finding() -> Finding:
        return _finding(ns, dead.hits, said.hits[0].message if said.hits else "", snap)

    return Signs(
        decisive={"an APIService is not available": dead},
        necessary={"resource discovery is incomplete": any_of([s for s in (said, offered) if s.value] or [said, offered])},
        finding=finding,
    )


def _dead(snap: Snapshot) -> Sign[Ref]:
    listed = some(snap, ApiServices, _CLUSTER, lambda f: f.refs)
    if listed.value is not True:
        return Sign(listed.value, seen=listed.seen, wants=listed.wants)

    def down(ref: Ref) -> Sign[Ref]:
        return some(snap, ApiService, ref, lambda f: [ref] if f.available is False else [])

    return any_of([down(ref) for ref in listed.hits])


def _finding(ns: Ref, dead: tuple[Ref, ...], message: str, snap: Snapshot) -> Finding:
    if not dead:
        culprit = Ref("APIService")
        says = Text(f"resource discovery is incomplete: {message}", f"资源发现不完整：{message}")
        return Finding(says, culprit, (ns,))
    ref = dead[0]
    api = snap.one(ApiService, ref)
    service = api.service if api else None
    target = f"Service {service.within}/{service.name}" if service else "its Service"
    target_zh = f"Service {service.within}/{service.name}" if service else "其后端 Service"
    gone = api is not None and api.reason == "ServiceNotFound"
    says = (
        Text(f"APIService {ref.name} has no {target}", f"APIService {ref.name} 的 {target_zh} 不存在")
        if gone
        else Text(f"APIService {ref.name} does not answer ({target})", f"APIService {ref.name} 无应答（{target_zh}）")
    )
    waiting = unique(r for f in snap.of(Terminating, _CLUSTER) for r in f.namespaces)
    notes = [
        Text(
            "every Namespace deletion in this cluster waits for it" + (f"; {len(waiting)} now" if waiting else ""),
            "本集群所有 Namespace 的删除都在等待它" + (f"；目前 {len(waiting)} 个" if waiting else ""),
        )
    ]
    notes += [Text(f"also not available: {r.name}", f"同样不可用：{r.name}") for r in dead[1:4]]
    if api and api.managed_by:
        notes.append(Text(f"it belongs to {api.managed_by}", f"它属于 {api.managed_by}"))
    return Finding(
        says,
        culprit=ref,
        blocks=unique((ns, *waiting)),
        notes=tuple(notes),
        help=_help(ref, target, target_zh),
        do_not=(
            DoNot(
                Text("clear the Namespace's spec.finalizers", "清空该 Namespace 的 spec.finalizers"),
                Text(
                    "what could not be listed would be left in etcd, unseen, and every other Namespace would go on waiting",
                    "无法列出的对象会留在 etcd 中且不可见，其他 Namespace 仍会继续等待",
                ),
            ),
        ),
        enrich=() if waiting else (Want(Terminating, _CLUSTER),),
    )


def _help(ref: Ref, target: str, target_zh: str) -> tuple[Step, ...]:
    check = Text("the Namespaces go by themselves within minutes", "各 Namespace 会在数分钟内自行消失")
    return (
        Step(Text(f"restore {target}", f"恢复 {target_zh}"), where="source", verify=check),
        Step(
            Text(
                "or, only if nothing uses that API any more (its owner is uninstalled), delete the APIService; it can be applied again",
                "或者，仅当该 API 已无人使用（其所有者已卸载）时，删除该 APIService；之后可重新创建",
            ),
            command=("kubectl", "delete", "apiservice", ref.name or ""),
            risk="disrupts",
            verify=check,
        ),
    )


CAUSE = Cause(
    id="namespace.api-discovery-failed",
    title=Text("an aggregated API does not answer", "聚合 API 无应答"),
    subjects=("Namespace",),
    stages=("discovery-works",),
    reads=frozenset({Conditions, Discovery, ApiServices, ApiService, Terminating}),
    rule=_rule,
)
