"""Nothing listens on the Node's port that a program connects to

## How it happens

A program connects to an address of a node, such as metrics-server to the kubelet's port 10250 or Prometheus
to an exporter, and is refused. The node is well; but the daemon listens only at 127.0.0.1 there, as a
hardening guide or its default has it (`address` of the kubelet, `--bind-address` of kube-controller-manager
and kube-scheduler, `metricsBindAddress` of kube-proxy), or on another port, or it was never installed there.

## How to tell

The program's last lines contain `connection refused` with an address of a Node, and on that node `ss -ltnp`
shows the port only at a loopback address (proven), or not at all (likely: a daemon that restarts listens soon
again).

## Known limits

Ports of Services (NodePort) have no listener with kube-proxy's iptables and nft modes, and are left out. A
Pod's hostPort may be forwarded without a listener, too. UDP and IPv6 are not looked at.

## References

- documentation "Ports and Protocols"; kubelet.config.k8s.io/v1beta1 `address`;
  kubeproxy.config.k8s.io/v1alpha1 `metricsBindAddress`; ss(8)
"""

from __future__ import annotations

from unstuck.causes import _node_config
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.causes._port_holders import name_holder
from unstuck.causes._told_by_node import NodeWords
from unstuck.causes.container._ends import name_container
from unstuck.causes.network._attempts import Attempt
from unstuck.causes.network._ends import find_ends
from unstuck.causes.network._way import READS, find_attempts, list_blocked
from unstuck.causes.program._service import NODE_PORTS
from unstuck.causes.program._told import STAGES
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.sockets import PortHolder, PortHolders
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_LOOPBACK = "127.0.0.1"
_CONFIGURED = ("kubelet", "containerd", "crio", "dockerd", "k3s-server", "k3s-agent")
_ANSWERED = say("the next connection is answered")


@record()
class _Closed(Record):
    """A refused connection to a Node. holder: the process that listens there for its own node alone, None if
    nobody does.
    """

    attempt: Attempt
    node: Ref
    holder: PortHolder | None


def _rule(pod: Ref, snap: Facts) -> Signs:
    attempts = find_attempts(pod, snap)
    refused = tuple(
        a
        for a in attempts.hits
        if a.met == "refused" and a.by == "program" and a.address and a.port not in NODE_PORTS
    )
    said = attempts._replace(value=True if refused else False if attempts.value else None, hits=refused)
    closed = _find(pod, said, snap) if refused else Sign[_Closed](None)
    inside = tuple(c for c in closed.hits if c.holder)
    only: Sign[_Closed] = closed._replace(hits=inside, value=True if inside else None)
    return Signs(
        necessary={"a program is refused at an address": said},
        decisive={
            "the port has a listener on that Node, for the node itself alone": only if closed.hits else closed
        },
        supporting={"nothing listens on that port of the Node": closed._replace(wants=())},
        finding=lambda: _make_finding(pod, (*only.hits, *closed.hits)[0], snap),
    )


def _find(pod: Ref, said: Sign[Attempt], snap: Facts) -> Sign[_Closed]:
    """Find the Nodes that have such an address and no listener for others. No: the addresses are no Nodes',
    or every such Node listens there.
    """
    hits, seen, wants, covered = list[_Closed](), list[Fact](), list[Want](), True
    for attempt in said.hits:
        ends = find_ends(attempt, pod, snap)
        wants += ends.wants
        covered = covered and not ends.wants
        for node in ends.nodes:
            want = Want(PortHolders, node)
            found = snap.one(PortHolders, node)
            wants += () if snap.answered(want) else (want,)
            covered = covered and found is not None and found.whole
            if found is None:
                continue
            seen.append(found)
            holders = [h for h in found.items if h.port == attempt.port]
            if all(h.local for h in holders) and (holders or found.whole):
                hits.append(_Closed(attempt, node, next(iter(holders), None)))
    if hits:
        return Sign(True, tuple(hits), unique((*said.seen, *seen)), unique(wants))
    return Sign(False if covered else None, seen=tuple(seen), wants=unique(wants))


def _make_finding(pod: Ref, one: _Closed, snap: Facts) -> Finding:
    attempt, node, holder = one.attempt, one.node, one.holder
    where = place_on_node(node.name)
    whose = name_container(attempt.container or None)
    if holder:
        says = say(
            "{whose} is refused at {to}: on Node {node} {holder} listens on port {port} only at {address},"
            " which is not reachable from elsewhere",
            whose=whose,
            to=attempt.shown,
            node=node.name,
            holder=name_holder(holder),
            port=attempt.port,
            address=holder.address or _LOOPBACK,
        )
        change = say(
            "let {comm} listen at the node's address or at 0.0.0.0, if others may use it, and restart it; "
            "or use it only from that node",
            comm=holder.proc.comm,
        )
    else:
        says = say(
            "{whose} is refused at {to}: nothing listens on port {port} of Node {node} now",
            whose=whose,
            to=attempt.shown,
            port=attempt.port,
            node=node.name,
        )
        change = say(
            "start on Node {node} what should listen there, or correct the port; if a Pod should have it as "
            "hostPort, or a Service as a port of its external address, see whether such a Pod runs",
            node=node.name,
        )
    finding = Finding(
        says,
        culprit=Ref("Port", node.name, str(attempt.port)),
        blocks=list_blocked(pod, attempt),
        help=(
            Step(say("see who listens there, and at which addresses"), where=where, command=_LISTENERS),
            Step(change, where=where, verify=_ANSWERED),
        ),
        do_not=(
            DoNot(
                say("open a firewall for it"),
                say("a refusal comes from the node itself: nothing on the way drops the packets"),
            ),
        ),
    )
    return add_node_words(finding, _tell_setting(one, snap))


def _tell_setting(one: _Closed, snap: Facts) -> NodeWords:
    """Return the line of the Node's configuration with the address, for daemons whose files are known."""
    if one.holder is None:
        return NodeWords()
    comm, address = one.holder.proc.comm, one.holder.address or _LOOPBACK
    if comm not in _CONFIGURED and address == _LOOPBACK:
        return NodeWords()
    return tell_config(one.node, (address,), snap, _ANSWERED)


_LISTENERS = command("ss -ltnp")
CAUSE = Cause(
    id="network.port-closed-on-node",
    title=say("nothing listens on the node's port that a program connects to"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | _node_config.READS | {PortHolders},
    rule=_rule,
)
