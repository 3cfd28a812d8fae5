"""The kubelet of a Node is not running or does not respond

## How it happens

The kubelet was stopped, crashes at start, is suspended, or hangs. The containers of the Node keep running,
but no container on it is started, ended or reported any more: Pods bound to it do not start, and deleted ones
stay.

## How to tell

On the machine no process of the kubelet runs, or it is stopped (state T), or its `/healthz` does not answer.
The API shows only the consequence: the lease is not renewed, after some 40 s the Node reads `Ready=Unknown`
and "Kubelet stopped posting node status".

## Known limits

A machine that is off, or cut off from the network, looks just the same in the API. From there this stays
open, beside node.gone, until the machine itself was looked at or its power state is known.

## References

- Kubernetes documentation: Nodes, Heartbeats
- pkg/controller/nodelifecycle/node_lifecycle_controller.go; field notes
"""

from __future__ import annotations

from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.objects import Conditions, Deletion, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    down: Sign[DaemonState] = _is_down(node, snap) if node else Sign(None)
    silence = is_quiet(subject, snap)
    return Signs(
        applies=accept_hearsay(silence, down),
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
            "the kubelet does not run or answer": down,
        },
        decisive={"the kubelet does not run or answer": down},
        supporting={"the Node does not report": silence},
        finding=lambda: _make_finding(subject, node or Ref("Node"), down.hits[0]),
    )


def _is_down(node: Ref, snap: Facts) -> Sign[DaemonState]:
    facts = tuple(f for f in snap.of(DaemonState, node) if f.daemon == "kubelet")
    bad = tuple(f for f in facts if not f.running or f.stopped or f.answers is False)
    if bad:
        return Sign(True, bad, bad, sure=any(snap.sure(f) for f in bad))
    if any(f.whole for f in facts):
        return Sign(False, seen=facts)
    return Sign(None, seen=facts, wants=(Want(DaemonState, node),))


def _make_finding(subject: Ref, node: Ref, state: DaemonState) -> Finding:
    name = node.name or "NODE"
    if not state.running:
        says = say("The kubelet is not running on Node {name}", name=name)
        first = Step(
            say("start it; if it exits again, the end of its log says why"),
            where=f"node:{name}",
            command=command("systemctl start kubelet"),
            verify=say("the node becomes Ready within a minute"),
        )
    elif state.stopped:
        pid = str(state.proc.pid) if state.proc else "PID"
        says = say("The kubelet of Node {name} is suspended (state T)", name=name)
        first = Step(
            say("resume it"),
            where=f"node:{name}",
            command=command("kill -CONT {pid}", pid=given.number(pid)),
            risk="reversible",
            undo=command("kill -STOP {pid}", pid=given.number(pid)),
            verify=say("the node becomes Ready within a minute"),
        )
    else:
        says = say("The kubelet of Node {name} is running but does not respond", name=name)
        first = Step(
            say("see what it is waiting for before you restart it: its log, and its threads in state D"),
            where=f"node:{name}",
            command=command("journalctl -u kubelet -n 100"),
        )
    return Finding(
        says,
        culprit=Ref("Kubelet", name, "kubelet"),
        blocks=tuple(dict.fromkeys((node, subject))),
        help=(first,),
        do_not=(GIVE_THE_NODE_UP,),
    )


CAUSE = Cause(
    id="kubelet.down",
    title=say("the kubelet is not running or does not respond"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=frozenset({DaemonState, Conditions, Lease, Placement, Phase, Deletion, ContainerStatuses}),
    rule=_rule,
)
