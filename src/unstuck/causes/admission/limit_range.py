"""What the Pods ask for lies outside the bounds of a LimitRange

## How it happens

A LimitRange of the Namespace gives each container or Pod a least and a most of CPU, memory or storage, or how far limits may exceed
requests. A template outside these bounds is refused, as is one without a limit where there is a maximum.

## How to tell

No Pod is there; the refusal stands in the events of its ReplicaSet, StatefulSet, DaemonSet or Job, and as the condition ReplicaFailure:
`maximum memory usage per Container is 64Mi, but limit is 256Mi`. It is proven where a LimitRange of the Namespace, read now, has that
bound.

## Known limits

The message does not name the LimitRange: where two have the same bound, the first one by name is shown. The template is not read again
here.

## References

- Kubernetes documentation: Limit Ranges
- plugin/pkg/admission/limitranger/admission.go
"""

from __future__ import annotations

import re

from unstuck.causes.admission._creation import CREATORS, READS, RETRIES, STAGES, finding, refused_pods, signs
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.limits import Bound, Limits
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import parse_quantity

_BOUND = re.compile(
    r"(?:(?P<which>m(?:in|ax))imum (?P<resource>[\w./-]{1,253}) usage per|(?P<ratio>[\w./-]{1,253}) max limit to request ratio per) "
    r"(?P<per>\w{1,30}) is (?P<value>[\w.]{1,40}?)(?=[,.\]]|$)"
)
_BETWEEN = re.compile(r", (?=m(?:in|ax)imum |[\w./-]{1,253} max limit to request ratio)")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = refused_pods(subject, snap, "limit-range")
    stands = _standing(subject, said, snap) if said.hits else Sign[str](None)
    return signs(
        subject, snap, said, {"a LimitRange has that bound now": stands}, lambda: _finding(subject, snap, said.hits[0], stands.hits)
    )


def _standing(subject: Ref, said: Sign[Failure], snap: Facts) -> Sign[str]:
    """Find the LimitRanges of the Namespace with a bound that the refusal names; no where all of them were seen and none has."""
    named = [b for f in said.hits for b in _bounds(f)]
    every = Ref("LimitRangeList", subject.within)
    return some(snap, Limits, every, lambda f: [b.by for b in f.bounds if any(_same(b, n) for n in named)])


def _bounds(failure: Failure) -> list[Bound]:
    return [
        Bound("", m["per"], m["ratio"], "ratio", m["value"])
        if m["ratio"]
        else Bound("", m["per"], m["resource"], "max" if m["which"].lower() == "max" else "min", m["value"])
        for m in _BOUND.finditer(failure.key or "")
    ]


def _same(a: Bound, b: Bound) -> bool:
    alike = (a.per, a.resource, a.which) == (b.per, b.resource, b.which)
    return alike and parse_quantity(a.value) is not None and parse_quantity(a.value) == parse_quantity(b.value)


def _finding(subject: Ref, snap: Facts, failure: Failure, standing: tuple[str, ...]) -> Finding:
    broken = [part.strip("[] ") for part in _BETWEEN.split((failure.key or "").strip())]
    by = min(standing, default=None)
    name, name_zh = (who(Ref("LimitRange", subject.within, by)),) * 2 if by else ("a LimitRange", "某个 LimitRange")
    others = tuple(Text(f"also: {b}", f"以及：{b}") for b in broken[1:6])
    return finding(
        subject,
        snap,
        Text(f"{name} rejects its Pods: {broken[0]}", f"{name_zh} 拒绝其 Pod：{broken[0]}"),
        Ref("LimitRange", subject.within, by),
        notes=others,
        help=(
            Step(
                Text("change the template's requests and limits to fit its bounds", "把模板的请求和限制调整到范围之内"),
                where="source",
                verify=RETRIES,
            ),
            Step(
                Text(
                    "or ask its owner to change the LimitRange; running Pods are not affected",
                    "或请其所有者修改该 LimitRange；正在运行的 Pod 不受影响",
                ),
                where="source",
                command=command("kubectl edit {limits} {space}", limits=given.obj("limitrange", by or None), space=given.space(subject)),
                risk="reversible",
            ),
        ),
        do_not=(
            DoNot(
                Text("delete the LimitRange as a workaround", "删除 LimitRange 来绕过"),
                Text(
                    "its defaults are lost too: Pods that set no requests are then created without any and overcommit their nodes",
                    "其默认值会随之消失：未声明请求的 Pod 将不带任何请求被创建，挤占节点",
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="admission.limit-range",
    title=Text("the Pods' requests or limits violate a LimitRange", "Pod 的请求或限制超出 LimitRange 的范围"),
    subjects=CREATORS,
    stages=STAGES,
    reads=READS | {Limits},
    rule=_rule,
)
