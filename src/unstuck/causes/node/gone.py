"""A Node is no longer there

## How it happens

The machine was switched off, replaced or scaled away, or its Node object was deleted. A Pod that is bound to
it has no kubelet that could end it or report on it.

## How to tell

The API server has no Node of the name that the Pod was bound to by a scheduler, or that began with it: the
Node object is then proven to be gone. While the object exists, `Ready=Unknown` and an old lease mean only
that it is silent.

## Known limits

Whether a machine is off cannot be seen from the cluster: a stopped kubelet and a cut network look the same,
and the containers may still run and write. It takes a witness outside (the provider's power state, a look at
the machine), so this stays open beside kubelet.down. A machine whose Node object was deleted may still run as
well.

## References

- Kubernetes documentation: Nodes; Non-graceful node shutdown (KEP-2268)
- pkg/controller/podgc/gc_controller.go (gcOrphaned); field notes
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease, NodeInfo, NodeNames
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.objects import Conditions, Deletion, Owners, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement, Volumes
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import (
    find_node_under,
    had_node,
    is_node_absent,
    is_quiet,
    may_wait_for_lost_node,
    waits_for_kubelet,
)

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    missing: Sign[Any] = is_node_absent(node, snap) if node else Sign(None)
    off: Sign[Any] = _off(node, snap) if node else Sign(None)
    silence = is_quiet(subject, snap)
    return Signs(
        applies=accept_hearsay(silence, missing),
        necessary={
            "it is a Node, or bound to one": under,
            "its Node existed earlier": had_node(subject, snap),
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
            "the Node object or the machine is gone": any_of([missing, off]),
        },
        decisive={
            "the server has no such Node": missing,
            "a witness outside says that the machine is off": off,
        },
        supporting={"the Node does not report": silence},
        finding=lambda: _make_finding(subject, node or Ref("Node")),
        do_not=(_force_delete(subject, node, snap),) if node and subject.kind == "Pod" else (),
    )


def _off(node: Ref, snap: Facts) -> Sign[Any]:
    """Return whether the machine is off: no if it was looked at; the cluster can never answer yes."""
    seen = snap.of(DaemonState, node)
    return Sign(False, seen=seen) if seen else Sign(None, wants=(Want(DaemonState, node),))


def _force_delete(subject: Ref, node: Ref, snap: Facts) -> DoNot:
    """Return the warning against a force deletion while it is unknown whether the machine is off."""
    claims = [v.what for f in snap.of(Volumes, subject) for v in f.items if v.type == "persistentVolumeClaim"]
    stateful = any(f.controller and f.controller.kind == "StatefulSet" for f in snap.of(Owners, subject))
    risk = say("nothing stops them")
    if claims:
        risk = say("volume {claims} would get a second writer", claims=claims[0])
        if stateful:
            risk += say(", and the StatefulSet two Pods of one identity")
    elif stateful:
        risk = say("the StatefulSet would get a second writer of one identity")
    info, name = snap.one(NodeInfo, node), subject.name or "it"
    machine = (
        say(" (power state of {provider_id})", provider_id=info.provider_id)
        if info and info.provider_id
        else NO_TEXT
    )
    return DoNot(
        say("force delete {name} before the machine is confirmed off{machine}", name=name, machine=machine),
        say("its containers may still be running and writing there: {risk}", risk=risk),
    )


def _make_finding(subject: Ref, node: Ref) -> Finding:
    name = node.name or "NODE"
    pod = subject.kind == "Pod"
    bound = say(", the Pod's Node,") if pod else NO_TEXT
    return Finding(
        say("Node {name}{bound} does not exist any more", name=name, bound=bound),
        culprit=node,
        blocks=(subject,),
        notes=(say("the Pod garbage collector removes Pods of missing Nodes, usually within two minutes"),),
        help=(
            Step(
                say(
                    "if the Pod stays: check that kube-controller-manager works; its Pod garbage collector "
                    "deletes such Pods"
                ),
                command=command("kubectl get lease -n kube-system kube-controller-manager -o yaml"),
                verify=say("the Pod is deleted automatically"),
            ),
        ),
        do_not=(
            DoNot(
                say(
                    "force delete a Pod with a ReadWriteOnce volume or of a StatefulSet before the machine "
                    "is confirmed off"
                ),
                say(
                    "deleting a Node object does not stop its containers: a second writer may start "
                    "alongside them"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.gone",
    title=say("the Node no longer exists"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=frozenset(
        {
            Presence,
            NodeNames,
            DaemonState,
            Conditions,
            Lease,
            Placement,
            Phase,
            Deletion,
            ContainerStatuses,
            Owners,
            Volumes,
            NodeInfo,
            Life,
        }
    ),
    rule=_rule,
)
