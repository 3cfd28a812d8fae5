"""The kubelet takes itself for a Node that it is not allowed to be

## How it happens

The machine's host name was changed, `--hostname-override` was added, or a machine was cloned with the
certificate of another one. The kubelet registers under one name, while its certificate says `system:node:`
with another. The API server lets a Node write only itself: each heartbeat is refused, and the Node of the old
name no longer reports.

## How to tell

The kubelet's log has `Unable to register node with API server` or `Error updating node status` with `node "A"
is not allowed to modify node "B"`, or `can only access node lease with the same name as the requesting node`.

## Known limits

It must be read on the node. Clusters without the admission plugin NodeRestriction do not refuse this.

## References

- plugin/pkg/admission/noderestriction/admission.go; Kubernetes documentation: Using Node Authorization
"""

from __future__ import annotations

from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP, find_report_failures
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = find_report_failures(node, snap, "identity-mismatch") if node else Sign(None)
    silence = is_quiet(subject, snap)
    return Signs(
        applies=silence,
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
        },
        decisive={"its own log says that it was refused as another Node": said},
        finding=lambda: _make_finding(subject, node or Ref("Node"), said.hits[-1]),
    )


def _make_finding(subject: Ref, node: Ref, said: Failure) -> Finding:
    name, other = node.name or "NODE", said.object.name if said.object else None
    as_ = say("as Node {other}", other=other) if other else say("as another Node")
    return Finding(
        say("The kubelet of Node {name} reports {as_}, and the API server rejects it", name=name, as_=as_),
        culprit=Ref("Kubelet", node.name, "kubelet"),
        blocks=tuple(dict.fromkeys((node, subject))),
        notes=(say("kubelet: {message}", message=said.message),) if said.message else (),
        help=(
            Step(
                say(
                    "compare the machine's name with the one in its certificate, and correct the changed "
                    "one; then restart the kubelet"
                ),
                where=f"node:{name}",
                command=command(
                    "openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem"
                ),
                verify=say("the node becomes Ready within a minute"),
            ),
        ),
        do_not=(GIVE_THE_NODE_UP,),
    )


CAUSE = Cause(
    id="node.identity-mismatch",
    title=say("the kubelet reports as another node"),
    subjects=("Pod", "Node"),
    needs=may_wait_for_lost_node,
    reads=frozenset({Conditions, Lease, Failure, LogSeen, Phase, Placement, Deletion, ContainerStatuses}),
    rule=_rule,
)
