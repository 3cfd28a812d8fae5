"""The kubelet is running and cannot reach the API server

## How it happens

The machine and its containers keep running, but the way to the API server is broken: the load balancer in
front of it, a firewall, a route, the name in the kubelet's kubeconfig, or the certificate that the API server
shows there: signed by another authority than the kubelet's known one (renewed without updating the kubelet),
expired, for other names. The Node turns NotReady after 40 s, its Pods are marked for deletion after five
minutes, and the kubelet hears of none of it.

## How to tell

The Node does not report, and in the same minutes the kubelet's log has `Error updating node status, will
retry` or `Failed to update lease` with a transport error: `connection refused`, `i/o timeout`, `no route to
host`, `no such host`, `use of closed network connection`, `x509: certificate signed by unknown authority`.

## Known limits

It must be read on the node; the API server sees only the missing reports. A kubelet that ended in the last
five minutes reported it until then. An expired certificate of the kubelet's own, and a refusal because the
kubelet takes itself for another Node, are other causes.

## References

- pkg/kubelet/kubelet_node_status.go; KEP-0009 (node heartbeats); field notes
"""

from __future__ import annotations

from unstuck.causes._certificates import describe_flaw, mend_flaw
from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP, find_report_failures
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.look_commands import server_certificate
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.certificates import find_flaw
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)

_READY = say("the node becomes Ready within a minute after that")
_TRUST = say("add the signing CA to the kubelet's kubeconfig, and restart the kubelet")
_UNTRUSTED: ErrorWord = "certificate-untrusted"
_UNREACHED: tuple[ErrorWord, ...] = (
    "connection-refused",
    "connection-cut",
    "timeout",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "no-such-host",
    "deadline-exceeded",
    _UNTRUSTED,
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = find_report_failures(node, snap, *_UNREACHED) if node else Sign(None)
    silence = is_quiet(subject, snap)
    return Signs(
        applies=silence,
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
        },
        decisive={"its own log says that the API server does not answer it": said},
        finding=lambda: _make_finding(subject, node or Ref("Node"), said.hits[-1]),
    )


def _make_finding(subject: Ref, node: Ref, said: Failure) -> Finding:
    name, host = node.name or "NODE", said.host or "API server"
    claim = say(
        "The kubelet of Node {name} is running but cannot reach the API server ({host}): {error}",
        name=name,
        host=host,
        error=said.error,
    )
    if said.error == _UNTRUSTED:
        flaw = find_flaw(said.message)
        claim = say(
            "The kubelet of Node {name} is running but rejects the certificate of the API server ({host})",
            name=name,
            host=host,
        )
        claim += (say(": it") + describe_flaw(flaw)) if flaw else NO_TEXT
    return Finding(
        claim,
        culprit=Ref("Route", node.name, host),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        notes=(say("kubelet: {message}", message=said.message),) if said.message else (),
        help=_trust(name, said) if said.error == _UNTRUSTED else _route(name, said),
        do_not=(GIVE_THE_NODE_UP,),
    )


def _route(name: str, said: Failure) -> tuple[Step, ...]:
    steps = (
        Step(
            say("check from the node whether the API server responds at the address in its kubeconfig"),
            where=f"node:{name}",
            command=command(
                "curl -k -m 5 https://{server}/healthz", server=given.host(said.host or "API-SERVER:6443")
            ),
            verify=_READY,
        ),
    )
    if said.error != "connection-cut":
        return steps
    return (
        *steps,
        Step(
            say("if it responds: restart the kubelet; it may hold a dead connection (kubelets before 1.20)"),
            where=f"node:{name}",
            command=command("systemctl restart kubelet"),
            risk="reversible",
        ),
    )


def _trust(name: str, said: Failure) -> tuple[Step, ...]:
    server, flaw = said.host or "API-SERVER:6443", find_flaw(said.message)
    return (
        Step(
            say(
                "check the certificate the API server presents there: issuer, names and dates; and the "
                "node's time"
            ),
            where=f"node:{name}",
            command=server_certificate(server),
        ),
        Step(mend_flaw(flaw, _TRUST) if flaw else _TRUST, where=f"node:{name}", verify=_READY),
    )


CAUSE = Cause(
    id="kubelet.cannot-reach-apiserver",
    title=say("the kubelet cannot reach the API server"),
    subjects=("Pod", "Node"),
    needs=may_wait_for_lost_node,
    reads=frozenset({Conditions, Lease, Failure, LogSeen, Phase, Placement, Deletion, ContainerStatuses}),
    rule=_rule,
)
