"""A webhook or policy denies the deletions that a Namespace or CRD waits for

## How it happens

An admission webhook or a ValidatingAdmissionPolicy answers, and its answer is no: objects with a label must be kept, nobody deletes
volumes, only a certain user may. The namespace controller deletes with its own identity, is denied like everybody else, and tries again
for ever. A person who asked for the deletion sees nothing of it.

## How to tell

The Namespace's condition NamespaceDeletionContentFailure (of a CRD: Terminating, InstanceDeletionFailed) has
`admission webhook "NAME" denied the request` or `ValidatingAdmissionPolicy 'NAME' with binding 'NAME' denied request`, with its reason.
That webhook or policy is still there and is asked about DELETE.

## Known limits

The condition tells of the controller's last try; who has changed the rule since may see it for some more minutes. A denied write of the
kubelet, or of the owner of a finalizer, is another cause.

## References

- Kubernetes documentation: Dynamic Admission Control, Validating Admission Policy
- pkg/controller/namespace/deletion/namespaced_resources_deleter.go
"""

from __future__ import annotations

from unstuck.causes.admission._refused import Denial, denials, narrowed, standing
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, heard
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, Webhooks
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.overdue import overdue
from unstuck.stages.state import who


def _rule(subject: Ref, snap: Snapshot) -> Signs:
    said = heard(snap, Conditions, subject, lambda f: [d for c in f.items if c.status == "True" for d in denials(c.message)])
    denier = any_of([standing(d.kind, d.name, "DELETE", snap) for d in said.hits])
    return Signs(
        applies=overdue(subject, snap),
        necessary={"who deletes says that it was denied": said if said.value else _unsaid(subject, snap)},
        decisive={"what denied it is there and is asked about deletions": denier},
        supporting={"the condition quotes the denial": said},
        finding=lambda: _finding(subject, snap, said.hits[0], denier.hits),
    )


def _unsaid(subject: Ref, snap: Snapshot) -> Sign[Denial]:
    seen = tuple(f for f in snap.of(Conditions, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None, wants=(Want(Conditions, subject),))


def _finding(subject: Ref, snap: Snapshot, said: Denial, deniers: tuple[Ref, ...]) -> Finding:
    denier = deniers[0] if deniers else Ref(said.kind, None, said.name)
    left = tuple(ref for f in snap.of(Contents, subject) for i in f.items for ref in i.first)
    what, what_zh = ("the policy", "策略") if said.kind != "Webhook" else ("the webhook", "webhook")
    notes = [Text(f"its reason: {said.why}", f"其理由：{said.why}")] if said.why else []
    if deniers and said.kind == "Webhook":
        notes.append(Text(f"it stands in {who(denier)}", f"它定义在 {who(denier)} 中"))
    return Finding(
        Text(
            f"The deletion of what {who(subject)} holds is denied by {what} {said.name}",
            f"{who(subject)} 中内容的删除被 {what_zh} {said.name} 拒绝",
        ),
        culprit=denier,
        blocks=(subject, *left),
        notes=tuple(notes),
        help=(
            Step(
                Text(
                    "do what its reason asks for, or have its owner allow this deletion; it is tried again by itself",
                    "按其理由的要求处理，或由其所有者放行该删除；删除会自动重试",
                ),
                where="source",
                verify=Text("the objects go within minutes", "对象会在数分钟内消失"),
            ),
            narrowed(denier),
        ),
        do_not=(
            DoNot(
                Text("clear the finalizers of the Namespace or CRD", "清空该 Namespace 或 CRD 的 finalizers"),
                Text(
                    "what is kept on purpose would be left in etcd, unseen, and come back with the next one of that name",
                    "被有意保留的内容会留在 etcd 中且不可见，并随下一个同名对象重新出现",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.webhook-denies",
    title=Text("a webhook or policy denies the deletion of what is inside", "webhook 或策略拒绝删除其中的内容"),
    subjects=("Namespace", "CustomResourceDefinition"),
    stages=("content-deleted", "finalizers-cleared"),
    reads=frozenset({Deletion, Conditions, Webhooks, AdmissionPolicies, Contents}),
    rule=_rule,
)
