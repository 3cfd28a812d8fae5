"""A type's conversion webhook does not answer, so its objects cannot even be listed

## How it happens

A CustomResourceDefinition with `conversion.strategy: Webhook` has objects stored in another version than the
requested one. Each list of them needs the webhook's answer. Its operator was uninstalled first, or lay in the
very Namespace that is being deleted: its Service is gone or has no ready address, and the namespace
controller, the garbage collector and `kubectl get` all fail at that one type. The deletion of the CRD itself
waits for the same list.

## How to tell

The Namespace's condition NamespaceDeletionContentFailure (of a CRD: Terminating, InstanceDeletionFailed) has
`conversion webhook for GROUP/VERSION, Kind=KIND failed`, while NamespaceContentRemaining reads False:
unlistable objects are not counted. The CRD names the Service that is called, and that Service does not exist;
or a list of these objects gives the same error.

## Known limits

Where the list was not tried and the webhook's Service has addresses, it may fail for its certificate or a
network policy; the server's message in the condition gives the reason. Objects that are stored in the version
asked for are listed without the webhook.

## References

- Kubernetes documentation: Versions in CustomResourceDefinitions, Webhook conversion
- staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go,
  pkg/controller/finalizer/crd_finalizer.go
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.admission._refused import guess_plural
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, unique
from unstuck.diagnosis.text import Messages, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Backends, Contents
from unstuck.facts.aspects.crds import Conversion
from unstuck.facts.aspects.objects import Conditions, Presence
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.stages.served import lacks_service

say = Messages(__name__)

# staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go
_FAILED = regex(
    r"conversion webhook for (?P<group>[a-z0-9.-]{1,253})/(?P<version>v[a-z0-9]{1,15}), Kind="
    r"(?P<kind>[\w-]{1,63}) failed"
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = hearsay(
        snap,
        Conditions,
        subject,
        lambda f: [m for c in f.items if c.status == "True" for m in _list_kinds(c.message)],
    )
    listed = hearsay(
        snap, Contents, subject, lambda f: [name for name, words in f.unlisted if _FAILED.search(words)]
    )
    crds = _find_definitions(subject, said.hits, listed.hits)
    dead = _find_dead(crds, snap)
    told: list[Sign[Any]] = [s for s in (said, listed) if s.value]

    def finding() -> Finding:
        return _make_finding(subject, crds[0], snap, dead)

    return Signs(
        applies=any_of(told) if told else _deny_unmentioned(subject, snap),
        decisive={
            "the conversion webhook has no backend": dead
            if dead.value
            else Sign(None, seen=dead.seen, wants=dead.wants),
            "its objects cannot be listed for it": listed
            if listed.value
            else Sign(None, wants=_make_list_wants(subject)),
        },
        supporting={"who deletes them says so": said},
        finding=finding,
    )


def _deny_unmentioned(subject: Ref, snap: Facts) -> Sign[Any]:
    """Return no if the conditions were seen and do not mention it; lists that were not tried are not tried
    for this.
    """
    seen = tuple(f for f in snap.of(Conditions, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None, wants=(Want(Conditions, subject),))


def _make_list_wants(subject: Ref) -> tuple[Want, ...]:
    return (Want(Contents, subject),) if subject.kind == "Namespace" else ()


def _list_kinds(message: str) -> list[tuple[str, str]]:
    return [(m["kind"], m["group"]) for m in _FAILED.finditer(message)]


def _find_definitions(
    subject: Ref, said: tuple[tuple[str, str], ...], listed: tuple[str, ...]
) -> tuple[Ref, ...]:
    """Find the CustomResourceDefinitions concerned; a kind's plural is guessed only if no list names it."""
    if subject.kind == "CustomResourceDefinition":
        return (subject,)
    names = listed or [f"{guess_plural(kind)}.{group}" for kind, group in said]
    return tuple(Ref("CustomResourceDefinition", None, name) for name in unique(names))


def _find_dead(crds: tuple[Ref, ...], snap: Facts) -> Sign[Conversion]:
    """Find types whose conversion webhook is a Service without a backend; webhooks at a URL are not looked
    at.
    """

    def one(crd: Ref) -> Sign[Conversion]:
        converted: Sign[Conversion] = hearsay(snap, Conversion, crd, lambda f: [f] if f.service else [])
        service = converted.hits[0].service if converted.hits else None
        if service is None:
            return Sign(None, wants=() if snap.of(Conversion, crd) else (Want(Conversion, crd),))
        lacks = lacks_service(service, snap)
        return Sign(lacks.value, converted.hits, (*converted.seen, *lacks.seen), lacks.wants, lacks.sure)

    return any_of([one(crd) for crd in crds])


def _make_finding(subject: Ref, crd: Ref, snap: Facts, dead: Sign[Conversion]) -> Finding:
    first = dead.hits[0] if dead.hits else snap.one(Conversion, crd)
    service = first.service if first else None
    name = crd.name or ""
    target = same_in_both(f"Service {service.within}/{service.name}") if service else say("its webhook")
    lacks = say("has nothing behind it") if dead.value else say("does not convert them")
    inside = service is not None and subject.kind == "Namespace" and service.within == subject.name
    listed = command("kubectl get {types} -A", types=given.resource(name)).line or "kubectl get"
    restore = Step(
        say("restore {target}; the deletion is retried automatically", target=target),
        where="source",
        verify=say("`{listed}` lists the objects again", listed=listed),
    )
    return Finding(
        say(
            "Objects of {name} cannot be listed: {target}, which converts them, {lacks}",
            name=name,
            target=target,
            lacks=lacks,
        ),
        culprit=service or crd,
        blocks=unique((subject, crd)),
        enrich=dead.wants,
        notes=(say("its backend ran in this Namespace, where nothing can be created any more"),)
        if inside
        else (),
        help=(*(() if inside else (restore,)), _remove_conversion(name)),
        do_not=(
            DoNot(
                say("clear the Namespace's spec.finalizers, or the CRD's"),
                say(
                    "unlisted objects would stay in etcd, hidden, and reappear with the next CRD of that name"
                ),
            ),
        ),
    )


def _remove_conversion(name: str) -> Step:
    return Step(
        say(
            "only if these objects are to be deleted everywhere and their operator will not "
            "come back: disable the conversion; from then on reads and writes lose the fields "
            "missing in the other version"
        ),
        command=command(
            "kubectl patch {definition} --type=merge -p "
            """'{"spec":{"conversion":{"strategy":"None","webhook":null}}}'""",
            definition=given.obj("crd", name),
        ),
        risk="loses-data",
        verify=say("the objects are deleted within minutes, then the Namespace or CRD"),
    )


CAUSE = Cause(
    id="namespace.conversion-webhook-unreachable",
    title=say("a resource type's conversion webhook does not respond"),
    subjects=("Namespace", "CustomResourceDefinition"),
    stages=("content-deleted", "finalizers-cleared"),
    reads=frozenset({Conditions, Contents, Conversion, Presence, Backends}),
    rule=_rule,
)
