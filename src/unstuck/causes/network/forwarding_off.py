"""IP forwarding is disabled on the Node

## How it happens

The node takes packets of its Pods' networks and sends them on only with `net.ipv4.ip_forward` at 1. The
container runtime or the network add-on sets it at the start; a hardening rule in /etc/sysctl.d, a
configuration tool or the restart of a network service sets it back. Pods are started and probed as ever, for
that traffic is the node's own; their connections to Pods of other nodes, to Services or to the outside get no
answer.

## How to tell

A program ends because no answer came to its connection, its Pod has a network of its own, and on its Node
`net.ipv4.ip_forward` is 0.

## Known limits

A failed connection to one server may have a further reason; so this is likely at most. A network that goes
past the node's forwarding (eBPF with host routing, macvlan, SR-IOV) is not held up by it, nor are Pods that
talk over one bridge of the node. It is read only by a reader in the node's own network.

## References

- Linux Documentation/networking/ip-sysctl.rst (`ip_forward`); Kubernetes documentation, "Container Runtimes"
  (IPv4 forwarding)
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.network._unanswered import ANSWERED, READS, list_blocked, make_signs, name_server
from unstuck.causes.program._told import STAGES, ProgramMessage
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.host import Host
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_FORWARD = "net.ipv4.ip_forward"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_signs(
        pod,
        snap,
        "IP forwarding is disabled on the node",
        lambda node: _find_off(node, snap),
        lambda node, one, _: _make_finding(pod, node, one),
    )


def _find_off(node: Ref, snap: Facts) -> Sign[Host]:
    """Return whether it is off; unknown where the setting was not read."""
    read = [(f, value) for f in snap.of(Host, node) for name, value in f.sysctls if name == _FORWARD]
    if not read:
        want = Want(Host, node)
        return Sign(None, seen=snap.of(Host, node), wants=() if snap.answered(want) else (want,))
    off = tuple(f for f, value in read if value == "0")
    return Sign(True, off, off) if off else Sign(False, seen=tuple(f for f, _ in read))


def _make_finding(pod: Ref, node: Ref, one: ProgramMessage) -> Finding:
    name = node.name or "NODE"
    where = place_on_node(node.name)
    return Finding(
        say(
            "on Node {name} {setting} is 0: it forwards no packets of its Pods, so the connection{server} of "
            "container {container} gets no answer",
            name=name,
            setting=_FORWARD,
            server=name_server(one),
            container=one.run.name,
        ),
        culprit=Ref("Sysctl", node.name, _FORWARD),
        blocks=list_blocked(pod, one),
        help=(
            Step(
                say("see which file sets it"),
                where=where,
                command=command(
                    "grep -rs ip_forward /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d"
                ),
            ),
            Step(
                say("turn it on until the next start, and set it to 1 in that file"),
                where=where,
                command=command("sysctl -w net.ipv4.ip_forward=1"),
                risk="reversible",
                undo=command("sysctl -w net.ipv4.ip_forward=0"),
                verify=ANSWERED,
            ),
        ),
    )


CAUSE = Cause(
    id="network.forwarding-off",
    title=say("IP forwarding is disabled on the node"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Host, Placement},
    rule=_rule,
)
