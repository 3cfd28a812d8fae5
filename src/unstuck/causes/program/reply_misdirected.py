"""A Service's replies come back from the Pod's own address

## How it happens

A Node translates the address of a Service into that of a Pod, and the replies back. Where client and server
are on the same bridge, the reply does not pass the rules that do so, unless the kernel sends bridged packets
through them: module br_netfilter, sysctl net.bridge.bridge-nf-call-iptables. The client asked one address,
hears from another, and throws the reply away.

## How to tell

A lookup tool prints `;; reply from unexpected source: POD#53, expected SERVICE#53`, and then that no server
could be reached.

## Known limits

Its evidence is the message alone: it is never more than likely. The Node's settings are not read. Other
software that changes a reply's source (a second rule of NAT, a network plugin that routes without
translation) shows the same words.

## References

- BIND bin/dig/dighost.c; Kubernetes documentation: Container runtimes, Prerequisites (br_netfilter, 1.20 to
  1.31); Linux Documentation/networking/ip-sysctl.rst (bridge-nf-call-iptables)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KEEP = DoNot(
    say("restart the Pods behind the Service"),
    say("they answer; it is the Node that does not translate their replies"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("reply-misdirected",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say(
        "{asked} was asked and {name} replies: the Node does not translate replies between Pods on one "
        "bridge back to the Service's address, mostly because br_netfilter is not loaded or "
        "net.bridge.bridge-nf-call-iptables is 0",
        asked=c.resource,
        name=c.name,
    )
    look = Step(
        say("on the Node of the client: see whether bridged packets pass its rules"),
        command=command("sysctl net.bridge.bridge-nf-call-iptables net.bridge.bridge-nf-call-ip6tables"),
    )
    step = Step(
        say(
            "on each Node: load br_netfilter, set both to 1, and keep both in "
            "/etc/modules-load.d and /etc/sysctl.d"
        ),
        verify=say("a lookup from the same Pod is answered"),
    )
    return make_finding(pod, one, means, (look, step), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.reply-misdirected",
    title=say("a Service's replies come from the Pod's own address"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
