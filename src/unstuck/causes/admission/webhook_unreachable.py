"""A required webhook does not respond

## How it happens

A webhook with `failurePolicy: Fail` reviews the writes that would finish this, and its backend does not
answer: its Deployment was deleted or scaled down, its Pods are not ready, its Service does not exist. The API
server refuses every such write: the kubelet's status and final DELETE of a Pod, the namespace controller's
deletions, the UPDATE with which a controller removes its finalizer. All of them retry forever, and no event
reports it. New Pods are refused in the same way, and their workload stays empty. A webhook with its own
backend in the Namespace that is being deleted is the usual case.

With `failurePolicy: Ignore` the write goes through: no write is refused, and objects lack the webhook's
additions and checks, such as a sidecar. Only the API server's log reports it (`Failed calling webhook,
failing open NAME`).

## How to tell

The writer reports it: the kubelet's log (`Failed to delete status for pod`, `Failed to update status for
pod`) or the Namespace's condition NamespaceDeletionContentFailure, with `failed calling webhook "NAME"`. The
webhook of that name is in a ValidatingWebhookConfiguration or MutatingWebhookConfiguration with
`failurePolicy: Fail`, and its Service does not exist or has no ready address. For Pods that are not created
the same message is in the Events of their workload and in the condition ReplicaFailure. Where an object only
waits for its finalizers, a webhook on the UPDATE of its type without any selector is proof enough.

## Known limits

Where selectors or match conditions may leave the object out, it is likely at most unless the refusal itself
was seen. A webhook behind a URL is not looked at. Where a Namespace's condition names the webhook and its
configuration was not read, it is `likely`; so it is where new Pods are refused and the backend is ready all
the same (wrong port or certificate), and where a text holds only the server's message about some client's
write. A time-out makes it possible only: the backend may be healthy but out of reach. `kubectl delete
--dry-run=server` of an object that is being deleted skips admission and proves nothing.

## References

- Kubernetes documentation: Dynamic Admission Control, Failure policy
- staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook; pkg/kubelet/status/status_manager.go
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unstuck.causes import _told_ports
from unstuck.causes.admission import _creation
from unstuck.causes.admission._refused import (
    CLUSTER,
    ask_in_turn,
    find_refusals_by,
    is_silence,
    write_refusals,
    write_signs,
    writes,
)
from unstuck.causes.admission._unreachable_findings import (
    DeadWebhook,
    describe_blocked_write,
    make_creation_finding,
    make_deletion_finding,
    make_unread_finding,
    make_write_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, hearsay, some, symptom
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.admission import Webhook, Webhooks
from unstuck.facts.aspects.cluster import Backends, Contents
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.refusals import Refusals, were_let_through
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import WEBHOOKS
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.overdue import is_overdue
from unstuck.stages.served import lacks_service

say = Messages(__name__)

# staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
_CALLED = regex(r'failed calling webhook "([^"]{1,253})"')


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind in _creation.CREATORS and not is_being_deleted(subject, snap):
        return _judge_pods(subject, snap)
    if subject.kind in WEBHOOKS:
        told = "the server could not ask it about a write"
        passed = were_let_through(find_refusals_by(subject, snap, "webhook-unreachable").hits)
        return write_signs(
            subject,
            snap,
            "webhook-unreachable",
            told,
            lambda why: make_write_finding(subject, why, passed, snap),
        )
    said: Sign[Any] = (
        write_refusals(subject, snap, "webhook-unreachable")
        if subject.kind == "Pod"
        else _find_in_conditions(subject, snap)
    )
    names = _name_webhooks(said)
    guards = some(
        snap,
        Webhooks,
        CLUSTER,
        lambda f: [h for h in f.items if h.fails and (h.name in names or _is_called(h, subject))],
    )
    dead = _find_dead(ask_in_turn(guards, said, subject, snap) if subject.kind == "Pod" else guards, snap)
    named = tuple(d for d in dead.hits if d.hook.name in names)
    proof: Sign[DeadWebhook] = (
        Sign(True, named, (*said.seen, *dead.seen), sure=said.sure) if named else Sign(None, wants=dead.wants)
    )
    always = _require_unconditional(dead, subject)
    decisive = {"a write that would finish this was refused for want of its answer": proof}
    if subject.kind not in ("Pod", "Namespace"):
        decisive["it is asked about every UPDATE of this type, and so about taking a finalizer off"] = always
    heard_of = _find_server_words(subject, said)
    silent = heard_of._replace(wants=dead.wants) if dead.value is None and heard_of.value else dead
    hits = (*named, *dead.hits)
    return Signs(
        applies=is_overdue(subject, snap),
        necessary={"a webhook that must be asked has nothing behind it": silent},
        decisive=decisive,
        supporting={
            "it is asked about a write that would finish this": always,
            "the server says that it does not answer": heard_of,
        },
        finding=lambda: (
            make_deletion_finding(subject, snap, hits[0], describe_blocked_write(subject, said.hits))
            if hits
            else make_unread_finding(subject, min(names), heard_of.seen)
        ),
    )


def _find_server_words(subject: Ref, said: Sign[Any]) -> Sign[Any]:
    """Return the server's messages in the conditions of a Namespace that it could not delete; a webhook that
    may be skipped is not named there.
    """
    return Sign(True, (), said.seen, sure=False) if subject.kind == "Namespace" and said.value else Sign(None)


def _judge_pods(subject: Ref, snap: Facts) -> Signs:
    """Return the signs for Pods that cannot be created: the controller's message names the called webhook; a
    ready backend may still not answer.
    """
    said = _creation.find_pod_refusals(subject, snap, "webhook-unreachable")
    names = _name_webhooks(said)
    guards = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.fails and h.name in names])
    dead = _find_dead(guards, snap) if names else Sign[DeadWebhook](None)
    gone = dead if dead.value or not guards.value else dead._replace(value=None)

    def finding() -> Finding:
        hook = next(
            iter(guards.hits),
            Webhook(min(names, default="?"), Ref("Webhook", None, min(names, default="?")), (), True),
        )
        return make_creation_finding(subject, snap, next(iter(dead.hits), None), hook, said.hits[0])

    signs = _creation.make_signs(subject, snap, said, {"it has nothing behind it": gone}, finding)
    # One late answer may have been late by chance.
    once = (
        said.value
        and sum(f.count for f in said.hits) == 1
        and all(is_silence(f.src.quote or f.message) for f in said.hits)
    )
    return (
        replace(signs, supporting={told: symptom(sign) for told, sign in signs.supporting.items()})
        if once
        else signs
    )


def _find_in_conditions(subject: Ref, snap: Facts) -> Sign[str]:
    """Find webhooks that a Namespace's deletion conditions name (NamespaceDeletionContentFailure carries the
    server's own message).
    """
    return hearsay(
        snap,
        Conditions,
        subject,
        lambda f: [n for c in f.items if c.status == "True" for n in _CALLED.findall(c.message)],
    )


def _name_webhooks(said: Sign[Any]) -> set[str]:
    return {
        name
        for hit in said.hits
        if (name := hit if isinstance(hit, str) else hit.object.name if hit.object else None)
    }


def _is_called(hook: Webhook, subject: Ref) -> bool:
    return hook.scope.reaches(subject.within) and any(hook.covers(*write) for write in writes(subject))


def _require_unconditional(dead: Sign[DeadWebhook], subject: Ref) -> Sign[DeadWebhook]:
    hits = tuple(d for d in dead.hits if not d.hook.scope.more and _is_called(d.hook, subject))
    return Sign(True, hits, dead.seen) if hits else Sign(None, wants=dead.wants)


def _find_dead(guards: Sign[Webhook], snap: Facts) -> Sign[DeadWebhook]:
    """Tell whether one of them lacks a backend; webhooks behind a URL are not looked at, and stay open."""
    if not guards.value:
        return Sign(guards.value, seen=guards.seen, wants=guards.wants)
    return any_of([_judge_one(hook, guards.seen, snap) for hook in guards.hits])


def _judge_one(hook: Webhook, seen: tuple[Fact, ...], snap: Facts) -> Sign[DeadWebhook]:
    if hook.service is None:
        return Sign(None, seen=seen)
    lacks = lacks_service(hook.service, snap)
    return Sign(
        lacks.value,
        tuple(DeadWebhook(hook, lack == "gone") for lack in lacks.hits),
        (*seen, *lacks.seen),
        lacks.wants,
        lacks.sure,
    )


CAUSE = Cause(
    id="admission.webhook-unreachable",
    title=say("a required webhook does not respond"),
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
    reads=_creation.READS
    | _told_ports.READS
    | {
        Deletion,
        Failure,
        LogSeen,
        Placement,
        PodCgroup,
        Conditions,
        Webhooks,
        Backends,
        Presence,
        Contents,
        Refusals,
    },
    rule=_rule,
)
