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
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, join_texts, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

if TYPE_CHECKING:
    from unstuck.scheduling.analysis import PlacementAnalysis
    from unstuck.scheduling.rejections import NodeRejection

_KIND = "host-port-taken"
_SHOWN = 3


def _words(text: str) -> bool:
    return "free ports" in text


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _placed.make_signs(pod, snap, _KIND, _words, lambda at, hits: _make_finding(pod, at, hits))


def _make_finding(pod: Ref, at: PlacementAnalysis | None, _: tuple[NodeRejection, ...]) -> Finding:
    what, culprit, holders = _details(at)
    says = _placed.name_nodes(at, _KIND) + say(" have no free host port{what} for the Pod", what=what)
    if holders:
        names = join_texts(_write_holder(h) for h in holders[:_SHOWN])
        says += say("; {names} {n:has|have} it there", names=names, n=len(holders))
    return Finding(
        says,
        culprit=culprit,
        blocks=(pod,),
        help=_advise(at, holders),
        do_not=(
            DoNot(
                say("use hostNetwork instead"),
                say("every port of the Pod may then collide, and nothing checks that before it starts"),
            ),
        ),
    )


def _advise(at: PlacementAnalysis | None, holders: tuple[_Holder, ...]) -> tuple[Step, ...]:
    """Return the fixes that fit who has the port: the Pod's own workload, or another one."""
    drop = Step(say("drop hostPort: a Service reaches the Pod"), where="source", verify=_placed.PLACED)
    mine = _strip_revision(at.pod.shape.spec.namespace, at.pod.shape.spec.owner) if at else None
    own = any(_strip_revision(*h) == mine for h in holders)
    others = [h for h in holders if _strip_revision(*h) != mine]
    steps = [drop]
    if others:
        other = say(
            "give one of the two another hostPort: this Pod, or {holder}", holder=_write_holder(others[0])
        )
        steps = [Step(other, where="source", verify=_placed.PLACED), drop]
    if own or not holders:
        steps += [
            Step(
                say("if it needs several replicas: run at most one on each node"),
                where="source",
                verify=_placed.PLACED,
            ),
            Step(
                say("in a rollout: remove the old Pod first (maxSurge: 0, or strategy Recreate)"),
                where="source",
                verify=_placed.PLACED,
            ),
        ]
    return tuple(steps)


_Holder = tuple[str, str]


def _strip_revision(namespace: str, owner: str) -> _Holder:
    """Return a Pod's owner without the hash of a ReplicaSet, which each revision has of its own."""
    return namespace, owner.rpartition("-")[0] if owner.startswith("ReplicaSet/") else owner


def _write_holder(holder: _Holder) -> Text:
    namespace, owner = holder
    kind, _, name = owner.partition("/")
    if not name:
        return say("a Pod of Namespace {namespace}", namespace=namespace)
    return same_in_both(f"{kind} {namespace}/{name}")


def _details(at: PlacementAnalysis | None) -> tuple[str, Ref, tuple[_Holder, ...]]:
    """Return the ports, their reference, and the owners of the Pods that have them."""
    if at is None:
        return "", Ref("HostPort"), ()
    ports = at.pod.shape.spec.ports
    shown = ", ".join(f"{p.port}/{p.protocol or 'TCP'}" for p in ports)
    placed = (
        g.shape.spec for name in _placed.list_closed_nodes(at, _KIND) for g in at.cluster.nodes[name].placed
    )
    who = unique(
        (s.namespace, s.owner) for s in placed if {p.port for p in s.ports} & {p.port for p in ports}
    )
    return f" {shown}", Ref("HostPort", None, shown), who


CAUSE = Cause(
    id="scheduling.host-port-taken",
    title=say("the Pod's host port is taken on every remaining node"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS,
    rule=_rule,
)
