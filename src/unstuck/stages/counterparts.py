"""The relations between fields of two objects: how both sides must match, and what does not work if they do
not.

Each row belongs to a reader in `collect/kube/questions/counterparts.py`, which brings both sides' values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from unstuck.diagnosis.answer import State
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.facts.aspects.counterparts import Counterpart, Counterparts
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.kinds import EFFECTS, POLICY_BINDINGS, ROUTES
from unstuck.stages.state_wording import add_headline

say = Messages(__name__)

_Fits = Callable[[str, tuple[str, ...]], bool]
_SHOWN = 4
_MESH = "networking.istio.io"
# The kinds with such fields, and those that have the other side.
COMPARED = (
    *(f"VirtualService.{_MESH}", f"DestinationRule.{_MESH}", f"Gateway.{_MESH}"),
    *ROUTES,
    "Gateway.gateway.networking.k8s.io",
    *(
        "NetworkPolicy",
        "Service",
        "EndpointSlice",
        "Ingress",
        "HorizontalPodAutoscaler",
        "Role",
        "ClusterRole",
    ),
    "VolumeSnapshot.snapshot.storage.k8s.io",
    "VerticalPodAutoscaler.autoscaling.k8s.io",
    "Application.argoproj.io",
    "ClusterIssuer.cert-manager.io",
    *("ScaledObject.keda.sh", "TriggerAuthentication.keda.sh"),
    *("StorageClass", "VolumeSnapshotClass.snapshot.storage.k8s.io", "RuntimeClass"),
    "IngressClass",
    *EFFECTS,
    *POLICY_BINDINGS,
    *("RoleBinding", "ClusterRoleBinding"),
)


def is_compared(ref: Ref) -> bool:
    """Tell whether an object has such fields, or may have them by the conventions for custom kinds."""
    return ref.kind in COMPARED or "." in ref.kind


@record()
class Relation(Record):
    """One row. fits: whether a value matches the other side's values. effect: what does not work otherwise.

    proves: a mismatch is a fault whatever else is so; else it is likely one. alone: the other side must not
    have the value. theirs: the other side is the one to change, as this one only says what it needs. known:
    the other side goes without saying. weak: it counts only for an object that says nothing of itself.
    """

    fits: _Fits
    effect: Text
    proves: bool = True
    alone: bool = False
    theirs: bool = False
    known: bool = False
    weak: bool = False


def _is_among(value: str, there: tuple[str, ...]) -> bool:
    return value in there


def _is_alone(_: str, there: tuple[str, ...]) -> bool:
    return not there


def _has_labels(value: str, there: tuple[str, ...]) -> bool:
    """Tell whether one of the sets of labels has all of the asked ones."""
    asked = set(value.split(","))
    return any(asked <= set(one.split(",")) for one in there)


def _is_host_of(value: str, there: tuple[str, ...]) -> bool:
    """Tell whether a host name, or one with a wildcard, has anything in common with one of the others."""
    return any(_share_host(value.lower(), one.lower()) for one in there)


def _share_host(one: str, other: str) -> bool:
    if "*" in (one, other) or one == other:
        return True
    if one.startswith("*."):
        one, other = other, one
    # `*.example` is for `a.example` and `a.b.example`, not for `example` itself.
    return other.startswith("*.") and one.removeprefix("*").endswith(other[1:]) and one != other[2:]


def _is_allowed(value: str, there: tuple[str, ...]) -> bool:
    """Tell whether one of the patterns allows it, and no pattern with `!` forbids it."""
    denied = (one[1:] for one in there if one.startswith("!"))
    return any(fnmatchcase(value, one) for one in there) and not any(fnmatchcase(value, d) for d in denied)


def _denies(_: str, there: tuple[str, ...]) -> bool:
    return "Deny" in there


def _is_not_strict(_: str, there: tuple[str, ...]) -> bool:
    return "STRICT" not in there


def _is_some(value: str, _: tuple[str, ...]) -> bool:
    return value != "none"


RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        "mesh-subset": Relation(_is_among, say("what is sent to this subset fails with status 503")),
        "mesh-gateway-host": Relation(_is_host_of, say("the Gateway takes no request for this host")),
        "mesh-subset-labels": Relation(
            _has_labels, say("this subset has no Pod, and what is sent to it fails"), proves=False
        ),
        "mesh-gateway-selector": Relation(_has_labels, say("no proxy takes this configuration")),
        "route-host": Relation(_is_host_of, say("no listener takes requests for this host")),
        "route-kind": Relation(_is_among, say("no listener takes routes of this kind")),
        "route-grant": Relation(
            _is_among,
            say("a reference into another Namespace works only if a ReferenceGrant there allows it"),
            theirs=True,
        ),
        "policy-port-name": Relation(_is_among, say("this port of the rule allows no traffic")),
        "policy-service-port": Relation(
            _is_among,
            say("a policy is about the Pods' own ports, and what arrives there is not allowed by this rule"),
            proves=False,
        ),
        "slice-port": Relation(
            _is_among, say("its addresses are not used: a port's name must be that of the Service's port")
        ),
        "ingress-path": Relation(
            _is_alone, say("only one of them gets the requests, or they share them"), proves=False, alone=True
        ),
        "certificate-secret": Relation(
            _is_among, say("the certificate is written to another Secret than is read"), proves=False
        ),
        "snapshot-driver": Relation(_is_among, say("a driver takes snapshots of its own volumes only")),
        "target-container": Relation(_is_among, say("there is no such container to measure or to change")),
        "role-group": Relation(_is_among, say("the rule gives no right to this resource")),
        "project-allows": Relation(_is_allowed, say("the project does not permit it")),
        "cluster-secret": Relation(
            _is_among, say("an issuer for the whole cluster has its Secrets in one Namespace only")
        ),
        "served-by": Relation(_is_among, say("no program that serves it was found here"), proves=False),
        "driver-nodes": Relation(_is_among, say("no Node can mount its volumes"), proves=False),
        "runtime-handler": Relation(_is_among, say("no Node can start its Pods"), proves=False),
        "slice-family": Relation(_is_among, say("none of its addresses is used")),
        "mesh-mtls": Relation(
            _is_not_strict, say("the Pods refuse what is sent without the mesh's certificates"), proves=False
        ),
        "secret-key": Relation(_is_among, say("the credential is not there")),
        "labelled": Relation(_is_among, say("nobody handles it"), proves=False),
        "named-alike": Relation(_is_among, say("what it names is not there"), proves=False),
        "named-like": Relation(_is_among, say("what it names is not there"), proves=False, weak=True),
        "selected-like": Relation(
            _is_among, say("it applies to nothing that is there"), proves=False, weak=True
        ),
        "principal": Relation(_is_among, say("no request comes from that account"), proves=False),
        "role-rules": Relation(_is_some, say("the binding gives no right"), proves=False, known=True),
        "taken": Relation(_is_among, say("it has no effect"), proves=False),
        "taken-labels": Relation(_is_among, say("none of them takes it"), proves=False),
        "selected": Relation(_is_among, say("it applies to nothing that is there"), proves=False),
        "named": Relation(_is_among, say("what it names is not there")),
        "named-too": Relation(_is_among, say("of what it names only a part is there"), proves=False),
        "admitted": Relation(_is_among, say("nothing from this Namespace is admitted"), proves=False),
        "parameters": Relation(_is_among, say("without them its parameterNotFoundAction decides")),
        "binding-denies": Relation(
            _denies, say("nothing is refused; what does not pass is reported only"), proves=False, known=True
        ),
    }
)


def is_mismatch(one: Counterpart) -> bool:
    """Tell whether the two sides do not match; a relation of a newer version is not judged."""
    row = RELATIONS.get(one.relation)
    return row is not None and not row.fits(one.value, one.there)


def find_mismatches(ref: Ref, snap: Facts, *, proves: bool) -> Sign[Counterpart]:
    """Find the fields of an object, or those that concern it, that do not match their other side. proves:
    which relations are asked about.
    """

    def find(fact: Counterparts) -> list[Counterpart]:
        return [c for c in fact.items if is_mismatch(c) and RELATIONS[c.relation].proves is proves]

    return some(snap, Counterparts, ref, find)


def judge_counterparts(ref: Ref, snap: Facts, state: State) -> State:
    """Judge an otherwise healthy object by its fields that must match another object's. state: its state
    without that.
    """
    if not is_compared(ref) or state.name != "fine":
        return state
    seen = next((f for f in snap.of(Counterparts, ref) if f.whole), None)
    if seen is None:
        return replace(state, wants=(*state.wants, Want(Counterparts, ref))) if ref.name else state
    misfits = (c for c in seen.items if is_mismatch(c) and (state.unjudged or not RELATIONS[c.relation].weak))
    found = sorted(misfits, key=lambda c: not RELATIONS[c.relation].proves)
    if found:
        one = found[0]
        says = tell_here(one, ref) + tell_there(one)
        sure = RELATIONS[one.relation].proves
        return add_headline(ref, "stuck" if sure else "unknown", says, evidence=(seen,))
    if state.unjudged and seen.items:
        says = say("its fields match those of the other objects ({n} compared)", n=len(seen.items))
        return add_headline(ref, "fine", says, evidence=(seen,))
    return state


def tell_here(one: Counterpart, ref: Ref | None = None) -> Text:
    """Return the side with the field. ref: the object that the sentence is about, which needs no name."""
    if ref and (ref.kind, ref.within, ref.name) == (one.of.kind, one.of.within, one.of.name):
        return say("its {field} is {value}", field=one.field, value=one.value)
    return say("{of} has {value} in {field}", of=who(one.of), field=one.field, value=one.value)


def tell_there(one: Counterpart) -> Text:
    """Return the other side of a field, worded to follow this side."""
    row, first = RELATIONS[one.relation], one.to[0] if one.to else None
    to = who(first) if first else one.kind.partition(".")[0]
    if row.known:
        return NO_TEXT
    if row.alone:
        return say(", and so has {to} in {theirs}", to=to, theirs=one.theirs)
    if not one.there:
        return (
            say(", and {to} has nothing in {theirs}", to=to, theirs=one.theirs)
            if first
            else say(", and no {kind} has that in {theirs}", kind=to, theirs=one.theirs)
        )
    there = list_names(one.there[:_SHOWN])
    more = len(one.there) - _SHOWN
    says = (
        say(", and {to} has only {there} in {theirs}", to=to, there=there, theirs=one.theirs)
        if first
        else say(
            ", and no {kind} has that in {theirs}, only {there}", kind=to, there=there, theirs=one.theirs
        )
    )
    return says + say(" (and {more} more)", more=more) if more > 0 else says
