"""The cluster autoscaler adds no Node for the Pod

## How it happens

The Pod fits on no Node that is there. The autoscaler asks of each of its node groups whether one more Node of it would take the Pod, and
finds none: in some it would not fit either, and those in which it would are at their maximum size, or wait after a failure.

## How to tell

Its Event `NotTriggerScaleUp`: `pod didn't trigger scale-up: 12 node(s) didn't match Pod's node affinity/selector, 3 max node group size
reached`. The numbers count node groups.

## Known limits

Where the scheduler's own message was seen, that is told, and this beside it. Which groups they are, the Event does not say. Words alone
tell it: it is never more than likely.

## References

- kubernetes/autoscaler cluster-autoscaler/processors/status/eventing_scale_up_processor.go, core/scaleup/orchestrator/skippedreasons.go
"""

from __future__ import annotations

from unstuck.causes.scheduling._said import statement_reasons
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_SAID = regex(r"didn't trigger scale-up(?: \([^)]{1,80}\))?: (?P<reasons>\d.{3,2000})")
# A taint's braces hold commas of their own.
_REASON = regex(r"(?P<groups>\d{1,6}) (?P<why>(?:[^,{]|\{[^}]{0,300}\})+)")
# Those that would take it, and get no Node by their own limits.
_FULL = regex(r"max node group size reached|max cluster [\w, ]{1,60} limit reached|max total nodes")

Reasons = tuple[tuple[int, str], ...]


def _rule(pod: Ref, snap: Facts) -> Signs:
    stated = statement_reasons(pod, snap, bool)
    said: Sign[Reasons] = hearsay(snap, Events, pod, lambda f: [r for e in f.items if (r := _reasons(e.message))])
    return Signs(
        applies=Sign(False, seen=stated.seen) if stated.value else Sign(True),
        decisive={},
        supporting={"the autoscaler says for which reasons": said},
        finding=lambda: _finding(pod, said.hits[-1]),
    )


def _reasons(message: str) -> Reasons:
    """Return (number of node groups, reason) of each in the autoscaler's message; () for another one."""
    found = _SAID.search(message)
    return tuple((int(m["groups"]), m["why"].strip(" .")) for m in _REASON.finditer(found["reasons"])) if found else ()


def _finding(pod: Ref, reasons: Reasons) -> Finding:
    full = [r for r in reasons if _FULL.search(r[1])]
    others = [r for r in reasons if r not in full]
    listed = _listed(others)
    if full:
        in_others = say("; in the others it would not fit: {listed}", listed=listed) if others else NO_TEXT
        says = say("The cluster autoscaler adds no Node, as node groups that could take the Pod are at a limit: {full}", full=_listed(full))
        says += in_others
        step = say("raise the maximum size of such a node group, or the limits of the autoscaler; or free room on the Nodes that are there")
    else:
        says = say(
            "The cluster autoscaler adds no Node, as a new one of none of its node groups would take the Pod: {listed}", listed=listed
        )
        step = say("have a node group whose Nodes take the Pod, or ease what the Pod asks for (selector, tolerations, requests)")
    look = Step(
        say("see its node groups, with their sizes and limits"),
        command=command("kubectl get configmap/cluster-autoscaler-status -n kube-system -o yaml"),
    )
    return Finding(
        says,
        culprit=pod,
        blocks=(pod,),
        help=(look, Step(step, where="source", verify=say("the autoscaler's next Event on the Pod is TriggeredScaleUp"))),
        do_not=(DoNot(say("restart the autoscaler"), say("it asks the same groups again, and finds the same")),),
    )


def _listed(reasons: list[tuple[int, str]]) -> str:
    return ", ".join(f"{groups} {why}" for groups, why in reasons)


CAUSE = Cause(
    id="scheduling.scale-up-declined",
    title=say("the cluster autoscaler adds no Node for the Pod"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=frozenset({Conditions, Events, Unschedulable}),
    rule=_rule,
)
