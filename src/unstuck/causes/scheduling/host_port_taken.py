"""A host port that the Pod requests is taken on every Node that it could otherwise use

## How it happens

A `hostPort` can be used once on each Node (and address and protocol). Other Pods have it: a second replica,
the old Pod of a rollout that starts the new one first, or another workload with the same port. More replicas
than Nodes can never all be placed.

## How to tell

The condition says `node(s) didn't have free ports for the requested pod ports`. Compared with the objects,
that port is the only obstacle on the nearest Nodes; its holder is named. Processes outside Pods are not seen
by the scheduler.

## Known limits

The objects are current, the scheduler's message is from its last attempt: if they give different reasons,
neither is proof. Filters of a scheduler that is configured differently, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/nodeports/node_ports.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "host-port-taken"


def _words(text: str) -> bool:
    return "free ports" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit, notes = _details(at)
    return Finding(
        _placed.name_nodes(at, _KIND) + say(" have no free host port{what} for the Pod", what=what),
        culprit=culprit,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("drop hostPort (a Service reaches the Pod), or run at most one replica per node"),
                where="source",
                verify=_placed.PLACED,
            ),
            Step(
                say("in a rollout: remove the old Pod first (maxSurge: 0, or strategy Recreate)"),
                where="source",
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                say("use hostNetwork instead"),
                say("every port of the Pod may then collide, and nothing checks that before it starts"),
            ),
        ),
    )


def _details(at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[Text, ...]]:
    if at is None:
        return "", Ref("HostPort"), ()
    ports = at.pod.shape.spec.ports
    shown = ", ".join(f"{p.port}/{p.protocol or 'TCP'}" for p in ports)
    placed = (
        g.shape.spec for name in _placed.list_closed_nodes(at, _KIND) for g in at.cluster.nodes[name].placed
    )
    who = {
        f"{s.namespace}/{s.owner or '-'}": None
        for s in placed
        if {p.port for p in s.ports} & {p.port for p in ports}
    }
    names = ", ".join(list(who)[:3])
    return f" {shown}", Ref("HostPort", None, shown), (say("held by {names}", names=names),) if names else ()


CAUSE = Cause(
    id="scheduling.host-port-taken",
    title=say("the Pod's host port is taken on every remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
