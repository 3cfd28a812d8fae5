"""The program ends because another process listens on its port

## How it happens

The program listens on a port that is taken, and gives up: two containers of the Pod use the same port (they
share one network), it is started twice inside of its container, or, with `hostNetwork`, another Pod or a
daemon of the Node has it.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `address already in
use` or `EADDRINUSE`, usually with the port. A look at the Pod's node shows which process listens there, in
the network that the Pod uses: a process older than the end of the run proves it.

## Known limits

The listener is visible only on the node, and UDP is not checked: it stays likely. If the line names no port,
it is the container's only declared one.

## References

- bind(2), EADDRINUSE
- proc(5), `/proc/PID/net/tcp`
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._port_holders import find_port_holders, look_at_holder, name_holder
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, all_of, any_of
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.sockets import PortHolder, PortHolders
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_ERRORS: tuple[ProgramError, ...] = ("address-in-use",)
_MOVE = say("give it another port, or do not use the Node's network (hostNetwork)")
_OWN_PORTS = say("give each container of the Pod a different port")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(
        pod,
        snap,
        _ERRORS,
        lambda one: _make_finding(pod, one, snap),
        {"a process that was there before listens on this port": _describe_holders(pod, snap)},
    )


def _describe_holders(pod: Ref, snap: Facts) -> Sign[ProgramMessage]:
    """Tell whether a process has the port that a run wanted; unknown for an unknown port."""
    said = [one for one in find_program_messages(pod, snap, *_ERRORS).hits if _wanted(pod, one, snap)]
    return any_of([all_of((_find_holders(pod, one, snap), Sign(True, (one,)))) for one in said])


def _wanted(pod: Ref, one: ProgramMessage, snap: Facts) -> int:
    """Return the TCP port that the run wanted: from its line, else the container's only declared one; 0:
    unknown.
    """
    if pod.kind != "Pod" or "udp" in one.complaint.line.lower():
        return 0
    return one.complaint.port or _only_port(pod, one, snap)


def _find_holders(pod: Ref, one: ProgramMessage, snap: Facts) -> Sign[PortHolder]:
    return find_port_holders(pod, _wanted(pod, one, snap), snap, one.run.end.finished)


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    named = one.complaint.port
    port = named or _only_port(pod, one, snap)
    if _wanted(pod, one, snap):
        if held := _find_holders(pod, one, snap).hits:
            return _make_held_by_finding(pod, one, held[0], snap)
        if find_port_holders(pod, port, snap, None).value is False:
            return _make_unheld_finding(pod, one, snap)
    means = (
        say("another process listens on port {port}", port=port)
        if named
        else say("another process listens on its port")
    )
    if port and not named:
        means += say(" ({port} is the one that it declares)", port=port)
    if pod.kind == "Text":
        return _make_in_text_finding(pod, one, means, port)
    if _shares_network(pod, snap):
        return _make_on_host_network_finding(pod, one, means, port, snap)
    beside = [
        c.name
        for f in snap.of(Containers, pod)
        for c in f.items
        if c.name != one.run.name and port in (n for _, n in c.ports)
    ]
    if beside:
        means += say(", as container {beside} of the same Pod declares it", beside=beside[0])
    return make_finding(pod, one, means, (mend(_OWN_PORTS),))


def _make_in_text_finding(text: Ref, one: ProgramMessage, means: Text, port: int) -> Finding:
    """Return the finding for an unknown network: for a component of the node usually the node's own."""
    look = Step(
        say(
            "where it runs (for a program on the node or with hostNetwork: on the node) see which process "
            "listens there"
        ),
        command=_list_listeners(port),
    )
    step = Step(
        say(
            "only if it is left over from an earlier run or installation, stop it there: its clients lose "
            "the connection; else give one of the two another port"
        ),
        risk="disrupts",
        verify=say("the next start finds the port free"),
    )
    return make_finding(text, one, means, (look, step))


def _list_listeners(port: int) -> Command:
    return command("ss -ltnp sport = :{port}", port=given.number(port)) if port else command("ss -ltnp")


def _make_unheld_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    """Return the finding for a port on which nothing listens: connections have ports of their own, too."""
    port, node = _wanted(pod, one, snap), find_node_of_pod(pod, snap)
    means = say(
        "port {port} is taken, and no process listens there now: a connection has it as its own port, or its "
        "holder has ended since",
        port=port,
    )
    look = Step(
        say("see which connection has that port"),
        where=place_on_node(node.name if node else None),
        command=command("ss -tanp sport = :{port}", port=given.number(port)),
    )
    change = mend(
        say(
            "take a port outside of net.ipv4.ip_local_port_range, or reserve it on the node "
            "(net.ipv4.ip_local_reserved_ports)"
        )
    )
    return make_finding(pod, one, means, (look, change))


def _make_held_by_finding(pod: Ref, one: ProgramMessage, holder: PortHolder, snap: Facts) -> Finding:
    """Return the finding that names the holder of the port."""
    node = find_node_of_pod(pod, snap)
    means = say("{holder} listens on port {port}", holder=name_holder(holder), port=holder.port)
    shared = _shares_network(pod, snap)
    if shared and node and node.name:
        means += _describe_network_of(node)
    move = _MOVE if shared else _OWN_PORTS
    return make_finding(
        pod, one, means, (look_at_holder(holder, place_on_node(node.name if node else None)), mend(move))
    )


def _make_on_host_network_finding(
    pod: Ref, one: ProgramMessage, means: Text, port: int, snap: Facts
) -> Finding:
    """Return the finding for a Pod in the network of its Node, where any process of the Node may have the
    port.
    """
    node = find_node_of_pod(pod, snap)
    if node is None or not node.name:
        means += say("; the Pod uses the Node's own network (hostNetwork)")
        return make_finding(pod, one, means, (mend(_MOVE),))
    means += _describe_network_of(node)
    look = Step(
        say("see which process of Node {node} listens there", node=node.name),
        where=place_on_node(node.name),
        command=_list_listeners(port),
    )
    return make_finding(pod, one, means, (look, mend(_MOVE)))


def _shares_network(pod: Ref, snap: Facts) -> bool:
    return any(f.host_network for f in snap.of(Containers, pod))


def _describe_network_of(node: Ref) -> Text:
    return say("; the Pod uses the network of Node {node} (hostNetwork)", node=node.name)


def _only_port(pod: Ref, one: ProgramMessage, snap: Facts) -> int:
    """Return the container's only declared port; 0 if there is none, or more than one."""
    spec = find_container_spec(pod, one.run.name or None, snap)
    return spec.ports[0][1] if spec and len(spec.ports) == 1 else 0


CAUSE = Cause(
    id="program.address-in-use",
    title=say("the program ends because another process listens on its port"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {PortHolders},
    rule=_rule,
)
