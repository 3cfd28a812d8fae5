"""The kubelet runs and cannot reach the API server

## How it happens

The machine and its containers go on, but the way to the API server is broken: the load balancer in front of it, a firewall, a route, the
name in the kubelet's kubeconfig. The Node turns NotReady after 40 s, its Pods are marked for deletion after five minutes, and the kubelet
hears of none of it.

## How to tell

The Node does not report, and in the same minutes the kubelet's log has `Error updating node status, will retry` or `Failed to update
lease` with a transport error: `connection refused`, `i/o timeout`, `no route to host`, `no such host`.

## Known limits

It must be read on the node; the API server knows only that nothing comes. A kubelet that ended in the last five minutes said so until then.
An expired certificate, and a refusal because the kubelet takes itself for another Node, are other causes.

## References

- pkg/kubelet/kubelet_node_status.go; KEP-0009 (node heartbeats); field notes
"""

from __future__ import annotations

from unstuck.causes.kubelet._silent import GIVE_THE_NODE_UP, reports_refused
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.waiting import node_under, quiet, waits_for_kubelet

_UNREACHED = ("connection-refused", "timeout", "no-such-host", "deadline-exceeded")


def _rule(subject: Ref, snap: Snapshot) -> Signs:
    under = node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = reports_refused(node, snap, *_UNREACHED) if node else Sign(None)
    silence = quiet(subject, snap)
    return Signs(
        applies=silence,
        necessary={"it is a Node, or bound to one": under, "it waits for its kubelet": waits_for_kubelet(subject, snap)},
        decisive={"its own log says that the API server does not answer it": said},
        finding=lambda: _finding(subject, node or Ref("Node"), said.hits[-1]),
    )


def _finding(subject: Ref, node: Ref, said: Failure) -> Finding:
    name, host = node.name or "NODE", said.host or "API server"
    return Finding(
        Text(
            f"The kubelet of Node {name} runs and cannot reach the API server ({host}): {said.error}",
            f"节点 {name} 的 kubelet 在运行，但无法连接 API server（{host}）：{said.error}",
        ),
        culprit=Ref("Route", node.name, host),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        notes=(Text(f"its words: {said.message}", f"原话：{said.message}"),) if said.message else (),
        help=(
            Step(
                Text(
                    "see from the node whether the API server answers at the address of its kubeconfig",
                    "在节点上检查其 kubeconfig 中的 API server 地址是否有应答",
                ),
                where=f"node:{name}",
                command=("curl", "-k", "-m", "5", f"https://{said.host or 'API-SERVER:6443'}/healthz"),
                verify=Text("the Node reads Ready within a minute once it does", "恢复后节点会在一分钟内变为 Ready"),
            ),
        ),
        do_not=(GIVE_THE_NODE_UP,),
    )


CAUSE = Cause(
    id="kubelet.cannot-reach-apiserver",
    title=Text("the kubelet cannot reach the API server", "kubelet 无法连接 API server"),
    subjects=("Pod", "Node"),
    reads=frozenset({Conditions, Lease, Failure, LogSeen, Phase, Placement, Deletion, ContainerStatuses}),
    rule=_rule,
)
