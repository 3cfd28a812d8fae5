"""The Nodes that the Pod could otherwise use are not ready

## How it happens

The node controller taints a Node whose kubelet does not report, or reports that it is not ready:
`node.kubernetes.io/not-ready`, `node.kubernetes.io/unreachable`. A new Pod tolerates that for running on
(NoExecute), not for being placed (NoSchedule).

## How to tell

The condition says `node(s) had untolerated taint(s)`. Compared with the objects, the Nodes that the Pod may
choose carry one of these taints. Why the Node is not ready is a question to the Node: `unstuck why
node/NAME`.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go,
  pkg/scheduler/framework/plugins/tainttoleration (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "node-not-ready-taint"
# The condition itself was looked at until 1.12 (pkg/scheduler/algorithm/predicates/error.go).
_BEFORE_TAINTS = "node(s) were not ready"


def _words(text: str) -> bool:
    return text == _BEFORE_TAINTS or (
        "taint" in text
        and ("{" not in text or "/not-ready" in text or "/unreachable" in text or "/out-of-service" in text)
    )


def _rule(pod: Ref, snap: Facts) -> Signs:
    signs = _placed.make_signs(
        pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits), _plain
    )
    also = {
        "it speaks of a taint on every Node, and none that was seen is ready": _find_none_ready(pod, snap)
    }
    return replace(signs, supporting={**signs.supporting, **also})


def _plain(text: str) -> bool:
    return text == _BEFORE_TAINTS or "/not-ready" in text or "/unreachable" in text


def _find_none_ready(pod: Ref, snap: Facts) -> Sign[Failure]:
    """Find rows that report as many Nodes NotReady as the scheduler looked at: it has the taint
    (TaintNodesByCondition, 1.12 on).
    """
    said = [f for f in snap.every(Failure) if f.operation == "node-ready" and f.about.kind == "Node"]
    silent = {snap.canon(f.about) for f in said}
    tried = [
        f
        for f in snap.of(Unschedulable, pod)
        if f.nodes and _placed.covers_every_node(f, _words) and len(silent) >= f.nodes
    ]
    return Sign(True, unique(said), unique((*said, *tried)), sure=False) if tried else Sign(None)


def _make_finding(pod: Ref, at: PlacementAnalysis | None, hits: tuple[NodeRejection, ...]) -> Finding:
    names = _placed.list_closed_nodes(at, _KIND)
    first = names[0] if names else "NODE"
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" are not ready") + _placed.quote_taints(hits),
        culprit=_placed.make_nodes_ref(names),
        blocks=(pod,),
        help=(
            Step(
                say("find out what is wrong with the node"),
                command=command("kubectl describe {node}", node=given.obj("node", first)),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("tolerate the taint so that the Pod is scheduled there"),
                say("nothing there can start it, and it would hang in a place that is harder to see"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.node-not-ready-taint",
    title=say("the remaining nodes are not ready"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Failure},
    rule=_rule,
)
