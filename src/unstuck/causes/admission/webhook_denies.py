"""A webhook or policy denies what is waited for: the Pods of a workload, or the deletions that a Namespace or CRD needs

## How it happens

An admission webhook or a ValidatingAdmissionPolicy answers, and its answer is no: objects with a label must be kept, nobody deletes
volumes, only a certain user may. The namespace controller deletes with its own identity, is denied like everybody else, and retries for
ever. A person who asked for the deletion sees nothing of it. A policy on new Pods (no label, an image from elsewhere) is met by the
controller of their workload in the same way: the Deployment is accepted, its Pods are not.

## How to tell

The Namespace's condition NamespaceDeletionContentFailure (of a CRD: Terminating, InstanceDeletionFailed) has
`admission webhook "NAME" denied the request` or `ValidatingAdmissionPolicy 'NAME' with binding 'NAME' denied request`, with its reason.
That webhook or policy is still there and is asked about DELETE. Of Pods that are not created the same words stand in the events of their
ReplicaSet, StatefulSet, DaemonSet or Job, and as the condition ReplicaFailure; the webhook is asked about CREATE.

## Known limits

The condition tells of the controller's last try; who has changed the rule since may see it for some more minutes. A denied write of the
kubelet, or of the owner of a finalizer, is another cause.

## References

- Kubernetes documentation: Dynamic Admission Control, Validating Admission Policy
- pkg/controller/namespace/deletion/namespaced_resources_deleter.go
"""

from __future__ import annotations

from unstuck.causes.admission import _creation
from unstuck.causes.admission._refused import Denial, denials, narrowed, standing
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, heard
from unstuck.diagnosis.text import Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, Webhooks
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import overdue


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind in _creation.CREATORS:
        return _of_pods(subject, snap)
    said = heard(snap, Conditions, subject, lambda f: [d for c in f.items if c.status == "True" for d in denials(c.message)])
    denier = any_of([standing(d.kind, d.name, "DELETE", snap) for d in said.hits])
    return Signs(
        applies=overdue(subject, snap),
        necessary={"who deletes says that it was denied": said if said.value else _unsaid(subject, snap)},
        decisive={"what denied it is there and is asked about deletions": denier},
        supporting={"the condition quotes the denial": said},
        finding=lambda: _finding(subject, snap, said.hits[0], denier.hits),
    )


def _of_pods(subject: Ref, snap: Facts) -> Signs:
    said = _creation.refused_pods(subject, snap, "admission-denied")
    denied = [d for f in said.hits for d in denials(f.src.quote)]
    denier: Sign[Ref] = any_of([standing(d.kind, d.name, "CREATE", snap) for d in denied]) if denied else Sign(None)

    def finding() -> Finding:
        first = denied[0] if denied else Denial(*_by(said.hits[0].object))
        return _no_pods(subject, snap, first, denier.hits)

    return _creation.signs(subject, snap, said, {"what denied it is there and is asked about new objects": denier}, finding)


def _by(ref: Ref | None) -> tuple[str, str]:
    return (ref.kind, ref.name or "?") if ref else ("Webhook", "?")


def _no_pods(subject: Ref, snap: Facts, said: Denial, deniers: tuple[Ref, ...]) -> Finding:
    denier = deniers[0] if deniers else Ref(said.kind, None, said.name)
    what, what_zh = ("policy", "策略") if said.kind != "Webhook" else ("webhook", "webhook")
    notes = [Text(f"its reason: {said.why}", f"其理由：{said.why}")] if said.why else []
    if deniers and said.kind == "Webhook":
        notes.append(Text(f"it is defined in {who(denier)}", f"它定义在 {who(denier)} 中"))
    return _creation.finding(
        subject,
        snap,
        Text(f"The {what} {said.name} denies its Pods", f"{what_zh} {said.name} 拒绝其 Pod"),
        denier,
        notes=tuple(notes),
        help=(
            Step(
                Text("change the template as its reason requires", "按其理由的要求修改模板"),
                where="source",
                verify=_creation.RETRIES,
            ),
            narrowed(denier),
        ),
        do_not=(
            DoNot(
                Text("delete its configuration", "删除其配置"),
                Text(
                    "everything it blocks could then enter the cluster, whoever sends it",
                    "此后它所阻挡的一切都可能进入集群，无论来自谁",
                ),
            ),
        ),
    )


def _unsaid(subject: Ref, snap: Facts) -> Sign[Denial]:
    seen = tuple(f for f in snap.of(Conditions, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None, wants=(Want(Conditions, subject),))


def _finding(subject: Ref, snap: Facts, said: Denial, deniers: tuple[Ref, ...]) -> Finding:
    denier = deniers[0] if deniers else Ref(said.kind, None, said.name)
    left = tuple(ref for f in snap.of(Contents, subject) for i in f.items for ref in i.first)
    what, what_zh = ("the policy", "策略") if said.kind != "Webhook" else ("the webhook", "webhook")
    notes = [Text(f"its reason: {said.why}", f"其理由：{said.why}")] if said.why else []
    if deniers and said.kind == "Webhook":
        notes.append(Text(f"it is defined in {who(denier)}", f"它定义在 {who(denier)} 中"))
    return Finding(
        Text(
            f"{what} {said.name} denies deletion of the content of {who(subject)}",
            f"{who(subject)} 中内容的删除被 {what_zh} {said.name} 拒绝",
        ),
        culprit=denier,
        blocks=(subject, *left),
        notes=tuple(notes),
        help=(
            Step(
                Text(
                    "do what its reason requires, or ask its owner to allow this deletion; it is retried automatically",
                    "按其理由的要求处理，或由其所有者放行该删除；删除会自动重试",
                ),
                where="source",
                verify=Text("the objects are deleted within minutes", "对象会在数分钟内被删除"),
            ),
            narrowed(denier),
        ),
        do_not=(
            DoNot(
                Text("clear the finalizers of the Namespace or CRD", "清空该 Namespace 或 CRD 的 finalizers"),
                Text(
                    "objects kept on purpose would stay in etcd, hidden, and reappear with the next one of that name",
                    "被有意保留的内容会留在 etcd 中且不可见，并随下一个同名对象重新出现",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.webhook-denies",
    title=Text("a webhook or policy denies the request", "请求被 webhook 或策略拒绝"),
    subjects=("Namespace", "CustomResourceDefinition", *_creation.CREATORS),
    stages=(*_creation.STAGES, "content-deleted", "finalizers-cleared"),
    reads=_creation.READS | {Deletion, Conditions, Webhooks, AdmissionPolicies, Contents},
    rule=_rule,
)
