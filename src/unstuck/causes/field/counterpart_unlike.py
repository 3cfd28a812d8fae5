"""A field does not match the field of the other object that it is for

## How it happens

Many fields have a meaning only together with a field of another object: the subset of a route and those of
its DestinationRule, the host name of a route and those of its listeners, the port of a policy and that of the
Pods. The API server accepts any value, and in many cases no controller reports the difference: a name was
changed on one side, the number on the wrong side of a Service was taken, or two releases no longer match.

## How to tell

Both sides are read and compared, from whichever of the two objects was asked about:

- a VirtualService's subsets with its DestinationRules', its hosts with its Gateways';
- a DestinationRule's subsets, and an Istio Gateway's selector, with the labels of Pods;
- a route's host names and kind with those of the listeners, and references into another Namespace with the
  ReferenceGrants there;
- a NetworkPolicy's ports with those of the Pods and their Services;
- the port names of an EndpointSlice without a selector with its Service's;
- an Ingress' hosts and paths with those of other Ingresses of its class, and its Secrets with those that
  Certificates write;
- a snapshot class's driver with the claim's volume's;
- an autoscaler's containers with those of its target;
- a Role's apiGroups with those of its resources;
- an Argo CD Application with what its project allows;
- an object that has an effect only through others with these: an admission policy with its bindings, their
  parameters, their actions and the Namespaces that they select, a Role with its RoleBindings and these with
  their accounts, a MetalLB pool with its advertisements, their peers and Nodes, a load balancer's Service
  with the pools; a queue with the Namespaces that it admits; policies of a mesh, of MetalLB and of Cilium
  with what they select;
- a class's provisioner, driver or controller with the drivers and workloads of that name, and a RuntimeClass'
  handler with those of the Nodes;
- a quota's PriorityClasses, and a monitor's ports, with those that are there;
- the Secrets of a ClusterIssuer with the Namespace that they are read from;
- the address families of a Service without a selector with those of its EndpointSlices, the tls mode of a
  DestinationRule with the PeerAuthentication for its Pods, the keys that a TriggerAuthentication names with
  those of its Secret;
- of any custom kind: fields and labels named after a kind of its own group (`spec.cluster.name`,
  `storageLocation`) with that kind's names, and selectors whose fields say what they select.

## Known limits

A policy's port by number counts only if it is a Service's that leads to another: a Pod may listen on a port
that it does not declare. What a custom kind names only by the name of its field counts if an object of nearly
that name is there, or if it says nothing of itself. Where both sides may be meant for objects still to come,
it is likely at most. Which side is wrong, its owners know.

## References

- Kubernetes API reference (1.34): NetworkPolicyPort, EndpointPort, ContainerResourceMetricSource, PolicyRule
- gateway-api apis/v1 Listener, ReferenceGrant; istio networking.istio.io/v1; external-snapshotter v1;
  cert-manager v1; argo-cd AppProject; metallb v1beta1; kueue v1beta1; cilium.io v2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.counterparts import Counterpart, Counterparts
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.stages.counterparts import (
    COMPARED,
    RELATIONS,
    find_mismatches,
    is_compared,
    tell_here,
    tell_there,
)
from unstuck.stages.overdue import stays

say = Messages(__name__)

# What the server itself has, which nobody changes.
_SERVED = "APIResource"


def _check(subject: Ref, snap: Facts, *, proves: bool) -> Sign[Misfit]:
    if subject.kind not in COMPARED and not snap.of(Counterparts, subject):
        # A custom object's state decides whether to ask: most objects report their own faults.
        return Sign(None)
    found = find_mismatches(subject, snap, proves=proves)
    hits = tuple(_find_misfit(one) for one in found.hits)
    return Sign(found.value, hits, found.seen, found.wants, found.sure)


def _find_misfit(one: Counterpart) -> Misfit:
    row = RELATIONS[one.relation]
    return Misfit(
        of=one.of,
        field=one.field,
        says=tell_here(one) + tell_there(one) + say(": {effect}", effect=row.effect),
        help=(Step(_change(one), where="source"), *_make_looks(one)),
        blocks=(one.of,),
    )


def _change(one: Counterpart) -> Text:
    row = RELATIONS[one.relation]
    known = _CHANGES.get(one.relation)
    if known:
        return known(one)
    exact = [t for t in one.there if "*" not in t]
    near = pick_nearest(one.value, exact) or (tuple(exact) if len(one.there) == 1 else ())
    if row.alone and one.to:
        return _keep_one(one, one.to[0])
    if row.theirs:
        return _allow(one)
    if one.kind == _SERVED and near:
        return say("set {field} of {of} to {near}", field=one.field, of=who(one.of), near=near[0])
    return _set_to(one, near[0]) if near else _correct(one)


def _keep_one(one: Counterpart, to: Ref) -> Text:
    return say(
        "keep {value} in one of {of} and {to}, and remove it from the other",
        value=one.value,
        of=who(one.of),
        to=who(to),
    )


def _allow(one: Counterpart) -> Text:
    return say(
        "let {theirs} of a {kind} allow {value}, or refer to an object of its own Namespace in {field}",
        theirs=one.theirs,
        kind=_name_kind(one),
        value=one.value,
        field=one.field,
    )


def _set_to(one: Counterpart, near: str) -> Text:
    """Return which value to set. near: the nearest of the other side's."""
    if one.kind == "Pod":
        return say(
            "set {field} of {of} to {near}, or give the Pods {value} in {theirs}, in their template",
            field=one.field,
            of=who(one.of),
            near=near,
            value=one.value,
            theirs=one.theirs,
        )
    if one.to:
        return say(
            "set {field} of {of} to {near}, or correct {theirs} of {to}",
            field=one.field,
            of=who(one.of),
            near=near,
            theirs=one.theirs,
            to=who(one.to[0]),
        )
    return say(
        "set {field} of {of} to {near}, or let {theirs} of one {kind} be {value}",
        field=one.field,
        of=who(one.of),
        near=near,
        kind=_name_kind(one),
        value=one.value,
        theirs=one.theirs,
    )


def _correct(one: Counterpart) -> Text:
    if one.to:
        return say(
            "correct {field} of {of}, or {theirs} of {to}",
            field=one.field,
            of=who(one.of),
            theirs=one.theirs,
            to=who(one.to[0]),
        )
    return say(
        "correct {field} of {of}, or create the {kind} that has {value} in {theirs}",
        field=one.field,
        of=who(one.of),
        kind=_name_kind(one),
        value=one.value,
        theirs=one.theirs,
    )


def _make_taker(one: Counterpart) -> Text:
    return _set_theirs(one, one.to[0]) if one.to else _create(one)


def _set_theirs(one: Counterpart, to: Ref) -> Text:
    return say("set {theirs} of {to} to {value}", theirs=one.theirs, to=who(to), value=one.value)


def _create(one: Counterpart) -> Text:
    return say(
        "create the {kind} that has {value} in {theirs}",
        kind=_name_kind(one),
        value=one.value,
        theirs=one.theirs,
    )


def _make_secret(one: Counterpart) -> Text:
    return say(
        "create Secret {value} in {theirs}: {of} reads it there",
        value=one.value,
        theirs=one.theirs,
        of=who(one.of),
    )


def _install(one: Counterpart) -> Text:
    if one.to:
        return say("let {to} run, which serves {value}", to=who(one.to[0]), value=one.value)
    field, of = one.field, who(one.of)
    return say("install what serves {value}, or correct {field} of {of}", value=one.value, field=field, of=of)


def _run_on_nodes(one: Counterpart) -> Text:
    return say("let the node plugin of {value} run on the Nodes: it registers itself there", value=one.value)


def _send_with_mesh(one: Counterpart) -> Text:
    return say("set {field} of {of} to ISTIO_MUTUAL, or remove it", field=one.field, of=who(one.of))


def _mean_it(one: Counterpart) -> Text:
    return say("if that is not meant: correct {field} of {of}", field=one.field, of=who(one.of))


def _name_kind(one: Counterpart) -> str:
    return one.kind.partition(".")[0]


# The relations of which one side is clearly the one to change.
_CHANGES: Mapping[str, Callable[[Counterpart], Text]] = MappingProxyType(
    {
        "served-by": _install,
        "driver-nodes": _run_on_nodes,
        "taken": _make_taker,
        "cluster-secret": _make_secret,
        "mesh-mtls": _send_with_mesh,
        "binding-denies": _mean_it,
        "role-rules": _mean_it,
    }
)


def _make_looks(one: Counterpart) -> tuple[Step, ...]:
    if not one.to or one.kind == _SERVED:
        return ()
    to = one.of if RELATIONS[one.relation].known else one.to[0]
    if to.kind == "Secret":
        # Its keys are shown, and no value.
        look = command("kubectl describe {object} {space}", object=given.of(to), space=given.space(to))
    else:
        look = command("kubectl get {object} {space} -o yaml", object=given.of(to), space=given.space(to))
    return (Step(say("see the other side"), command=look),)


PAIRS = (
    Pair(
        "a field does not match its counterpart",
        "equal",
        ("*",),
        lambda ref, snap: _check(ref, snap, proves=True),
        frozenset({Counterparts, Deletion}),
    ),
    Pair(
        "a field does not match a side that may be meant for other objects",
        "equal",
        ("*",),
        lambda ref, snap: _check(ref, snap, proves=False),
        frozenset({Counterparts, Deletion}),
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    if not is_compared(subject):
        return Signs(applies=Sign(False), decisive={}, finding=_make_empty_finding)
    signs = judge_pairs(PAIRS, subject, snap)
    either = any_of((*signs.decisive.values(), *signs.supporting.values()))
    # What only may be a fault is not ruled out by the others, which are none.
    sure = (
        signs.decisive
        if any(s.value is not False for s in signs.decisive.values()) or not either.value
        else {}
    )
    return replace(signs, applies=stays(subject, snap), necessary={}, decisive=sure)


def _make_empty_finding() -> Finding:
    raise AssertionError("no field of such a kind is compared")


CAUSE = Cause(
    id="field.counterpart-unlike",
    title=say("a field does not match the field of the other object that it is for"),
    subjects=("*",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
