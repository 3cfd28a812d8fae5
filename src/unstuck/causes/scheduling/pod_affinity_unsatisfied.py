"""Required Pod affinity is met on no remaining Node

## How it happens

Required `podAffinity` places a Pod only where another one with certain labels runs already, in the same zone
or on the same Node. That other Pod does not run, its labels are spelled otherwise, it is in another
Namespace, or its Node has no room left.

## How to tell

The condition says `node(s) didn't match pod affinity rules`. Compared with all Pods, no domain open to the
Pod has a Pod that the term selects.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._terms import describe_terms
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.core import Ref
from unstuck.facts.derive.requirements import write_requirement
from unstuck.facts.lookup import Facts
from unstuck.stages.selecting import list_near_labels

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis

_KIND = "pod-affinity-unsatisfied"
_SHOWN = 3


def _words(text: str) -> bool:
    return "pod affinity rules" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, _: _make_finding(pod, at, snap))


def _find_near(at: PlacementAnalysis | None, snap: Facts) -> tuple[str, ...]:
    """Return the labels of existing Pods that resemble a label in its terms."""
    selectors = [t.selector for t in (at.pod.shape.spec.affinity if at else ()) if t.selector]
    there = unique(
        f"{key}={value}"
        for f in snap.every(PlacingInputs)
        for shape in f.shapes
        for key, value in shape.labels
    )
    return unique(
        near
        for s in selectors
        for near in list_near_labels(",".join(map(write_requirement, s.requirements)), there)
    )


def _make_finding(pod: Ref, at: PlacementAnalysis | None, snap: Facts) -> Finding:
    near = _find_near(at, snap)
    what, culprit = describe_terms(pod, "affinity", at.pod.shape.spec.affinity if at else ())
    return Finding(
        _placed.name_nodes(at, _KIND)
        + say(" have none of the Pods required by Pod affinity{what}", what=what)
        + (say("; there are Pods with {near}", near=list_names(near[:_SHOWN])) if near else NO_TEXT),
        culprit=culprit,
        blocks=(pod,),
        help=(
            Step(
                say("check whether the intended Pods are running, and their labels"),
                command=command("kubectl get pods -A --show-labels"),
                verify=_placed.PLACED,
            ),
            Step(
                say("then correct the term (labels, namespaces, topologyKey)"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("give the Pod the labels it looks for"),
                say("a Service or a controller may then count it as one of them"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.pod-affinity-unsatisfied",
    title=say("required Pod affinity is met on no remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
