"""The Pod's nodeName points to a Node that does not exist

## How it happens

`spec.nodeName` is set in the Pod's manifest or its template: copied from a Pod that ran, left from a
debugging session, or written by a tool for a Node that was replaced since. Such a Pod bypasses the scheduler.
No kubelet of that name looks for it, and there is no Event and no condition.

## How to tell

The Pod has a `nodeName`, but no condition `PodScheduled`, which the API server writes when a scheduler binds
a Pod, and was never started; and the API server has no Node of that name.

## Known limits

A Pod that a scheduler bound to a Node which was deleted since is another cause (node.gone). The Pod garbage
collector removes Pods of Nodes that do not exist after a minute or two: a Pod with an owner is then recreated
with the same name of a Node, repeatedly. A Node of that name that registers meanwhile takes the Pod.

## References

- Kubernetes documentation: Assigning Pods to Nodes, nodeName
- pkg/registry/core/pod/storage/storage.go (`setPodNodeAndMetadata`), pkg/controller/podgc/gc_controller.go
  (`gcOrphaned`)
"""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import negate
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeNames
from unstuck.facts.aspects.objects import Conditions, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under, had_node, is_node_absent

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    under = find_node_under(pod, snap)
    node = under.hits[0] if under.hits else Ref("Node")
    missing = is_node_absent(node, snap)
    return Signs(
        necessary={
            "it has a Node": under,
            "no scheduler bound it, and no node started it": negate(had_node(pod, snap)),
        },
        decisive={"the server has no such Node": missing},
        finding=lambda: _make_finding(pod, node, snap),
    )


def _make_finding(pod: Ref, node: Ref, snap: Facts) -> Finding:
    name = node.name or "NODE"
    there = sorted({r.name or "" for f in snap.of(NodeNames, Ref("Cluster")) for r in f.refs})
    notes = tuple(
        say("did you mean {count}? That Node exists", count=n) for n in get_close_matches(name, there, 1, 0.7)
    )
    return Finding(
        say("the Pod's spec.nodeName is {name}, but that Node does not exist", name=name),
        culprit=node,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("remove nodeName (to select nodes, use nodeSelector), and recreate the Pod"),
                where="source",
                verify=say("a scheduler handles the new Pod within seconds"),
            ),
        ),
        do_not=(
            DoNot(
                say("create a Node object of that name by hand"),
                say("it has no kubelet: the Pod still waits, and other Pods may be scheduled there"),
            ),
        ),
    )


CAUSE = Cause(
    id="scheduling.node-name-missing",
    title=say("the Pod's nodeName points to a Node that does not exist"),
    subjects=("Pod",),
    reads=frozenset({Placement, Conditions, Life, ContainerStatuses, Phase, Presence, NodeNames}),
    rule=_rule,
)
