"""A Service's selector matches no Pod

## How it happens

The labels in `spec.selector` are not those of the Pods: a typing error, a label that a chart's release or version changes in the template
and not in the Service, a selector that was copied with one label too many, or Pods in another Namespace: a selector never reaches there.

## How to tell

The Service has a selector, and held against all Pods of its Namespace none has all of these labels. The Pods themselves may be well: asked
about one of them, or about its workload, the answer names a Service that was plainly meant for it. That is one whose selector is off by a
slip of the pen (a letter, case, a separator), or one that bears the workload's name and knows a label of its Pods.

## Known limits

A Service without a selector is served by whoever writes its endpoints, and one of type ExternalName by a name: neither is meant here. Pods
that have ended are not counted. Where the workload is scaled to none on purpose its Service matches nothing either. For which Pods a
Service was meant is not recorded anywhere: seen from a Pod it is likely at most.

## References

- Kubernetes documentation "Service"; pkg/controller/endpointslice
"""

from __future__ import annotations

from unstuck.causes.service._beside import PODS, beside, stays, well
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion
from unstuck.facts.aspects.services import Beside, Nearly, Pairs, ServicePods, ServicesBeside, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _of_service(subject, snap) if subject.kind == "Service" else _of_pods(subject, snap)


def _of_service(service: Ref, snap: Facts) -> Signs:
    selects: Sign[ServiceSpec] = some(snap, ServiceSpec, service, lambda f: [f] if f.selector and not f.outside else [])
    none = _selects_none(service, snap)
    return Signs(
        applies=stays(service, snap),
        necessary={"it selects Pods by their labels": selects},
        decisive={"no Pod of its Namespace has these labels": none},
        finding=lambda: _finding(service, selects.hits[0].selector, _notes(service, none.hits[0])),
    )


def _of_pods(subject: Ref, snap: Facts) -> Signs:
    """Judge from Pods that are well: whether nobody is selected is known for sure, whether these were meant is not."""
    meant = beside(subject, snap, lambda b: bool(b.differs))
    none = {b: _selects_none(b.service, snap) for b in meant.hits}
    lost = [b for b, sign in none.items() if sign.value]
    return Signs(
        applies=well(subject, snap),
        necessary={"a Service that was plainly meant for them selects no Pod at all": any_of([*none.values()]) if none else meant},
        # Only whoever made that Service could say that it was meant for these Pods.
        decisive={},
        supporting={"its labels are a slip of the pen away from theirs, or it bears their workload's name": meant},
        finding=lambda: _finding(lost[0].service, lost[0].selector, (_of_these(subject, lost[0]),)),
        of_well=True,
    )


def _selects_none(service: Ref, snap: Facts) -> Sign[ServicePods]:
    return some(snap, ServicePods, service, lambda f: [f] if f.whole and not f.matched else [])


def _of_these(subject: Ref, service: Beside) -> Text:
    has, zh = _differs(service.differs)
    if subject.kind == "Pod":
        return Text(f"{subject} has {has}, and gets no traffic through this Service", f"{subject}：{zh}，经此 Service 收不到任何请求")
    return Text(
        f"the Pods of {subject} have {has}, and get no traffic through this Service",
        f"{subject} 的 Pod：{zh}，经此 Service 收不到任何请求",
    )


def _notes(service: Ref, pods: ServicePods) -> tuple[Text, ...]:
    if not pods.total:
        return (Text(f"Namespace {service.within} has no Pod at all", f"Namespace {service.within} 中没有任何 Pod"),)
    return tuple(_near(n) for n in pods.nearly)


def _finding(service: Ref, selector: Pairs, notes: tuple[Text, ...]) -> Finding:
    labels = ",".join(f"{k}={v}" for k, v in selector)
    return Finding(
        Text(
            f"Service {service.name} selects {labels}, and no Pod has these labels",
            f"Service {service.name} 选择 {labels}，而没有 Pod 带有这些标签",
        ),
        culprit=service,
        blocks=(),
        notes=notes,
        help=(
            Step(
                Text("see the Pods' labels", "查看 Pod 实际的标签"),
                command=command("kubectl get pods {space} --show-labels", space=given.space(service)),
            ),
            Step(
                Text(
                    "make the selector and the Pod template's labels match, in their source",
                    "在来源中使选择器与 Pod 模板的标签一致",
                ),
                where="source",
                verify=Text("kubectl get endpointslices lists the Pods' addresses", "kubectl get endpointslices 列出这些 Pod 的地址"),
            ),
        ),
        do_not=(
            DoNot(
                Text("label the running Pods by hand", "手工给运行中的 Pod 加标签"),
                Text(
                    "their owner's next Pods do not have it, and a changed label may detach a Pod from its owner",
                    "后继 Pod 不会带有它，改动标签还可能使 Pod 脱离其工作负载",
                ),
            ),
        ),
    )


def _near(pod: Nearly) -> Text:
    has, zh = _differs(pod.differs)
    return Text(f"closest is Pod {pod.name}: it has {has}", f"最接近的是 Pod {pod.name}：{zh}")


def _differs(labels: Pairs) -> tuple[str, str]:
    return (
        ", ".join(f"{k}={v}" if v else f"no {k}" for k, v in labels),
        "、".join(f"{k}={v}" if v else f"没有 {k}" for k, v in labels),
    )


CAUSE = Cause(
    id="service.selector-matches-nothing",
    title=Text("a Service's selector matches no Pod", "Service 的选择器匹配不到任何 Pod"),
    subjects=("Service", *PODS),
    reads=frozenset({ServiceSpec, ServicePods, ServicesBeside, Conditions, Deletion, Workload}),
    rule=_rule,
)
