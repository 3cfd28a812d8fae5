"""An aggregated API does not answer, so no Namespace can be emptied with certainty

## How it happens

An APIService registers a group that another server answers for: a metrics adapter, an operator's API. When
the Service behind it is gone or does not answer, the list of all resource types is incomplete. The namespace
controller refuses to call a Namespace empty while it cannot list everything, so every Namespace that is being
deleted waits, also the empty ones.

## How to tell

The Namespace's condition NamespaceDeletionDiscoveryFailure is True and names the group; the APIService reads
Available=False with a reason such as ServiceNotFound, MissingEndpoints or FailedDiscoveryCheck.

## Known limits

A `stale GroupVersion discovery` can appear for a moment while the API works. Without the APIService's own
condition, the answer is at most likely: if the Namespace's condition has `the server is currently unable to
handle the request` for a group. The same holds if a text shows only the APIService itself: the waiting
Namespaces are not known then. A failing check (`FailedDiscoveryCheck`) makes it possible only: the way to its
Service may be closed.

## References

- Kubernetes pkg/controller/namespace/deletion/namespaced_resources_deleter.go, status_condition_utils.go
- k8s.io/kube-aggregator pkg/controllers/status/remote/remote_available_controller.go
"""

from __future__ import annotations

from unstuck.causes.namespace._discovery import CLUSTER, GO_ON, find_backend, make_hold_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, some, symptom
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import ApiService, ApiServices, Discovery, Terminating
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# client-go's words for the 503 with which the aggregator answers for a server that it does not reach
# (apimachinery api/errors).
_UNSERVED = regex(
    r"(?<![a-z0-9.-])(?P<group>[a-z0-9][a-z0-9.-]{0,252})/(?P<version>v\d[a-z0-9]{0,15}): "
    r"the server is currently unable to handle the request"
)

# kube-aggregator, pkg/controllers/status/remote/remote_available_controller.go
_BEHIND = ("ServiceNotFound", "ServicePortError", "EndpointsNotFound", "MissingEndpoints")
_BECAUSE = say("unlisted objects would stay in etcd, hidden, and every other Namespace would keep waiting")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return (
        _judge_registration(subject, snap)
        if subject.kind == "APIService"
        else _judge_namespace(subject, snap)
    )


def _judge_registration(ref: Ref, snap: Facts) -> Signs:
    """Return the signs about an APIService if a text shows only that it is not available."""
    told = hearsay(snap, ApiService, ref, lambda f: [ref] if f.available is False else [])
    return Signs(
        decisive={},
        supporting={"it is not available": told if _names_reason(ref, snap) else symptom(told)},
        finding=lambda: _told(ref, told.hits, snap),
    )


def _names_reason(ref: Ref, snap: Facts) -> bool:
    """Tell whether the server reports a reason behind it, not only that a call got no answer: the network may
    explain that.
    """
    return any(f.reason in _BEHIND for f in snap.of(ApiService, ref))


def _told(subject: Ref, refs: tuple[Ref, ...], snap: Facts) -> Finding:
    return (
        _make_finding(subject, refs, "", snap)
        if _target(refs[0], snap)
        else _make_unread_finding(subject, refs, snap)
    )


def _target(ref: Ref, snap: Facts) -> Ref | None:
    api = snap.one(ApiService, ref)
    return api.service if api else None


def _judge_namespace(ns: Ref, snap: Facts) -> Signs:
    said = some(
        snap,
        Conditions,
        ns,
        lambda f: [
            c for c in f.items if c.type == "NamespaceDeletionDiscoveryFailure" and c.status == "True"
        ],
    )
    offered = some(snap, Discovery, CLUSTER, lambda f: f.failed)
    dead = _find_dead(snap)

    message = said.hits[0].message if said.hits else ""
    unserved = tuple(
        Ref("APIService", None, f"{m['version']}.{m['group']}") for m in _UNSERVED.finditer(message)
    )
    told: Sign[Ref] = (
        Sign(True, unserved, said.seen, sure=False)
        if unserved and dead.value is None
        else _find_unavailable(snap)
    )
    return Signs(
        decisive={"an APIService is not available": dead},
        necessary={"resource discovery is incomplete": any_of([said, offered])},
        supporting={"the server says of a group that it cannot be handled now": told},
        finding=lambda: (
            _make_finding(ns, dead.hits, message, snap)
            if dead.hits or not told.hits
            else _told(ns, told.hits, snap)
        ),
    )


def _find_unavailable(snap: Facts) -> Sign[Ref]:
    """Find APIServices that a row of a text shows as not available; the text may lack others."""
    seen = tuple(f for f in snap.every(ApiService) if f.available is False)
    return (
        Sign(True, tuple(f.about for f in seen), seen, sure=False)
        if seen and not snap.of(ApiServices, CLUSTER)
        else Sign(None)
    )


def _find_dead(snap: Facts) -> Sign[Ref]:
    listed = some(snap, ApiServices, CLUSTER, lambda f: f.refs)
    if listed.value is not True:
        return Sign(listed.value, seen=listed.seen, wants=listed.wants)

    def down(ref: Ref) -> Sign[Ref]:
        return some(snap, ApiService, ref, lambda f: [ref] if f.available is False else [])

    return any_of([down(ref) for ref in listed.hits])


def _make_finding(ns: Ref, dead: tuple[Ref, ...], message: str, snap: Facts) -> Finding:
    if not dead:
        culprit = Ref("APIService")
        says = say("resource discovery is incomplete: {message}", message=message)
        return Finding(says, culprit, (ns,))
    ref = dead[0]
    api, target = find_backend(ref, snap, say("its Service"))
    gone = api is not None and api.reason == "ServiceNotFound"
    since = api.since if api else None
    says = (
        say("{target} of APIService {ref} does not exist", target=target, ref=ref.name)
        if gone
        else say("APIService {ref} does not respond ({target})", ref=ref.name, target=target)
    )
    notes = (say("not available since {since:%m-%d %H:%M:%S} UTC", since=since),) if since else ()
    restore = Step(say("restore {target}", target=target), where="source", verify=GO_ON)
    also = [say("also not available: {r}", r=r.name) for r in dead[1:4]]
    return make_hold_finding(
        Finding(says, culprit=ref, blocks=(ns,), notes=notes, help=(restore,)), also, _BECAUSE, snap
    )


def _make_unread_finding(ns: Ref, refs: tuple[Ref, ...], snap: Facts) -> Finding:
    """Return the finding without the APIService, which was not read: the server's message is all that is
    known.
    """
    ref = refs[0]
    says = say("the server reports that APIService {ref} is not served", ref=ref.name)
    see = Step(
        say("see why it is not available, and which Service is its backend"),
        command=command("kubectl get {registration} -o yaml", registration=given.obj("apiservice", ref.name)),
    )
    restore = Step(say("restore that Service"), where="source", verify=GO_ON)
    also = [say("also not served: {r}", r=r.name) for r in refs[1:4]]
    return make_hold_finding(
        Finding(says, culprit=ref, blocks=(ns,), help=(see, restore)), also, _BECAUSE, snap
    )


CAUSE = Cause(
    id="namespace.api-discovery-failed",
    title=say("an aggregated API does not respond"),
    subjects=("Namespace", "APIService"),
    stages=("discovery-works",),
    reads=frozenset({Conditions, Discovery, ApiServices, ApiService, Terminating}),
    rule=_rule,
)
