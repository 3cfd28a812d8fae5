"""A required webhook does not respond

## How it happens

A webhook with `failurePolicy: Fail` is asked about the writes that would finish this, and nothing answers for
it: its Deployment was deleted or scaled down, its Pods are not ready, its Service does not exist. The API
server refuses every such write: the kubelet's status and final DELETE of a Pod, the namespace controller's
deletions, the UPDATE with which a controller removes its finalizer. All of them retry forever, and no event
reports it. New Pods are refused in the same way, and their workload stays empty. A webhook with its own
backend in the Namespace that is being deleted is the usual case.

With `failurePolicy: Ignore` the write goes through: nothing is refused, and objects lack what the webhook
would have added or checked, as a sidecar. Only the API server's log says so (`Failed calling webhook, failing
open NAME`).

## How to tell

The one who writes says so: the kubelet's log (`Failed to delete status for pod`, `Failed to update status for
pod`) or the Namespace's condition NamespaceDeletionContentFailure, with `failed calling webhook "NAME"`. The
webhook of that name is in a ValidatingWebhookConfiguration or MutatingWebhookConfiguration with
`failurePolicy: Fail`, and its Service does not exist or has no ready address. Of Pods that are not created
the same words stand in the events of their workload and in the condition ReplicaFailure. Where an object only
waits for its finalizers, a webhook on the UPDATE of its type without any selector is proof enough.

## Known limits

Where selectors or match conditions may leave the object out, it is likely at most unless the refusal itself
was seen. A webhook behind a URL is not looked at. Where a Namespace's condition names the webhook and its
configuration was not read, it is `likely`; so it is where new Pods are refused and the backend is ready all
the same (wrong port or certificate), and where a text holds nothing but the server's words about somebody's
write. That no answer came in time makes it possible only: the backend may be well, and out of reach. `kubectl
delete --dry-run=server` of an object that is being deleted skips admission and proves nothing.

## References

- Kubernetes documentation: Dynamic Admission Control, Failure policy
- staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook; pkg/kubelet/status/status_manager.go
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unstuck.causes.admission import _creation
from unstuck.causes.admission._refused import (
    CLUSTER,
    CONFIGURATIONS,
    ask_in_turn,
    describe_write,
    find_refusals_by,
    is_silence,
    write_refusals,
    write_signs,
    writes,
)
from unstuck.causes.admission._webhook_answer import (
    describe_answer,
    describe_skipped,
    disagrees_on_certificates,
    mend,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, some, symptom
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.admission import Webhook, Webhooks
from unstuck.facts.aspects.cluster import Backends, Contents
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.refusals import Refusals, were_let_through
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import WEBHOOKS
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.overdue import is_overdue
from unstuck.stages.served import lacks_service

say = Messages(__name__)

# staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go
_CALLED = regex(r'failed calling webhook "([^"]{1,253})"')
# The Service that the server asked (staging/src/k8s.io/apiserver/pkg/util/webhook/client.go): `Post
# "https://NAME.NAMESPACE.svc:443/…"`
_ASKED = regex(r'Post "?https://([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc[.:/]')
_SEE_CONFIGURATION = Step(say("see which configuration defines it, and who owns it"), command=CONFIGURATIONS)
_NOT_DELETE_KIND = DoNot(
    say("delete the CustomResourceDefinition to get rid of its webhook"),
    say("every object of this kind goes with it"),
)
_NOT_IGNORE = DoNot(
    say("set its failurePolicy to Ignore permanently"),
    say("whenever it is down, its checks and defaults are then silently skipped"),
)
_NOT_FAIL = DoNot(
    say("set its failurePolicy to Fail before it can be called"),
    say("every write that it is asked about is then refused"),
)
_CALLED_AGAIN = say(
    "the API server's log reports no such call any more; objects written meanwhile stay without its checks "
    "and changes until they are written again, Pods until they are created again"
)


@record()
class _Dead(Record):
    """A webhook with nothing behind it. gone: its Service does not exist."""

    hook: Webhook
    gone: bool


def _rule(subject: Ref, snap: Facts) -> Signs:
    if subject.kind in _creation.CREATORS and not is_being_deleted(subject, snap):
        return _judge_pods(subject, snap)
    if subject.kind in WEBHOOKS:
        told = "the server could not ask it about a write"
        passed = were_let_through(find_refusals_by(subject, snap, "webhook-unreachable").hits)
        return write_signs(
            subject, snap, "webhook-unreachable", told, lambda why: _make_write_finding(subject, why, passed)
        )
    said: Sign[Any] = (
        write_refusals(subject, snap, "webhook-unreachable")
        if subject.kind == "Pod"
        else _find_in_conditions(subject, snap)
    )
    names = _names(said)
    guards = some(
        snap,
        Webhooks,
        CLUSTER,
        lambda f: [h for h in f.items if h.fails and (h.name in names or _is_called(h, subject))],
    )
    dead = _dead(ask_in_turn(guards, said, subject, snap) if subject.kind == "Pod" else guards, snap)
    named = tuple(d for d in dead.hits if d.hook.name in names)
    proof: Sign[_Dead] = (
        Sign(True, named, (*said.seen, *dead.seen), sure=said.sure) if named else Sign(None, wants=dead.wants)
    )
    always = _unconditional(dead, subject)
    decisive = {"a write that would finish this was refused for want of its answer": proof}
    if subject.kind not in ("Pod", "Namespace"):
        decisive["it is asked about every UPDATE of this type, and so about taking a finalizer off"] = always
    heard_of = _server_says(subject, said)
    silent = replace(heard_of, wants=dead.wants) if dead.value is None and heard_of.value else dead
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
            _finding(subject, snap, hits[0], _describe_write(subject, said.hits))
            if hits
            else _unread(subject, min(names), heard_of.seen)
        ),
    )


def _server_says(subject: Ref, said: Sign[Any]) -> Sign[Any]:
    """Return the server's messages in the conditions of a Namespace that it could not delete; a webhook that
    may be skipped is not named there.
    """
    return Sign(True, (), said.seen, sure=False) if subject.kind == "Namespace" and said.value else Sign(None)


def _judge_pods(subject: Ref, snap: Facts) -> Signs:
    """Return the signs for Pods that cannot be created: the controller's message tells which webhook was
    called; a ready backend may still not answer.
    """
    said = _creation.find_pod_refusals(subject, snap, "webhook-unreachable")
    names = _names(said)
    guards = some(snap, Webhooks, CLUSTER, lambda f: [h for h in f.items if h.fails and h.name in names])
    dead = _dead(guards, snap) if names else Sign[_Dead](None)
    gone = dead if dead.value or not guards.value else replace(dead, value=None)

    def finding() -> Finding:
        hook = next(
            iter(guards.hits),
            Webhook(min(names, default="?"), Ref("Webhook", None, min(names, default="?")), (), True),
        )
        return _no_pods(subject, snap, next(iter(dead.hits), None), hook, said.hits[0])

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


def _make_write_finding(hook: Ref, why: str, passed: bool) -> Finding:
    """Return the finding about a write. passed: it went through all the same."""
    asked = _ASKED.search(why)
    service = f"Service {asked[2]}/{asked[1]}" if asked else ""
    converts = hook.kind == "ConversionWebhook"
    if passed:
        says, verify, do_not = describe_skipped(hook.name or "?", why), _CALLED_AGAIN, _NOT_FAIL
    elif converts:
        says, verify = describe_answer(hook.name or "?", None, why), say("objects of this kind can be listed")
        do_not = _NOT_DELETE_KIND
    else:
        says, verify = describe_answer(hook.name or "?", say("a write"), why), say("the same write passes")
        do_not = _NOT_IGNORE
    return Finding(
        says,
        culprit=hook,
        blocks=(),
        notes=(say("the server: {why}", why=why),) if why else (),
        help=(
            *((_look_behind(asked[2], asked[1]),) if asked and not disagrees_on_certificates(why) else ()),
            *(() if converts else (_SEE_CONFIGURATION,)),
            Step(mend(service, why), where="source", verify=verify),
        ),
        do_not=(do_not,),
    )


def _no_pods(subject: Ref, snap: Facts, dead: _Dead | None, hook: Webhook, failure: Failure) -> Finding:
    service = f"Service {hook.service.within}/{hook.service.name}" if hook.service else ""
    lacks = say("does not exist") if dead and dead.gone else say("has no ready address")
    told = failure.src.quote.partition(f'failed calling webhook "{hook.name}": ')[2]
    says = describe_answer(hook.name, say("new Pods"), told)
    if dead:
        says = say(
            "Webhook {hook} must be called for new Pods, and its backend {service} {lacks}",
            hook=hook.name,
            service=service,
            lacks=lacks,
        )
    words = (say("the server: {told}", told=told),) if told and not dead else ()
    known = hook.configuration.kind != "Webhook"
    asked = _ASKED.search(told)
    if asked and not service:
        service = f"Service {asked[2]}/{asked[1]}"
    restore = mend(service, "" if dead else told)
    stands = (
        (say("it is defined in {configuration}", configuration=who(hook.configuration)),) if known else ()
    )
    return _creation.make_finding(
        subject,
        snap,
        says,
        hook.configuration,
        notes=(*stands, *words),
        help=(
            *(
                (_look_behind(asked[2], asked[1]),)
                if asked and not (dead or disagrees_on_certificates(told))
                else ()
            ),
            Step(restore, where="source", verify=_creation.RETRIES),
            *(_unask(hook) if known else ()),
        ),
        do_not=(_NOT_IGNORE,),
    )


def _look_behind(namespace: str, service: str) -> Step:
    """Return the endpoints of the Service that the server called."""
    return Step(
        say("see whether its Service exists and has ready Pods behind it"),
        command=command(
            "kubectl get {service} {endpoints} {space}",
            service=given.obj("service", service),
            endpoints=given.obj("endpoints", service),
            space=given.namespace(namespace),
        ),
    )


def _find_in_conditions(subject: Ref, snap: Facts) -> Sign[str]:
    """Find webhooks that a Namespace's deletion conditions name (NamespaceDeletionContentFailure carries
    the server's own words).
    """
    return hearsay(
        snap,
        Conditions,
        subject,
        lambda f: [n for c in f.items if c.status == "True" for n in _CALLED.findall(c.message)],
    )


def _names(said: Sign[Any]) -> set[str]:
    return {
        name
        for hit in said.hits
        if (name := hit if isinstance(hit, str) else hit.object.name if hit.object else None)
    }


def _is_called(hook: Webhook, subject: Ref) -> bool:
    return hook.scope.reaches(subject.within) and any(hook.covers(*write) for write in writes(subject))


def _unconditional(dead: Sign[_Dead], subject: Ref) -> Sign[_Dead]:
    hits = tuple(d for d in dead.hits if not d.hook.scope.more and _is_called(d.hook, subject))
    return Sign(True, hits, dead.seen) if hits else Sign(None, wants=dead.wants)


def _describe_write(subject: Ref, said: tuple[Any, ...]) -> Text:
    if subject.kind == "Pod" and said:
        return describe_write(said[0])
    if subject.kind == "Namespace":
        return say("the deletion of the Namespace's content")
    return say("writes that would finish this")


def _dead(guards: Sign[Webhook], snap: Facts) -> Sign[_Dead]:
    """Tell whether one of them has nothing behind it; those behind a URL are not looked at, and stay open."""
    if not guards.value:
        return Sign(guards.value, seen=guards.seen, wants=guards.wants)
    return any_of([_judge_one(hook, guards.seen, snap) for hook in guards.hits])


def _judge_one(hook: Webhook, seen: tuple[Fact, ...], snap: Facts) -> Sign[_Dead]:
    if hook.service is None:
        return Sign(None, seen=seen)
    lacks = lacks_service(hook.service, snap)
    return Sign(
        lacks.value,
        tuple(_Dead(hook, lack == "gone") for lack in lacks.hits),
        (*seen, *lacks.seen),
        lacks.wants,
        lacks.sure,
    )


def _finding(subject: Ref, snap: Facts, dead: _Dead, refused_: Text) -> Finding:
    hook = dead.hook
    service = f"Service {hook.service.within}/{hook.service.name}" if hook.service else "its backend"
    lacks = say("does not exist") if dead.gone else say("has no ready address")
    notes = [say("it is defined in {configuration}", configuration=who(hook.configuration))]
    inside = hook.service is not None and subject.kind == "Namespace" and hook.service.within == subject.name
    if inside:
        notes.append(say("its backend ran in this Namespace, where nothing can be created any more"))
    left = tuple(ref for f in snap.of(Contents, subject) for i in f.items for ref in i.first)
    restore = Step(
        say("restore {service}; the write is retried automatically", service=service),
        where="source",
        verify=say("the object is deleted within minutes"),
    )
    return Finding(
        say(
            "Webhook {hook} must be called for {refused}, and its backend {service} {lacks}",
            hook=hook.name,
            refused=refused_,
            service=service,
            lacks=lacks,
        ),
        culprit=hook.configuration,
        blocks=(subject, *left),
        notes=tuple(notes),
        help=(*(() if inside else (restore,)), *_unask(hook)),
        do_not=(_warn_of_deletion(subject),),
    )


def _unread(subject: Ref, name: str, seen: tuple[Fact, ...]) -> Finding:
    """Return the finding where the configuration was not read: all that is known of it is the server's
    message.
    """
    write = _describe_write(subject, ())
    messages = [c.message for f in seen if isinstance(f, Conditions) for c in f.items]
    why = next((told for m in messages if (told := m.partition(f'failed calling webhook "{name}": ')[2])), "")
    return Finding(
        describe_answer(name, write, why),
        culprit=Ref("Webhook", None, name),
        blocks=(subject,),
        notes=(say("the server: {why}", why=why[:300]),) if why else (),
        help=(
            _SEE_CONFIGURATION,
            Step(mend("", why), where="source", verify=say("the deletion is retried automatically")),
        ),
        do_not=(_warn_of_deletion(subject),),
    )


def _unask(hook: Webhook) -> tuple[Step, ...]:
    return (
        Step(
            say(
                "only if nothing uses it any more (its owner is uninstalled), delete the configuration; it "
                "can be applied again"
            ),
            command=command("kubectl delete {configuration}", configuration=given.of(hook.configuration)),
            risk="disrupts",
        ),
        Step(
            say(
                "or narrow its rules or selectors so that it skips this request; its check of such writes "
                "ends"
            ),
            where="source",
            command=command("kubectl edit {configuration}", configuration=given.of(hook.configuration)),
            risk="disrupts",
        ),
    )


def _warn_of_deletion(subject: Ref) -> DoNot:
    if subject.kind == "Namespace":
        return DoNot(
            say("clear the Namespace's spec.finalizers"),
            say(
                "undeleted objects would stay in etcd, hidden, and reappear with the next Namespace of that "
                "name"
            ),
        )
    if subject.kind == "Pod":
        return DoNot(
            say("force delete the Pod"),
            say("the same webhook rejects it, or, if it does not, every other affected Pod still waits"),
        )
    return DoNot(
        say("remove the finalizers by hand"),
        say(
            "that is an UPDATE and calls the same webhook; once it passes, the resources they protect are "
            "left behind"
        ),
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
