"""A webhook or policy denies the request: the Pods of a workload, or the deletions that a Namespace or CRD
needs

## How it happens

An admission webhook or a ValidatingAdmissionPolicy answers, and its answer is no: objects with a label must
be kept, volumes must not be deleted, only a certain user may. The namespace controller deletes with its own
identity, is denied like any other user, and retries forever. The user who requested the deletion sees none of
this. A policy on new Pods (no label, an image from elsewhere) is met by the controller of their workload in
the same way: the Deployment is accepted, its Pods are not.

## How to tell

The Namespace's condition NamespaceDeletionContentFailure (of a CRD: Terminating, InstanceDeletionFailed) has
`admission webhook "NAME" denied the request` or `ValidatingAdmissionPolicy 'NAME' with binding 'NAME' denied
request`, with its reason. That webhook or policy still exists and reviews DELETE. For Pods that are not
created the same message is in the Events of their ReplicaSet, StatefulSet, DaemonSet or Job, and in the
condition ReplicaFailure; the webhook reviews CREATE.

## Known limits

The condition is about the controller's last try; who has changed the rule since may see it for some more
minutes. A denied write of the kubelet, or of the owner of a finalizer, is another cause.

## References

- Kubernetes documentation: Dynamic Admission Control, Validating Admission Policy
- pkg/controller/namespace/deletion/namespaced_resources_deleter.go
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._contents import list_left, name_left
from unstuck.causes.admission import _creation, _params
from unstuck.causes.admission._params import asks_for, describe_lack, find_lacking_param, restore_param
from unstuck.causes.admission._refused import Denial, find_reviewer, narrow_scope, read_denials, write_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, Webhooks
from unstuck.facts.aspects.cluster import Content, Contents
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_DENIERS = ("Webhook", "ValidatingAdmissionPolicy")
_KEEP_IT = DoNot(
    say("delete its configuration"),
    say("everything it blocks could then enter the cluster, from any client"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind in _creation.CREATORS:
        return _judge_pods(subject, snap)
    if subject.kind in _DENIERS:
        return write_signs(
            subject,
            snap,
            "admission-denied",
            "it denied a write",
            lambda why: _make_write_finding(subject, why),
        )
    said = hearsay(
        snap,
        Conditions,
        subject,
        lambda f: [d for c in f.items if c.status == "True" for d in read_denials(c.message)],
    )
    denier = any_of([find_reviewer(d.kind, d.name, "DELETE", snap) for d in said.hits])
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={
            "who deletes says that it was denied": said if said.value else _judge_unsaid(subject, snap)
        },
        decisive={"what denied it is there and is asked about deletions": denier},
        supporting={"the condition quotes the denial": said},
        finding=lambda: _make_finding(subject, snap, said.hits[0], denier.hits),
    )


def _judge_pods(subject: Ref, snap: Facts) -> Signs:
    said = _creation.find_pod_refusals(subject, snap, "admission-denied")
    denied = [d for f in said.hits for d in read_denials(f.src.quote)]
    denier: Sign[Ref] = (
        any_of([find_reviewer(d.kind, d.name, "CREATE", snap) for d in denied]) if denied else Sign(None)
    )

    def finding() -> Finding:
        first = denied[0] if denied else Denial(*_name_denier(said.hits[0].object))
        return _make_no_pods_finding(subject, snap, first, denier.hits)

    return _creation.make_signs(
        subject, snap, said, {"what denied it is there and is asked about new objects": denier}, finding
    )


def _make_write_finding(denier: Ref, why: str) -> Finding:
    what = say("policy") if denier.kind != "Webhook" else same_in_both("webhook")
    return Finding(
        say("The {what} {name} denies a write", what=what, name=denier.name) + _quote_reason(why),
        culprit=denier,
        blocks=(),
        help=(
            Step(
                say("change what is written as its reason requires"),
                where="source",
                verify=say("the same write passes"),
            ),
            narrow_scope(denier),
        ),
        do_not=(_KEEP_IT,),
    )


def _quote_reason(why: str) -> Text:
    """Return the reason that the webhook or policy gives, which is more informative than the denial."""
    return say(": {why}", why=why.rstrip(" .")) if why else NO_TEXT


def _name_denier(ref: Ref | None) -> tuple[str, str]:
    return (ref.kind, ref.name or "?") if ref else ("Webhook", "?")


def _make_no_pods_finding(subject: Ref, snap: Facts, said: Denial, deniers: tuple[Ref, ...]) -> Finding:
    denier = deniers[0] if deniers else Ref(said.kind, None, said.name)
    what = say("policy") if said.kind != "Webhook" else same_in_both("webhook")
    notes: list[Text] = []
    if deniers and said.kind == "Webhook":
        notes.append(say("it is defined in {denier}", denier=who(denier)))
    says = say("The {what} {said} denies its Pods", what=what, said=said.name)
    lack = find_lacking_param(said, subject.within, snap)
    change = (
        Step(say("change the template as its reason requires"), where="source", verify=_creation.RETRIES),
        narrow_scope(denier),
    )
    found = _creation.make_finding(
        subject,
        snap,
        says + describe_lack(lack, snap) if lack else says + _quote_reason(said.why),
        denier,
        notes=tuple(notes),
        help=restore_param(lack, snap, _creation.RETRIES) if lack else change,
        do_not=(_KEEP_IT,),
    )
    return replace(found, enrich=(*found.enrich, *asks_for(lack)))


def _judge_unsaid(subject: Ref, snap: Facts) -> Sign[Denial]:
    seen = tuple(f for f in snap.of(Conditions, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None, wants=(Want(Conditions, subject),))


def _make_finding(subject: Ref, snap: Facts, said: Denial, deniers: tuple[Ref, ...]) -> Finding:
    denier = deniers[0] if deniers else Ref(said.kind, None, said.name)
    denied = _find_denied(subject, said, snap)
    left = name_left(denied)
    what = say("the policy") if said.kind != "Webhook" else say("the webhook")
    notes: list[Text] = []
    if deniers and said.kind == "Webhook":
        notes.append(say("it is defined in {denier}", denier=who(denier)))
    by = say("{what} {said}", what=what, said=said.name)
    if said.binding:
        by += say(" (binding {binding})", binding=said.binding)
    says = (
        say("{by} denies deletion of {left} in {subject}", by=by, left=left, subject=who(subject))
        if left.en
        else say("{by} denies deletion of the content of {subject}", by=by, subject=who(subject))
    )
    return Finding(
        says + _quote_reason(said.why),
        culprit=denier,
        blocks=(subject, *list_left(denied)),
        notes=tuple(notes),
        help=(
            Step(
                say(
                    "do what its reason requires, or ask its owner to allow this deletion; "
                    "it is retried automatically"
                ),
                where="source",
                verify=say("the objects are deleted within minutes"),
            ),
            narrow_scope(denier),
        ),
        do_not=(
            DoNot(
                say("clear the finalizers of the Namespace or CRD"),
                say(
                    "objects kept on purpose would stay in etcd, hidden, and reappear with the next one of "
                    "that name"
                ),
            ),
        ),
    )


def _find_denied(subject: Ref, said: Denial, snap: Facts) -> tuple[Content, ...]:
    """Return the remaining objects of the denied type; if the type is unknown, all that no finalizer
    holds.
    """
    items = [i for f in snap.of(Contents, subject) for i in f.items]
    of_type = tuple(i for i in items if said.resource and i.resource == said.resource)
    return of_type or tuple(i for i in items if len(i.held) < i.count) or tuple(items)


CAUSE = Cause(
    id="admission.webhook-denies",
    title=say("a webhook or policy denies the request"),
    subjects=("Namespace", "CustomResourceDefinition", *_DENIERS, *_creation.CREATORS),
    stages=(*_creation.STAGES, "content-deleted", "finalizers-cleared"),
    reads=_creation.READS
    | _params.READS
    | {Deletion, Conditions, Webhooks, AdmissionPolicies, Contents, Refusals},
    rule=_rule,
)
