"""Findings about webhooks that the API server must call and cannot: for writes, new Pods, deletions."""

from __future__ import annotations

from typing import Any

from unstuck.causes._told_ports import OtherPort, compare_told_ports
from unstuck.causes.admission import _creation
from unstuck.causes.admission._refused import CONFIGURATIONS, describe_write
from unstuck.causes.admission._webhook_answer import (
    describe_answer,
    describe_skipped,
    disagrees_on_certificates,
    mend,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.admission import Webhook
from unstuck.facts.aspects.cluster import Backends, Contents
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.core import Fact, Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record, replace
from unstuck.facts.regex import regex
from unstuck.stages.served import lacks_service

say = Messages(__name__)


# The Service that the server asked (staging/src/k8s.io/apiserver/pkg/util/webhook/client.go): `Post
# "https://NAME.NAMESPACE.svc:443/…"`
_ASKED = regex(r'Post "?https://([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.svc(?:[./]|:(\d{1,5})|:)')
_REFUSED = regex(r"connection refused")
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
class DeadWebhook(Record):
    """A webhook without a backend. gone: its Service does not exist."""

    hook: Webhook
    gone: bool


def make_write_finding(hook: Ref, why: str, passed: bool, snap: Facts) -> Finding:
    """Return the finding about a write. passed: the write was accepted without the webhook."""
    asked = _ASKED.search(why)
    service = f"Service {asked[2]}/{asked[1]}" if asked else ""
    behind = Ref("Service", asked[2], asked[1]) if asked else None
    empty = behind is not None and not disagrees_on_certificates(why) and lacks_service(behind, snap).value
    converts = hook.kind == "ConversionWebhook"
    if passed:
        says, verify, do_not = describe_skipped(hook.name or "?", why), _CALLED_AGAIN, _NOT_FAIL
    elif converts:
        says, verify = describe_answer(hook.name or "?", None, why), say("objects of this kind can be listed")
        do_not = _NOT_DELETE_KIND
    else:
        says, verify = describe_answer(hook.name or "?", say("a write"), why), say("the same write passes")
        do_not = _NOT_IGNORE
    if empty and behind is not None:
        says += _describe_behind(behind, snap)
    return Finding(
        says,
        culprit=hook,
        blocks=(),
        notes=(say("the server: {why}", why=why),) if why else (),
        help=(
            *((_look_behind(asked[2], asked[1]),) if asked and not disagrees_on_certificates(why) else ()),
            *((_look_at_pods(behind),) if empty and behind is not None else ()),
            *(() if converts else (_SEE_CONFIGURATION,)),
            Step(mend(service, why), where="source", verify=verify),
        ),
        do_not=(do_not,),
    )


def make_creation_finding(
    subject: Ref, snap: Facts, dead: DeadWebhook | None, hook: Webhook, failure: Failure
) -> Finding:
    """Return the finding about Pods that cannot be created."""
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
    behind = hook.service or (Ref("Service", asked[2], asked[1]) if asked else None)
    port = int(asked[3]) if asked and asked[3] else 0
    other = OtherPort()
    if behind and not dead and _REFUSED.search(told):
        other = compare_told_ports(behind, port, snap, _creation.RETRIES)
    stands = (
        (say("it is defined in {configuration}", configuration=who(hook.configuration)),) if known else ()
    )
    found = _creation.make_finding(
        subject,
        snap,
        says + other.says,
        hook.configuration,
        notes=(*stands, *words),
        help=(
            *(
                (_look_behind(asked[2], asked[1]),)
                if asked and not (dead or disagrees_on_certificates(told))
                else ()
            ),
            *(other.help or (Step(restore, where="source", verify=_creation.RETRIES),)),
            *(_stop_calling(hook) if known and not other.help else ()),
        ),
        do_not=(_NOT_IGNORE,),
    )
    return replace(found, enrich=other.wants, seen=other.seen)


def _look_behind(namespace: str, service: str) -> Step:
    """Return a look at the endpoints of the Service that the server called."""
    return Step(
        say("see whether its Service exists and has ready Pods behind it"),
        command=command(
            "kubectl get {service} {endpoints} {space}",
            service=given.obj("service", service),
            endpoints=given.obj("endpoints", service),
            space=given.namespace(namespace),
        ),
    )


def _look_at_pods(service: Ref) -> Step:
    """Return the look at the Pods of the Service's Namespace: why none of them is ready."""
    return Step(
        say("see which of its Pods are not ready, and why"),
        command=command("kubectl get pods {space} -o wide", space=given.space(service)),
    )


def _describe_behind(service: Ref, snap: Facts) -> Text:
    """Return what is known of the addresses behind a Service that has none that is ready."""
    if lacks_service(service, snap).hits == ("gone",):
        return say("; {service} does not exist", service=who(service))
    unready = sum(f.total for f in snap.of(Backends, service))
    return (
        say(
            "; {service} has no ready address, and {n} {n:that is|that are} not ready",
            service=who(service),
            n=unready,
        )
        if unready
        else say("; {service} has no endpoints", service=who(service))
    )


def describe_blocked_write(subject: Ref, said: tuple[Any, ...]) -> Text:
    """Return the writes that the webhook keeps from the subject, as a noun."""
    if subject.kind == "Pod" and said:
        return describe_write(said[0])
    if subject.kind == "Namespace":
        return say("the deletion of the Namespace's content")
    return say("writes that would finish this")


def make_deletion_finding(subject: Ref, snap: Facts, dead: DeadWebhook, refused_: Text) -> Finding:
    """Return the finding about an object whose deletion needs such a write."""
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
        help=(*(() if inside else (restore,)), *_stop_calling(hook)),
        do_not=(_warn_of_deletion(subject),),
    )


def make_unread_finding(subject: Ref, name: str, seen: tuple[Fact, ...]) -> Finding:
    """Return the finding without the configuration, which was not read: the server's message is all that is
    known.
    """
    write = describe_blocked_write(subject, ())
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


def _stop_calling(hook: Webhook) -> tuple[Step, ...]:
    return (
        Step(
            say(
                "only if nothing uses it any more (its owner is uninstalled), delete the configuration; "
                "it can be applied again"
            ),
            command=command("kubectl delete {configuration}", configuration=given.of(hook.configuration)),
            risk="disrupts",
        ),
        Step(
            say(
                "or narrow its rules or selectors so that it skips this request; "
                "its check of such writes ends"
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
                "undeleted objects would stay in etcd, hidden, "
                "and reappear with the next Namespace of that name"
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
