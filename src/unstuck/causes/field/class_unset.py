"""An Ingress sets no class, and there is no default class

## How it happens

Each controller takes the Ingresses of its own class. An Ingress without `ingressClassName` gets the class
that is marked as the default; without a default it stays without a class, is valid, and no controller takes
it: it gets no address, and no Event.

## How to tell

The Ingress has had a minute and no address, neither its spec nor the older annotation has a class, and no
IngressClass has the annotation `ingressclass.kubernetes.io/is-default-class: "true"`.

## Known limits

Some controllers are set up to take Ingresses without a class, and some write no address: it is never more
than likely. A class that becomes the default later does not apply to an existing Ingress.

## References

- Kubernetes documentation "Ingress", Default IngressClass; plugin/pkg/admission/network/defaultingressclass
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some, unique
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.objects import Labels, Names, Presence
from unstuck.facts.aspects.references import References
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.knowledge.status_words import NONE

say = Messages(__name__)

_CLASSES = Ref("IngressClassList")
_OLD, _DEFAULT = "kubernetes.io/ingress.class", "ingressclass.kubernetes.io/is-default-class"
_ADDRESS = "status.loadBalancer.ingress"
_SOON, _SHOWN = timedelta(minutes=1), 6


def _check(subject: Ref, snap: Facts) -> Sign[Misfit]:
    named = snap.of(References, subject)
    classless = some(
        snap, Labels, subject, lambda f: [f] if f.whole and _OLD not in dict(f.annotations) else []
    )
    if not named or not classless.value:
        return Sign(classless.value, seen=classless.seen, wants=classless.wants) if named else Sign(None)
    if not snap.of(Reported, subject):
        return Sign(None, wants=(Want(Reported, subject),))
    if any(r.to.kind == "IngressClass" for f in named for r in f.items) or _has_address(subject, snap):
        return Sign(False, seen=named)
    if not any(f.created and snap.now - f.created >= _SOON for f in snap.of(Presence, subject)):
        return Sign(None)
    listed = some(snap, Names, _CLASSES, lambda f: [f] if f.whole else [])
    if not listed.value:
        return Sign(None, seen=listed.seen, wants=listed.wants)
    return _hold(subject, listed.hits[0], unique((*named, *classless.seen)), snap)


def _has_address(subject: Ref, snap: Facts) -> bool:
    return any(w.field == _ADDRESS and w.value != NONE for f in snap.of(Reported, subject) for w in f.words)


def _hold(subject: Ref, listed: Names, seen: tuple[Fact, ...], snap: Facts) -> Sign[Misfit]:
    refs = [Ref("IngressClass", None, name) for name in listed.names]
    told = [f for ref in refs for f in snap.of(Labels, ref)]
    if any(dict(f.annotations).get(_DEFAULT) == "true" for f in told):
        return Sign(False, seen=(listed, *told[:_SHOWN]))
    missing = tuple(Want(Labels, ref) for ref in refs if not any(f.whole for f in snap.of(Labels, ref)))
    if missing:
        return Sign(None, wants=missing)
    return Sign(True, (_find_misfit(subject, listed.names),), (*seen, listed))


def _find_misfit(subject: Ref, names: tuple[str, ...]) -> Misfit:
    there: Text = (
        say("none of the existing classes ({names}) is the default", names=list_names(names[:_SHOWN]))
        if names
        else say("this cluster has no IngressClass")
    )
    right = say("install a controller with its IngressClass, and set ingressClassName to it")
    if names:
        right = say(
            "set ingressClassName to the class of the controller that should handle it: {names}",
            names=list_names(names[:_SHOWN]),
        )
    return Misfit(
        of=subject,
        field="spec.ingressClassName",
        says=say(
            "no controller handles {subject}: it does not set ingressClassName, and {there}",
            subject=who(subject),
            there=there,
        ),
        help=(
            Step(right, where="source", verify=say("{subject} gets an address", subject=who(subject))),
            Step(
                say("see which classes and controllers there are"),
                command=command("kubectl get ingressclass -o wide"),
            ),
            Step(
                say("see the Ingress and its class"),
                command=command(
                    "kubectl get {subject} {space}", subject=given.of(subject), space=given.space(subject)
                ),
            ),
        ),
    )


PAIRS = (
    Pair(
        "it does not set its class, and no class is the default",
        "there",
        ("Ingress",),
        _check,
        frozenset({References, Labels, Names, Presence, Reported}),
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    signs = judge_pairs(PAIRS, subject, snap)
    # That it has a class rules it out.
    return replace(signs, necessary=signs.supporting)


CAUSE = Cause(
    id="field.class-unset",
    title=say("an Ingress sets no class, and there is no default class"),
    subjects=("Ingress",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
