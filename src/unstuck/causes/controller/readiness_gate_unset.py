"""A Pod's containers are ready, and a readiness gate that a controller should set is not

## How it happens

`spec.readinessGates` names conditions that somebody beside the kubelet must set to True before the Pod is ready: most often the controller
of a load balancer, once it has the Pod among its targets and found it healthy. That controller is not installed, does not run, has no
rights to write the Pod's status, does not see the Pod in any Service or Ingress of its own, or its load balancer finds the Pod ill.

## How to tell

The Pod's condition ContainersReady is True and Ready is False (`ReadinessGatesNotReady`); the gate's condition is missing or not True.

## Known limits

Who sets a gate stands nowhere in the cluster: it is known for the gates of common controllers, and else the managedFields of Pods that got
ready name it. Why it has not set the gate stands in its log, and in the reason and message that it may have written beside the condition.

## References

- Kubernetes documentation "Pod Lifecycle", pod readiness; pkg/kubelet/status/generate.go (GeneratePodReadyCondition); KEP-580
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Text, lasting
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Condition, Conditions
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.readiness_gates import setter

_MANAGERS = (
    "kubectl get pods {space} --show-managed-fields "
    """-o 'jsonpath={range .items[*]}{.metadata.name}{"\\t"}{.metadata.managedFields[*].manager}{"\\n"}{end}'"""
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    gates = some(snap, Containers, pod, lambda f: f.gates)
    well = some(snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "ContainersReady" and c.status == "True"])
    unset: Sign[str] = some(snap, Conditions, pod, lambda f: [g for g in gates.hits if _unset(f, g)])
    return Signs(
        necessary={"all its containers are ready": well},
        decisive={"the condition of a gate is missing or not True": all_of([gates, unset])},
        finding=lambda: _finding(pod, unset.hits[0], _condition(pod, snap, unset.hits[0]), snap),
    )


def _unset(conditions: Conditions, gate: str) -> bool:
    """Tell whether the gate's condition is not True; that the condition is absent counts only where all conditions were seen."""
    found = conditions.get(gate)
    return conditions.whole if found is None else found.status != "True"


def _condition(pod: Ref, snap: Facts, gate: str) -> Condition | None:
    return next((c for f in snap.of(Conditions, pod) if (c := f.get(gate))), None)


def _finding(pod: Ref, gate: str, condition: Condition | None, snap: Facts) -> Finding:
    known = setter(gate)
    who = Text(known.by, f" {known.by} ") if known else Text("the controller that sets it", "负责设置它的控制器")
    name = pod.name or "POD"
    return Finding(
        Text(
            f"Pod {name}'s containers are ready, but its readiness gate {gate} is not set",
            f"Pod {name} 的容器均已就绪，但其就绪门控 {gate} 未被设置",
        ),
        culprit=Ref("ReadinessGate", pod.within, gate),
        blocks=(pod,),
        notes=_notes(gate, condition, snap),
        help=(
            Step(
                Text(
                    f"check that {who.en} is running, and read its log for this Pod",
                    f"确认{who.zh}在运行，并查看其日志中关于该 Pod 的内容",
                )
                if known
                else Text(
                    "find what sets it: it is among the managers of other Pods with this gate that became ready; check that it is running, "
                    "and read its log",
                    "找出由谁设置：带有该门控且已就绪的 Pod 的 managers 中有其名；确认它在运行并查看其日志",
                ),
                command=command(_MANAGERS, space=given.space(pod)),
            ),
            Step(
                Text(
                    "check that a Service or Ingress of that controller has this Pod as a backend, and that its health check passes",
                    "确认该控制器的 Service 或 Ingress 后端包含此 Pod，且其健康检查通过",
                ),
                command=command("kubectl get endpointslices {space} -o wide", space=given.space(pod)),
            ),
            Step(
                Text(
                    "if the controller is gone for good: remove the gate from the template (if a webhook injects it: remove the label "
                    "from the Namespace), so that new Pods do not have it",
                    "若该控制器确已不再使用：从模板中去掉该门控（若由 webhook 注入：去掉 Namespace 上的标签），使后续 Pod 不再带有它",
                ),
                where="source",
                verify=Text("the new Pods become Ready", "新的 Pod 变为 Ready"),
            ),
        ),
        do_not=(
            DoNot(
                Text("set the condition True by hand", "手工把该条件设为 True"),
                Text(
                    "a rollout then removes the old Pods while no traffic reaches the new ones yet",
                    "滚动更新会随即移除旧 Pod，而流量还到不了新的 Pod",
                ),
            ),
        ),
    )


def _notes(gate: str, condition: Condition | None, snap: Facts) -> tuple[Text, ...]:
    known = setter(gate)
    notes = [Text(f"{known.by} sets it", f"由 {known.by} 设置")] if known else []
    if condition is None or not condition.status:
        notes.append(Text("the Pod has no such condition", "该 Pod 没有此条件"))
    else:
        said = " ".join(filter(None, (condition.status, condition.reason, condition.message)))
        notes.append(Text(f"the condition says: {said}", f"该条件为：{said}"))
        if condition.since:
            span = lasting(snap.now - condition.since)
            notes.append(Text(f"for {span.en}", f"已持续 {span.zh}"))
    return tuple(notes)


CAUSE = Cause(
    id="controller.readiness-gate-unset",
    title=Text("a readiness gate of the Pod is not set by its controller", "Pod 的就绪门控未被其控制器设置"),
    subjects=("Pod",),
    stages=("ready",),
    reads=frozenset({Conditions, Containers}),
    rule=_rule,
)
