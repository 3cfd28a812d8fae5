"""No Node that the Pod could otherwise use has the Pods that it must be beside

## How it happens

Required `podAffinity` places a Pod only where another one with certain labels runs already, in the same zone or on the same Node. That
other Pod does not run, its labels are spelled otherwise, it is in another Namespace, or its Node has no room left.

## How to tell

The condition says `node(s) didn't match pod affinity rules`. Held against all Pods, no domain that the Pod may use has one that the term
selects.

## Known limits

The objects are read now, the scheduler's message is of its last attempt: where they give different reasons, nothing is proven. Filters of a
scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.causes.scheduling._terms import told
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.refused import NodeRejection

_KIND = "pod-affinity-unsatisfied"


def _words(text: str) -> bool:
    return "pod affinity rules" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, hits: _finding(pod, at, hits))


def _finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit = told(pod, "affinity", at.pod.shape.spec.affinity if at else ())
    return Finding(
        _placed.nodes_of(at, _KIND)
        + Text(f" have none of the Pods required by Pod affinity{what}", f"没有 Pod 亲和性（podAffinity）所要求的 Pod{what}"),
        culprit=culprit,
        blocks=(pod,),
        help=(
            Step(
                Text("check whether the intended Pods are running, and their labels", "查看所指的 Pod 是否在运行、带有哪些标签"),
                command=command("kubectl get pods -A --show-labels"),
                verify=_placed.PLACED,
            ),
            Step(
                Text(
                    "then correct the term (labels, namespaces, topologyKey)",
                    "随后修正该条目（标签、namespaces、topologyKey）",
                ),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                Text("give the Pod the labels it looks for", "给该 Pod 打上它要找的标签"),
                Text("a Service or a controller may then count it as one of them", "Service 或控制器可能会把它当成那些 Pod"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.pod-affinity-unsatisfied",
    title=Text("required Pod affinity is met on no remaining node", "其余节点都不满足 Pod 亲和性（podAffinity）"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
