"""The Nodes that the Pod could otherwise use are cordoned

## How it happens

`kubectl cordon` or `kubectl drain` marks a Node as unschedulable, by hand or by an upgrade that stopped half
way, and it was never uncordoned.

## How to tell

The condition says `node(s) were unschedulable`. Compared with the objects, every Node that the Pod may choose
and whose taints it tolerates is cordoned or out of service otherwise.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
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

_KIND = "node-cordoned"


def _words(text: str) -> bool:
    return "were unschedulable" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, hits: tuple[NodeRejection, ...]) -> Finding:
    names = _placed.list_closed_nodes(at, _KIND)
    first = names[0] if names else "NODE"
    return Finding(
        _placed.name_nodes(at, _KIND)
        + say(" are cordoned: no new Pods are scheduled there")
        + _placed.quote_taints(hits),
        culprit=_placed.make_nodes_ref(names),
        blocks=(pod,),
        help=(
            Step(
                say("find out who cordoned it, and whether the work is done"),
                command=command("kubectl describe {node}", node=given.obj("node", first)),
            ),
            Step(
                say("then uncordon it"),
                command=command("kubectl uncordon {node}", node=given.obj("node", first)),
                risk="reversible",
                undo=command("kubectl cordon {node}", node=given.obj("node", first)),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("set spec.nodeName to bypass the cordon"),
                say("the node may be about to be removed, and the Pod with it"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.node-cordoned",
    title=say("the remaining nodes are cordoned"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
