"""A Node keeps its startup taint, because its controller does not remove it

## How it happens

A Node is registered with a taint that keeps Pods away until a controller has prepared it: a cloud's
controller manager sets its addresses and zone, a network's or a storage's agent has started. That controller
does not run, was never installed, or does not finish with this Node. The Node is Ready and no new Pod is
placed on it.

## How to tell

The Node has been Ready for more than two minutes, and one of its taints is normally removed by a known
controller.

## Known limits

Whether that controller runs is not looked up: its place differs from cluster to cluster. Taints of unknown
controllers are not reported.

## References

- Kubernetes documentation "Cloud Controller Manager Administration"; knowledge/startup_taints.py has the
  source of each taint
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.knowledge.startup_taints import StartupTaint
from unstuck.stages.node_state import STARTING, find_startup_taints

say = Messages(__name__)

_CLOUD = "node.cloudprovider.kubernetes.io/uninitialized"


def _rule(node: Ref, snap: Facts) -> Signs:
    ready = some(
        snap,
        Conditions,
        node,
        lambda f: [
            c
            for c in f.items
            if c.type == "Ready" and c.status == "True" and c.since and snap.now - c.since >= STARTING
        ],
    )
    taints = some(snap, NodeShape, node, find_startup_taints)
    return Signs(
        necessary={"it has been Ready for more than two minutes": ready},
        decisive={"it still has a taint that a controller takes away by itself": taints},
        finding=lambda: _make_finding(node, taints.hits[0]),
    )


def _make_finding(node: Ref, taint: StartupTaint) -> Finding:
    cloud = (
        say("; if no cloud controller is meant to run, start the kubelet without --cloud-provider=external")
        if taint.key == _CLOUD
        else NO_TEXT
    )
    return Finding(
        say(
            "Node {node} still has its startup taint {taint}: {by} removes it once the Node is prepared, "
            "and has not; no Pod without a toleration is scheduled there",
            node=node.name,
            taint=taint.key,
            by=taint.by,
        ),
        culprit=Ref("Taint", None, taint.key),
        blocks=(node,),
        help=(
            Step(
                say("check whether {by} is running at all, and what it logs about this Node", by=taint.by),
                command=command("kubectl get pods -A -o wide"),
            ),
            Step(
                say("install it, or repair what keeps it from its work") + cloud,
                where="source",
                verify=say(
                    "the taint is removed automatically, and Pods are scheduled to {node}", node=node.name
                ),
            ),
            Step(
                say("see all taints of the Node"),
                command=command("kubectl describe {node}", node=given.of(node)),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the taint by hand"),
                say(
                    "Pods then start on a Node without what the taint waits for: its addresses and zone, "
                    "its network or its storage"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.startup-taint",
    title=say("a Node keeps its startup taint"),
    subjects=("Node",),
    reads=frozenset({Conditions, NodeShape}),
    rule=_rule,
)
