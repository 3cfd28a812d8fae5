"""A Pod's containers are ready, but its controller has not set a readiness gate

## How it happens

`spec.readinessGates` names conditions that a controller other than the kubelet must set to True before the
Pod is ready: most often the controller of a load balancer, once it has the Pod among its targets and found it
healthy. That controller is not installed, does not run, has no rights to write the Pod's status, does not see
the Pod in any Service or Ingress of its own, or its load balancer finds the Pod unhealthy.

## How to tell

The Pod's condition ContainersReady is True and Ready is False (`ReadinessGatesNotReady`); the gate's
condition is missing or not True.

## Known limits

The controller of a gate is not recorded in the cluster: it is known for the gates of common controllers, and
otherwise from the managedFields of Pods that became ready. The reason is in its log, and in the reason and
message that it may have written beside the condition.

## References

- Kubernetes documentation "Pod Lifecycle", pod readiness; pkg/kubelet/status/generate.go
  (GeneratePodReadyCondition); KEP-580
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, some
from unstuck.diagnosis.text import Messages, Text, format_duration
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Condition, Conditions
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.readiness_gates import find_setter

say = Messages(__name__)

_MANAGERS = (
    "kubectl get pods {space} --show-managed-fields "
    """-o 'jsonpath={range .items[*]}{.metadata.name}{"\\t"}"""
    """{.metadata.managedFields[*].manager}{"\\n"}{end}'"""
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    gates = some(snap, Containers, pod, lambda f: f.gates)
    well = some(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "ContainersReady" and c.status == "True"],
    )
    unset: Sign[str] = some(snap, Conditions, pod, lambda f: [g for g in gates.hits if _unset(f, g)])
    return Signs(
        necessary={"all its containers are ready": well},
        decisive={"the condition of a gate is missing or not True": all_of([gates, unset])},
        finding=lambda: _make_finding(pod, unset.hits[0], _condition(pod, snap, unset.hits[0]), snap),
    )


def _unset(conditions: Conditions, gate: str) -> bool:
    """Tell whether the gate's condition is not True; its absence counts only if all conditions were seen."""
    found = conditions.get(gate)
    return conditions.whole if found is None else found.status != "True"


def _condition(pod: Ref, snap: Facts, gate: str) -> Condition | None:
    return next((c for f in snap.of(Conditions, pod) if (c := f.get(gate))), None)


def _make_finding(pod: Ref, gate: str, condition: Condition | None, snap: Facts) -> Finding:
    known = find_setter(gate)
    who = say("{by}", by=known.by) if known else say("the controller that sets it")
    name = pod.name or "POD"
    return Finding(
        say(
            "Pod {name}'s containers are ready, but its readiness gate {gate} is not set",
            name=name,
            gate=gate,
        ),
        culprit=Ref("ReadinessGate", pod.within, gate),
        blocks=(pod,),
        notes=_list_notes(gate, condition, snap),
        help=(
            Step(
                say("check that {who} is running, and read its log for this Pod", who=who)
                if known
                else say(
                    "find the controller that sets it: it is among the managers of other Pods with this gate "
                    "that became ready; check that it is running, and read its log"
                ),
                command=command(_MANAGERS, space=given.space(pod)),
            ),
            Step(
                say(
                    "check that a Service or Ingress of that controller has this Pod as a backend, and that "
                    "its health check passes"
                ),
                command=command("kubectl get endpointslices {space} -o wide", space=given.space(pod)),
            ),
            Step(
                say(
                    "if the controller is gone for good: remove the gate from the template (if a webhook "
                    "injects it: remove the label from the Namespace), so that new Pods do not have it"
                ),
                where="source",
                verify=say("the new Pods become Ready"),
            ),
        ),
        do_not=(
            DoNot(
                say("set the condition True by hand"),
                say("a rollout then removes the old Pods while no traffic reaches the new ones yet"),
            ),
        ),
    )


def _list_notes(gate: str, condition: Condition | None, snap: Facts) -> tuple[Text, ...]:
    known = find_setter(gate)
    notes = [say("{by} sets it", by=known.by)] if known else []
    if condition is None or not condition.status:
        notes.append(say("the Pod has no such condition"))
    else:
        said = " ".join(filter(None, (condition.status, condition.reason, condition.message)))
        notes.append(say("the condition says: {said}", said=said))
        if condition.since:
            span = format_duration(snap.now - condition.since)
            notes.append(say("for {span}", span=span))
    return tuple(notes)


CAUSE = Cause(
    id="controller.readiness-gate-unset",
    title=say("a readiness gate of the Pod is not set by its controller"),
    subjects=("Pod",),
    stages=("ready",),
    reads=frozenset({Conditions, Containers}),
    rule=_rule,
)
