"""A name server forwards queries to itself

## How it happens

CoreDNS forwards unknown names to the servers in its own /etc/resolv.conf, which the kubelet copies from the
node. Where systemd-resolved or dnsmasq runs there, that file names a loopback address, and within the Pod
that is CoreDNS itself. Its plugin `loop` finds this and ends it.

## How to tell

Its log has `plugin/loop: Loop (127.0.0.1:… -> :53) detected for zone "."`, or `Seen "HINFO IN …" more than
twice, loop detected`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. The
node's file is not read.

## References

- CoreDNS plugin/loop, "Troubleshooting Loops In Kubernetes Clusters"; Kubernetes documentation: Debugging DNS
  Resolution, Known issues
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_STUB = say(
    "on the nodes: check whether nameserver is a loopback address (127.0.0.53 belongs to systemd-resolved)"
)
_KEEP = DoNot(
    say("remove `loop` from its configuration"),
    say("each such query then circulates until CoreDNS runs out of memory"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("forwarding-loop",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    zone = one.complaint.resource
    means = (
        say("CoreDNS forwards queries for zone “{zone}” back to itself, and exits for that reason", zone=zone)
        if zone
        else say("CoreDNS forwards queries back to itself, and exits for that reason")
    )
    look = Step(_STUB, command=command("cat /etc/resolv.conf"))
    ask = Step(
        say("see where it forwards to"),
        command=command("kubectl get configmap/coredns -n kube-system -o yaml"),
    )
    step = mend(
        say(
            "point resolvConf of the kubelet at a file with the real servers "
            "(/run/systemd/resolve/resolv.conf), or have CoreDNS forward to them"
        )
    )
    return make_finding(pod, one, means, (look, ask, step), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.forwarding-loop",
    title=say("a name server forwards queries to itself"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
