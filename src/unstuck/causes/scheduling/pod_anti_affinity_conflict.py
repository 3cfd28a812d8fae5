"""Pod anti-affinity excludes every remaining Node

## How it happens

Required anti-affinity keeps Pods of a kind apart, usually replicas on different Nodes: with more replicas
than Nodes, or a rollout that starts the new Pod before the old one is deleted, one is always left over. The
rule of an existing Pod counts as well.

## How to tell

The condition says `node(s) didn't match pod anti-affinity rules` or `node(s) didn't satisfy existing pods
anti-affinity rules`. Compared with all Pods, the nearest Nodes have no other obstacle.

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
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "pod-anti-affinity-conflict"


def _words(text: str) -> bool:
    return "anti-affinity rules" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit = describe_terms(pod, "anti-affinity", at.pod.shape.spec.anti_affinity if at else ())
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" have a Pod excluded by Pod anti-affinity{what}", what=what),
        culprit=culprit,
        blocks=(pod,),
        help=(
            Step(
                say("run at most one replica per such node, or add a node"),
                where="source",
                verify=_placed.PLACED,
            ),
            Step(
                say("in a rollout: remove the old Pod first (maxSurge: 0)"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("remove the rule as a workaround"),
                say("replicas may then share one node, and fail with it"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.pod-anti-affinity-conflict",
    title=say("Pod anti-affinity excludes every remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
