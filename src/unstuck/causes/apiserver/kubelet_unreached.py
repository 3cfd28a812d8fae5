"""The API server does not reach a kubelet

## How it happens

`kubectl logs`, `exec`, `attach` and `port-forward` go from the API server to the kubelet of the Pod's node,
usually to port 10250. Obstacles between the two: a firewall or security group, a Node that registered with an
address or a name that the API server cannot use, a tunnel (konnectivity) without an agent, or a kubelet that
is down.

## How to tell

`error dialing backend: dial tcp ADDRESS:10250: …`, `… lookup NODE …: no such host`, `error dialing backend:
No agent available`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- apimachinery pkg/util/proxy/upgradeaware.go; Kubernetes documentation: Communication between Nodes and the
  Control Plane; Ports and Protocols
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_REFUSED = "connection refused"
_NO_WAY = regex(r"no route to host|network is unreachable")


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "kubelet-unreached", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    name, port = one.complaint.name, one.complaint.port
    means = say(
        "the API server does not reach the kubelet of that node, so no logs, exec or port-forward there; "
        "Pods may run all the same"
    )
    if name and port:
        means = say(
            (
                "the API server does not reach the kubelet at {name}:{port}, so no logs, exec or "
                "port-forward there; Pods may run all the same"
            ),
            name=name,
            port=port,
        )
    elif name:
        means = say(
            "the API server cannot resolve {name}, the node's name, so no logs, exec or port-forward there",
            name=name,
        )
    if port and _REFUSED in one.complaint.line:
        means += say("; it is refused there: no kubelet listens on that address")
    elif _NO_WAY.search(one.complaint.line):
        means += say("; no route leads there from the control plane, or a firewall rejects it")
    look = Step(
        say("see which Node has this address or name, and whether it is Ready"),
        command=command("kubectl get nodes -o wide"),
    )
    way = Step(
        say(
            "a Node that is Ready: open the way from the control plane to its port 10250"
            " (firewall, security group, route, konnectivity's agents)"
        )
    )
    down = Step(say("a Node that is NotReady: its kubelet or the machine is down; repair that first"))
    address = Step(
        say(
            "a Node with several addresses: if its INTERNAL-IP is one that the control plane cannot reach, "
            "give its kubelet the other one with --node-ip"
        )
    )
    steps = (look, down, way) if _REFUSED in one.complaint.line else (look, way, address, down)
    return make_finding(text, one, means, steps)


CAUSE = Cause(
    id="apiserver.kubelet-unreached",
    title=say("the API server does not reach a kubelet"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
