"""The Pods' requests or limits violate a LimitRange

## How it happens

A LimitRange of the Namespace gives each container or Pod a least and a most of CPU, memory or storage, or how
far limits may exceed requests. A template outside these bounds is refused, as is one without a limit where
there is a maximum.

## How to tell

No Pod exists; the refusal is in the Events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the
condition ReplicaFailure: `maximum memory usage per Container is 64Mi, but limit is 256Mi`. It is proven if a
LimitRange of the Namespace, read now, has that bound.

## Known limits

The message does not name the LimitRange: where two have the same bound, the first one by name is shown. The
template is not read again here.

## References

- Kubernetes documentation: Limit Ranges
- plugin/pkg/admission/limitranger/admission.go
"""

from __future__ import annotations

from unstuck.causes.admission._creation import (
    CREATORS,
    READS,
    RETRIES,
    STAGES,
    find_pod_refusals,
    make_finding,
    make_signs,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.limits import Bound, Limits
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_quantity
from unstuck.facts.regex import regex

say = Messages(__name__)

_BOUND = regex(
    r"(?:(?P<which>m(?:in|ax))imum (?P<resource>[\w./-]{1,253}) usage per|(?P<ratio>[\w./-]{1,253}) max "
    r"limit to request ratio per) "
    r"(?P<per>\w{1,30}) is (?P<value>[\w.]{1,40}?)(?=[,.\]]|$)"
)
_CLAIM = "per PersistentVolumeClaim is"
_BETWEEN = regex(r", (?=m(?:in|ax)imum |[\w./-]{1,253} max limit to request ratio)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = find_pod_refusals(subject, snap, "limit-range")
    stands = _find_standing(subject, said, snap) if said.hits else Sign[str](None)
    return make_signs(
        subject,
        snap,
        said,
        {"a LimitRange has that bound now": stands},
        lambda: _make_finding(subject, snap, said.hits[0], stands.hits),
    )


def _find_standing(subject: Ref, said: Sign[Failure], snap: Facts) -> Sign[str]:
    """Find the LimitRanges of the Namespace with a bound that the refusal names; no if all of them were seen
    and none has.
    """
    named = [b for f in said.hits for b in _list_bounds(f)]
    every = Ref("LimitRangeList", subject.within)
    return some(snap, Limits, every, lambda f: [b.by for b in f.bounds if any(_is_same(b, n) for n in named)])


def _list_bounds(failure: Failure) -> list[Bound]:
    return [
        Bound("", m["per"], m["ratio"], "ratio", m["value"])
        if m["ratio"]
        else Bound("", m["per"], m["resource"], "max" if m["which"].lower() == "max" else "min", m["value"])
        for m in _BOUND.finditer(failure.key or "")
    ]


def _is_same(a: Bound, b: Bound) -> bool:
    alike = (a.per, a.resource, a.which) == (b.per, b.resource, b.which)
    return (
        alike and parse_quantity(a.value) is not None and parse_quantity(a.value) == parse_quantity(b.value)
    )


def _make_finding(subject: Ref, snap: Facts, failure: Failure, standing: tuple[str, ...]) -> Finding:
    broken = [part.strip("[] ") for part in _BETWEEN.split((failure.key or "").strip())]
    by = min(standing, default=None)
    name = same_in_both(who(Ref("LimitRange", subject.within, by))) if by else say("a LimitRange")
    others = tuple(say("also: {b}", b=b) for b in broken[1:6])
    claims = _CLAIM in broken[0]
    return make_finding(
        subject,
        snap,
        say("{name} rejects its claims: {broken}", name=name, broken=broken[0])
        if claims
        else say("{name} rejects its Pods: {broken}", name=name, broken=broken[0]),
        Ref("LimitRange", subject.within, by),
        notes=others,
        help=(
            Step(
                say(
                    "give volumeClaimTemplates a size that fits its bounds: as the field cannot be changed, "
                    "delete the StatefulSet with --cascade=orphan, which keeps Pods and claims, and create "
                    "it again"
                )
                if claims
                else say("change the template's requests and limits to fit its bounds"),
                where="source",
                verify=RETRIES,
            ),
            Step(
                say("or ask its owner to change the LimitRange; running Pods are not affected"),
                where="source",
                command=command(
                    "kubectl edit {limits} {space}",
                    limits=given.obj("limitrange", by or None),
                    space=given.space(subject),
                ),
                risk="reversible",
            ),
        ),
        do_not=(
            DoNot(
                say("delete the LimitRange as a workaround"),
                say(
                    "its defaults are lost too: Pods that set no requests are then created without any and "
                    "overcommit their nodes"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.limit-range",
    title=say("the Pods' requests or limits violate a LimitRange"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS | {Limits},
    rule=_rule,
)
