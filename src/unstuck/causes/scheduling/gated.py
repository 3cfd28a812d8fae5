"""The Pod's scheduling gates have not been removed, so no Node is chosen for it

## How it happens

`spec.schedulingGates` keeps a Pod from being tried until its controller removes each gate: a queue (Kueue and
others), an operator with a preparation, a template that was copied with its gates. If that controller no
longer exists, the Pod waits forever.

## How to tell

The Pod has gates; the API server gives it the condition PodScheduled with the reason SchedulingGated. The
scheduler does not report it, and no Event is written.

## Known limits

The controller of a gate is not recorded anywhere: the gate's name, usually with a domain, is the lead. A full
queue leaves its gates on purpose; this is then the intended state.

## References

- Kubernetes pkg/scheduler/framework/plugins/schedulinggates (1.34), KEP-3521
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    gates = some(snap, Placement, pod, lambda f: f.gates)
    told = hearsay(
        snap,
        Conditions,
        pod,
        lambda f: [c for c in f.items if c.type == "PodScheduled" and c.reason == "SchedulingGated"],
    )
    return Signs(
        decisive={"it has scheduling gates": gates},
        supporting={"its condition says so": told},
        finding=lambda: _make_finding(pod, gates.hits),
    )


def _make_finding(pod: Ref, gates: tuple[str, ...]) -> Finding:
    shown = ", ".join(gates)
    first = say("{gates}", gates=gates[0]) if gates else say("its gate")
    names = command(
        "kubectl get {pod} {space} -o jsonpath={.spec.schedulingGates}",
        pod=given.of(pod),
        space=given.space(pod),
    )
    return Finding(
        say("scheduling gate {shown} has not been removed from the Pod", shown=shown)
        if gates
        else say("a scheduling gate has not been removed from the Pod"),
        culprit=Ref("SchedulingGate", None, gates[0] if gates else None),
        blocks=(pod,),
        help=(
            *([] if gates else [Step(say("see its gates"), command=names)]),
            Step(
                say("check that the controller of {first} is running, and what it waits for", first=first),
                where="cluster",
                verify=say("it removes the gate, and the scheduler considers the Pod"),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the gate by hand while its controller runs"),
                say("the Pod then runs before its dependency is ready, or jumps its queue"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.gated",
    title=say("the Pod's scheduling gates have not been removed"),
    subjects=("Pod",),
    stages=("gates-lifted",),
    reads=frozenset({Placement, Conditions}),
    rule=_rule,
)
