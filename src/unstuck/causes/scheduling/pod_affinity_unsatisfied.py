"""Required Pod affinity is met on no remaining Node

## How it happens

Required `podAffinity` places a Pod only where another one with certain labels runs already, in the same zone
or on the same Node. That other Pod does not run, its labels are spelled otherwise, it is in another
Namespace, or its Node has no room left.

## How to tell

The condition says `node(s) didn't match pod affinity rules`. Compared with all Pods, no domain that the Pod
may use has one that the term selects.

## Known limits

The objects are read now, the scheduler's message is of its last attempt: if they give different reasons,
nothing is proven. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._terms import describe_terms
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "pod-affinity-unsatisfied"


def _words(text: str) -> bool:
    return "pod affinity rules" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit = describe_terms(pod, "affinity", at.pod.shape.spec.affinity if at else ())
    return Finding(
        _placed.name_nodes(at, _KIND)
        + say(" have none of the Pods required by Pod affinity{what}", what=what),
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
