"""An object refers to another one that does not exist

## How it happens

The name has a typing error, or its target is in another Namespace or was installed in another cluster; it was
deleted or renamed; an add-on that brings it (metrics-server, a class, an issuer) is not installed. The API
server accepts such an object: most references are not checked when it is written.

## How to tell

A field that by the API's semantics must name an existing object names one that the server answers 404 for:
the Service of an Ingress' backend, of an APIService or of a webhook; the scale target of a
HorizontalPodAutoscaler, and the API that its metrics come from; the Role of a RoleBinding; the class of an
Ingress without an address; the priority level of a FlowSchema; the policy of its binding; the Node or
RuntimeClass in a workload's template; the source of a claim's content; the Gateway and the backends of a
route; the issuer of a certificate. In a CustomResource of an unknown type, a missing target of a `fooRef`
counts only if the object itself reports a fault; the cause is then likely. An object whose controller reports
that it stopped earlier, at another fault (two autoscalers of one workload), may fail here next: it stays
possible.

## Known limits

References of Pods, of claims to their class and volume, and of finalizers are separate causes. Whether a
Secret or ConfigMap that does exist has the right keys is not looked at here. A broken CustomResource of an
unknown type may name the missing object in a field without `Ref` in its name: this stays undecided. An object
of a type whose group the server does not serve cannot be read.

## References

- Kubernetes API reference; kubernetes/community api-conventions.md, "Object references"; gateway-api apis/v1,
  ResolvedRefs
"""

from __future__ import annotations

from unstuck.causes import _copies
from unstuck.causes._copies import find_copier
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Presence, Touches
from unstuck.facts.aspects.references import Makers, Namesakes, Reference, References
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.kinds import CLASSES
from unstuck.stages.overdue import stays
from unstuck.stages.references import WRITTEN, find_absent_targets, find_references
from unstuck.stages.reported_state import list_own_words

say = Messages(__name__)

_MOST = 4
# Controllers write these, so they have no manifest: if their target is gone, the writer removes them.
_WRITTEN_BY_CONTROLLERS = ("EndpointSlice", "Endpoints", "VolumeAttachment", "CSINode", "IPAddress")
_METRICS = "metrics.k8s.io"
# Kubernetes' own kinds that may have an object with a similar name, or in another Namespace.
_NAMED = (
    *("Role", "ClusterRole", "Service", "Secret", "ConfigMap", "ServiceAccount", "PersistentVolumeClaim"),
    *("Deployment", "StatefulSet", "StorageClass"),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    named = find_references(subject, snap)
    unread = _find_unread(subject, snap)
    if not named and unread.value is False:
        return Signs(
            applies=Sign(False, seen=snap.of(References, subject)), decisive={}, finding=_make_empty_finding
        )
    needed = find_absent_targets(subject, snap, required=True)
    # A field that is not known to require its target is examined only if the object reports a fault itself.
    perhaps: Sign[Reference] = (
        find_absent_targets(subject, snap, required=False) if list_own_words(subject, snap) else Sign(False)
    )
    either = any_of([needed, perhaps, unread])
    proof = {"the server has no object of the name in a field that must name one": needed}
    return Signs(
        applies=stays(subject, snap),
        necessary={"the server has no object of a name that it refers to": either},
        decisive=proof if needed.value is not False and named else {},
        supporting={"its own status says that it is unhealthy": perhaps},
        finding=lambda: _make_finding(subject, either.hits, snap),
    )


def _find_unread(subject: Ref, snap: Facts) -> Sign[Reference]:
    """Tell whether the object reports a fault and may name objects in unknown fields: never a yes."""
    unknown = tuple(f for f in snap.of(References, subject) if not f.whole)
    if not unknown or not list_own_words(subject, snap):
        return Sign(False)
    # There is no further question: the object itself was read, and does not mark its references.
    return Sign(None, seen=unknown)


def _make_empty_finding() -> Finding:
    raise AssertionError("what refers to nothing is ruled out")


def _make_finding(subject: Ref, missing: tuple[Reference, ...], snap: Facts) -> Finding:
    first = missing[0]
    more = [r for r in missing[1:_MOST] if r.to != first.to]
    notes = [say("{other}, in {field}, does not exist either", other=who(r.to), field=r.field) for r in more]
    if first.to.kind == "APIService" and (first.to.name or "").endswith(_METRICS):
        notes.append(
            say(
                "whatever serves metrics ({server}) registers this API when it is installed",
                server=_server(first.to),
            )
        )
    elsewhere = tuple(r for f in snap.of(Namesakes, first.to) for r in f.refs)
    near = tuple(n for f in snap.of(Namesakes, first.to) for n in f.near)
    works = say(
        "{target} exists, and {subject} continues automatically", target=who(first.to), subject=who(subject)
    )
    may_have = "." in first.to.kind or first.to.kind in (*_NAMED, *CLASSES)
    asked = (Want(Namesakes, first.to),) if may_have and not snap.of(Namesakes, first.to) else ()
    copied = find_copier(first.to, snap, works)
    return Finding(
        say(
            "{subject} refers to {target} in {field}, and it does not exist",
            subject=who(subject),
            target=who(first.to),
            field=first.field,
        )
        + _tell_namesake(elsewhere[0] if elsewhere else None, near)
        + copied.says,
        culprit=first.to,
        blocks=(subject,),
        notes=tuple(notes),
        help=(
            Step(
                say("see which there are"),
                command=command(
                    "kubectl get {kind} {space}",
                    kind=given.kind_of(first.to.kind),
                    space=given.space(first.to),
                ),
            ),
            *(
                ()
                if subject.kind in _WRITTEN_BY_CONTROLLERS
                else copied.help
                or (
                    Step(
                        _mend(first, elsewhere[0] if elsewhere else None, near),
                        where="source",
                        verify=works,
                    ),
                )
            ),
        ),
        do_not=(
            DoNot(
                say("create an empty object of that name to silence it"),
                say("it hides what is missing until something relies on it"),
            ),
        ),
        enrich=(*asked, *copied.wants, *((Want(Makers, first.to),) if first.to.kind in WRITTEN else ())),
    )


def _tell_namesake(there: Ref | None, near: tuple[str, ...]) -> Text:
    """Return `; ClusterIssuer x is there`, or the nearest name; empty if neither is known to exist."""
    if there:
        return say("; {there} is there", there=who(there))
    return say("; {near} is there", near=near[0]) if near else NO_TEXT


def _mend(first: Reference, there: Ref | None, near: tuple[str, ...]) -> Text:
    """Return the change to make: the field, if the intended value is known."""
    field, target = first.field, who(first.to)
    if there and there.kind != first.to.kind:
        kind = there.kind.partition(".")[0]
        return say(
            "if {kind} of that name is meant, set {field}.kind to {kind}; if not, create {target}",
            field=field,
            kind=kind,
            target=target,
        )
    if there:
        return say(
            (
                "create {target}, or let {field} name the Namespace of the other, or a kind for the whole "
                "cluster, if it takes one"
            ),
            target=target,
            field=field,
        )
    if near:
        return say(
            "if {near} is meant, let {field} name it; if not, create {target}",
            field=field,
            near=near[0],
            target=target,
        )
    return say(
        "if {target} is meant, create it; if not, correct {field} in the manifest", target=target, field=field
    )


def _server(api: Ref) -> str:
    return "KEDA, prometheus-adapter" if ".external." in (api.name or "") else "metrics-server"


CAUSE = Cause(
    id="reference.target-missing",
    title=say("an object that it refers to does not exist"),
    subjects=("*",),
    reads=frozenset({References, Presence, Deletion, Workload, Conditions, Reported, Touches})
    | _copies.READS,
    rule=_rule,
    fallback=True,
)
