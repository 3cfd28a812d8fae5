"""The API server cannot read an object stored in etcd

## How it happens

Secrets are encrypted at rest, and the key or KMS plugin that they were written with is not in the API
server's configuration any more: it was rotated away before all Secrets were rewritten, or one API server of
several has another file. Or the stored bytes are no object that this server knows: its version was removed by
an upgrade, bytes were damaged, or etcd was written by hand. Then it can be neither read nor changed nor
deleted. A list that it belongs to fails as a whole, so its Namespace cannot be emptied, a Pod that needs it
does not start, and controllers that watch all objects of that type stand still.

## How to tell

A GET of it, or a list of its type, is answered by 500 in the storage's words: `unable to transform key
"/registry/…"`, `no matching prefix found`, `identity transformer tried to read encrypted data`, `no kind "…"
is registered for version …`; from 1.32 on by `StoreReadError` or `corrupt object`, too. A Namespace quotes
them in NamespaceDeletionContentFailure.

## Known limits

An undecodable object is not named by the failing list, only an untransformable one is. With several API
servers only some may lack the key. A KMS plugin that is merely down is recognised by `failed to decrypt DEK`
only; older plugins have other messages. Objects of a CustomResourceDefinition whose conversion webhook fails
are another cause (namespace.conversion-webhook-unreachable).

## References

- Kubernetes documentation: Encrypting Confidential Data at Rest; KEP-3926 (handling undecryptable resources)
- staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go, corrupt_obj_deleter.go; pkg/storage/value/encrypt
- kubernetes/kubernetes issues 86489, 66844
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unstuck.causes.namespace.pods_remain import NAMESPACE_AFTER
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some, unique
from unstuck.diagnosis.text import Messages, Text, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Conditions, Deletion, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Needs
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import UnreadableWord
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_MANY = 12
_FAILING = "NamespaceDeletionContentFailure"
# A container needs the objects that its Pod names until it is made.
_UNMADE = ("ContainerCreating", "PodInitializing", "CreateContainerConfigError")


def _rule(subject: Ref, snap: Facts) -> Signs:
    direct = _find_direct(subject, snap)
    said = _find_in_conditions(subject, snap)
    return Signs(
        decisive={"the server's own answer says that it cannot read it": _leave_open(direct, said)},
        supporting={"the namespace controller quotes such an answer": said},
        finding=lambda: _make_finding(subject, unique(f for s in (*direct, said) for f in s.hits)),
    )


def _find_direct(subject: Ref, snap: Facts) -> list[Sign[Unreadable]]:
    """Find the object itself, and further objects that hold the subject up: in a Namespace the objects that
    should be gone, for a Pod the objects that it needs to start.
    """
    held: list[Sign[Any]] = []
    if subject.kind == "Namespace":
        held = [is_overdue(subject, snap, NAMESPACE_AFTER), _find_unreadable(subject, snap)]
    elif subject.kind == "Pod":
        held = [_is_starting(subject, snap), _find_unreadable_needs(subject, snap)]
    return [_judge_answer(subject, snap), *((all_of(held),) if held else ())]


def _judge_answer(ref: Ref, snap: Facts) -> Sign[Unreadable]:
    """Judge the server's answer to a GET of it, or to a list that names it: no if it returned the object, or
    has none.
    """
    told = some(snap, Unreadable, ref, lambda f: [f] if f.whole else [])
    given: Sign[Unreadable] = some(snap, Presence, ref, lambda _: [])
    return told if told.value else given


def _find_unreadable(ns: Ref, snap: Facts) -> Sign[Unreadable]:
    """Return no if all types could be listed, or the controller, which lists them too, reports no failure."""
    held = tuple(f for f in snap.every(Unreadable) if f.whole and f.about.within == ns.name)
    if held:
        return Sign(True, held, held)
    listed: Sign[Unreadable] = some(snap, Contents, ns, lambda _: [])
    through = some(
        snap, Conditions, ns, lambda f: [c for c in f.items if c.type == _FAILING and c.status == "False"]
    )
    return Sign(False, seen=through.seen) if listed.value is None and through.value else listed


def _is_starting(pod: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether a Pod that is not being deleted has a container that is not made yet."""
    stays: Sign[Any] = some(snap, Deletion, pod, lambda f: [] if f.requested else [f])
    unmade: Sign[Any] = some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s for s in f.items if s.state == "waiting" and s.reason in _UNMADE],
    )
    return all_of([stays, unmade])


def _find_unreadable_needs(pod: Ref, snap: Facts) -> Sign[Unreadable]:
    """Find unreadable ConfigMaps and Secrets among the objects that the Pod's containers require."""
    needs = some(
        snap,
        Needs,
        pod,
        lambda f: [n.object for n in f.items if not n.optional and n.object.kind in ("ConfigMap", "Secret")],
    )
    if not needs.value:
        return Sign(needs.value, seen=needs.seen, wants=needs.wants)
    return any_of([_judge_answer(ref, snap) for ref in needs.hits[:_MANY]])


def _find_in_conditions(subject: Ref, snap: Facts) -> Sign[Unreadable]:
    """Find objects that the conditions of a Namespace being deleted quote, unless the server returns them
    meanwhile.
    """
    told = (f for f in snap.every(Unreadable) if not f.whole and f.about.within == subject.name)
    held = tuple(f for f in told if _judge_answer(f.about, snap).value is not False)
    late = subject.kind == "Namespace" and is_overdue(subject, snap, NAMESPACE_AFTER).value
    return Sign(True, held, held) if held and late else Sign(None)


def _leave_open(direct: list[Sign[Unreadable]], said: Sign[Unreadable]) -> Sign[Unreadable]:
    """Leave the sign open: a quoted answer is valid until the server itself is asked for the object."""
    found = any_of(direct)
    asked = tuple(Want(fact, f.about) for f in said.hits[:_MANY] for fact in (Unreadable, Presence))
    return (
        Sign(None, seen=found.seen, wants=unique((*asked, *found.wants)))
        if said.value and not found.value
        else found
    )


def _make_finding(subject: Ref, found: tuple[Unreadable, ...]) -> Finding:
    first = min(found, key=lambda f: (not f.whole, f.about.key))
    thing = first.about
    why, restore = _WHY.get(first.error, _WHY["undecodable"])
    listing = thing.kind.endswith("List")
    name = (
        say(
            "An object of {kind} in Namespace {within}",
            kind=thing.kind.removesuffix("List"),
            within=thing.within,
        )
        if listing
        else same_in_both(who(thing))
    )
    others = unique(f.about for f in found if f.about != thing)
    notes = [say("the server's words: {message}", message=first.message)]
    notes += [say("also unreadable: {object}", object=who(o)) for o in others[:4]]
    notes.append(
        say(
            "every list that includes it fails entirely, so other objects of its type there cannot be "
            "deleted either"
        )
    )
    return Finding(
        say("{name} is stored, but the API server cannot read it: ", name=name) + why,
        culprit=thing,
        blocks=unique((subject, *others)),
        notes=tuple(notes),
        help=(
            _restore(restore),
            *(() if listing or first.error == "kms-failed" else (_make_unsafe_delete_step(first),)),
        ),
        do_not=_DO_NOT,
    )


def _restore(how: Text) -> Step:
    again = say("a GET of it succeeds again, and pending deletions continue automatically")
    return Step(how, where="source", verify=again)


# The reasons why it cannot be read, and their fixes.
_WHY: Mapping[UnreadableWord, tuple[Text, Text]] = MappingProxyType(
    {
        "untransformable": (
            say("it is encrypted with a key that the server does not have"),
            say(
                "add the lost key back as an additional provider in every API server's encryption "
                "configuration; rewrite all objects of that type before you remove it"
            ),
        ),
        "kms-failed": (
            say("the KMS plugin that encrypted it does not decrypt it"),
            say(
                "restore the KMS plugin on every control plane node (its process, its socket, its connection "
                "to the key service), and the key itself if it was disabled or deleted"
            ),
        ),
        "undecodable": (
            say("this server does not recognize the stored object"),
            say(
                "find the version the object was written in: serve that version again (its CRD, or the API "
                "server before the upgrade), or restore the object from a backup"
            ),
        ),
    }
)


_API_PATH = regex(r"/(?:api|apis/[^/]+)/[^/]+/(?P<rest>[^/]+(?:/[^/]+)*)")


def parse_object_path(asked: str, name: str | None) -> str | None:
    """Return the path of the object that a request was about, whether for it or for its list; None for any
    other path.

    By the number of segments behind the version, as the API server reads them: an object may have the name of
    its type. Source: staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
    """
    found = _API_PATH.fullmatch(asked)
    if found is None or not name:
        return None
    segments = found["rest"].split("/")
    if len(segments) > 2 and segments[0] != "namespaces":
        return None
    if len(segments) in (1, 3):
        return f"{asked}/{name}"
    return asked if len(segments) in (2, 4) and segments[-1] == name else None


def _make_unsafe_delete_step(found: Unreadable) -> Step:
    path = parse_object_path(found.src.where.partition("?")[0], found.about.name) if found.whole else None
    key = found.key or "its key"
    return Step(
        say(
            "or, only if it can never be read again, and after an etcd snapshot: delete it unread; its "
            "finalizers and owners are ignored (1.32 on with the gate AllowUnsafeMalformedObjectDeletion "
            "and the verb unsafe-delete-ignore-read-errors; without these, `etcdctl del` of {key})",
            key=key,
        ),
        command=command(
            "kubectl delete '--raw={path}?ignoreStoreReadErrorWithClusterBreakingPotential=true'",
            path=given.api_path(path),
        ),
        risk="loses-data",
    )


_DO_NOT = (
    DoNot(
        say("delete its key from etcd right away"),
        say(
            "other objects written with the same key are unreadable too, and all of "
            "them come back with the key"
        ),
    ),
    DoNot(
        say("clear a Namespace's spec.finalizers because of it"),
        say("the object stays in etcd, and every list of its type across all Namespaces keeps failing"),
    ),
)

CAUSE = Cause(
    id="apiserver.object-undecodable",
    title=say("a stored object cannot be read"),
    subjects=("*",),
    reads=frozenset({Unreadable, Presence, Deletion, Conditions, Contents, ContainerStatuses, Needs}),
    rule=_rule,
)
