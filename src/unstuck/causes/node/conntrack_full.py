"""The Node's table of tracked connections is full, so new connections are dropped

## How it happens

Every connection through the Node's firewall rules (Services, masquerading, most traffic of Pods) has an entry
in the kernel's table until it is closed or times out. Very many short connections, a client that opens and
never closes, or a flood of DNS queries fill it. The kernel then drops the first packet of each new
connection: time-outs at random, probes that fail, DNS that does not answer.

## How to tell

The count of the node's network namespace has reached `nf_conntrack_max`, and the kernel says `nf_conntrack:
table full, dropping packet`.

## Known limits

A table that fills for seconds only may have room again at the moment of looking: with the kernel's recent
words alone it is likely. Which connections fill it is not looked at.

## References

- Linux Documentation/networking/nf_conntrack-sysctl.rst; net/netfilter/nf_conntrack_core.c
- kube-proxy sets the limit at its start: KubeProxyConntrackConfiguration maxPerCore, min
"""

from __future__ import annotations

from unstuck.causes.node._limits import (
    count_of,
    find_kernel_events,
    find_past_kernel_events,
    is_used_up,
    name_node,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kernel import KernelEvent, KernelEvents
from unstuck.facts.aspects.node_limits import HostLimit, HostLimits
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SETTING = "net.netfilter.nf_conntrack_max"


def _rule(node: Ref, snap: Facts) -> Signs:
    full = is_used_up(node, snap, "conntrack")
    said = find_kernel_events(node, snap, "conntrack-full")
    return Signs(
        decisive={"the table is full": full},
        supporting={
            "the kernel drops packets for it": said,
            "the kernel dropped packets for it once": find_past_kernel_events(node, snap, "conntrack-full"),
        },
        finding=lambda: _make_finding(node, full.hits, said),
    )


def _make_finding(node: Ref, full: tuple[HostLimit, ...], said: Sign[KernelEvent]) -> Finding:
    item = full[0] if full else None
    of = say(": {used} of {limit}", used=item.used, limit=item.limit) if item else NO_TEXT
    dropped = count_of(said)
    raised = str(item.limit * 2) if item else "524288"
    return Finding(
        say(
            "The connection tracking table of {node} is full{of}; new connections are dropped",
            node=name_node(node),
            of=of,
        ),
        culprit=Ref("Sysctl", node.name, _SETTING),
        blocks=(node,),
        notes=(say("the kernel logged this {dropped} times", dropped=dropped),) if dropped else (),
        help=(
            Step(
                say("raise the limit; an entry takes about 400 bytes of kernel memory"),
                where=f"node:{node.name}",
                command=command(
                    "sysctl -w net.netfilter.nf_conntrack_max={limit}", limit=given.number(raised)
                ),
                risk="reversible",
                undo=command(
                    "sysctl -w net.netfilter.nf_conntrack_max={limit}",
                    limit=given.number(item.limit if item else 262144),
                ),
                verify=say("the kernel no longer logs a full table"),
            ),
            Step(
                say("find out what opens so many"),
                where=f"node:{node.name}",
                command=command(
                    "sh -c 'conntrack -L 2>/dev/null | grep -o '\"'\"'src=[^ ]*'\"'\"' | sort | uniq -c | "
                    "sort -n | tail'"
                ),
            ),
            Step(
                say(
                    "permanently: conntrack.maxPerCore and conntrack.min of kube-proxy, which sets the "
                    "limit at each start"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("flush the table"),
                say("every established connection through a Service or NAT on this node is cut"),
            ),
        ),
    )


CAUSE = Cause(
    id="node.conntrack-full",
    title=say("the connection tracking table is full"),
    subjects=("Node",),
    reads=frozenset({HostLimits, KernelEvents}),
    rule=_rule,
)
