"""The program ends because a server does not answer its connection

## How it happens

The program connects to a server that it needs, no answer comes, or no way leads there, and it gives up: a
NetworkPolicy or a firewall drops the packets, kube-proxy or the network of the node does not work, the
address is no longer in use, or its Service has no such port.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `i/o timeout`,
`connection timed out`, `no route to host` or `network is unreachable`, or a library's timeout of a connection
(`TimeoutError: Timeout connecting to server`). It is proven if the name belongs to a Service, and no Pod
behind it is ready, or it has no such port, or it has `internalTrafficPolicy: Local` and no ready backend on
the Pod's own node, or the server's node forwards with a smaller MTU than its Pods have and drops the ICMP
messages that would report it.

## Known limits

A slow server and a lost packet read the same. NetworkPolicies between the two are only reported as evidence,
because their enforcement by the network plugin is not checked. A bare address is looked up among the cluster
IPs of Services, not among the addresses of Pods. The API server's own address is reported by
network.pod-to-apiserver-broken.

## References

- Linux errno(3), ETIMEDOUT, EHOSTUNREACH, ENETUNREACH; documentation "Network Policies", "Debug Services"
"""

from __future__ import annotations

from unstuck.causes import _addresses, _neighbour_log, _told_ports
from unstuck.causes.program import _links, _policies
from unstuck.causes.program._asked_address import add_address_source
from unstuck.causes.program._reach import make_unreachable_signs
from unstuck.causes.program._told import READS, STAGES, find_last_words
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Signs
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.services import AddressHolders, ServicePods, ServicesAt, ServiceSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _says(where: Text) -> Text:
    return say("its connection got no answer{where}", where=where)


def _rule(pod: Ref, snap: Facts) -> Signs:
    signs = make_unreachable_signs(pod, snap, "connection-timed-out", _says)
    return add_address_source(pod, snap, "connection-timed-out", signs)


CAUSE = Cause(
    id="program.connection-timed-out",
    title=say("the program ends because a server does not answer its connection"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS
    | _addresses.READS
    | _neighbour_log.READS
    | _told_ports.READS
    | _links.READS
    | _policies.READS
    | {AddressHolders, Placement, ServicePods, ServicesAt, ServiceSpec},
    rule=_rule,
)
