"""The program ends because none of its interfaces has the address it listens on

## How it happens

The program is configured to listen on an address that no interface of its network has: a Node's address in a
Pod with its own network, the previous Pod's, a Service's, an earlier machine's, or `::1` and `::` with IPv6
off. A Pod has the addresses in its status and those of its loopback interface, and gets a new one each time
it is made.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `bind: cannot assign
requested address`, `listen EADDRNOTAVAIL` or `BindException: Cannot assign requested address`. The same errno
of a connection (`connect: cannot assign requested address`) is none of this: there ports are used up, or IPv6
is off.

## Known limits

The Node's addresses are not looked up: it is never more than likely. For a Pod in the Node's network, a look
at the Node adds the setting that refuses an address of that family: `disable_ipv6` or `ip_nonlocal_bind`.

## References

- Linux bind(2), EADDRNOTAVAIL; documentation "Downward API" (`status.podIP`)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_NO_INTERFACE = "No interface with given IP found"


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("address-absent",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    name = one.complaint.name
    if _NO_INTERFACE in one.complaint.line:
        return _make_interface_finding(pod, one, name)
    means = (
        say("no interface of its network has the address {name} that it is to listen on", name=name)
        if name
        else say("no interface of its network has the address it is to listen on")
    )
    node = find_node_of_pod(pod, snap)
    shared = any(f.host_network for f in snap.of(Containers, pod))
    if shared and node and node.name:
        means += say("; the Pod uses the network of Node {node} (hostNetwork)", node=node.name)
    look = Step(
        say("see which addresses it has"),
        command=command("kubectl get {pod} {space} -o wide", pod=given.of(pod), space=given.space(pod)),
    )
    return make_finding(
        pod,
        one,
        means,
        fitting(
            *((look,) if pod.kind == "Pod" else ()),
            Remedy(
                ":" in name,
                mend(
                    say(
                        "let it listen on 0.0.0.0: without IPv6 in the cluster or in the kernel a Pod has "
                        "no such address"
                    )
                ),
            ),
            Remedy(
                ":" not in name and not shared,
                mend(
                    say("let it listen on 0.0.0.0, or on the Pod's own address from status.podIP (fieldRef)")
                ),
            ),
            Remedy(
                ":" not in name and shared,
                mend(
                    say(
                        "let it listen on 0.0.0.0, or on the Node's own address from status.hostIP (fieldRef)"
                    )
                ),
            ),
        ),
    )


def _make_interface_finding(pod: Ref, one: ProgramMessage, name: str) -> Finding:
    """Return the finding of an agent that looks for the interface with the address of its Node."""
    means = say(
        "no interface of the node has the address {name}, which its Node object or its configuration "
        "gives it",
        name=name,
    )
    steps = (
        Step(
            say("see which address the Node is registered with"), command=command("kubectl get nodes -o wide")
        ),
        Step(
            say("on that node, see which addresses its interfaces have"), command=command("ip -brief address")
        ),
        mend(
            say(
                "if the node's address has changed, register it with the new one (the kubelet's "
                "--node-ip, and an annotation of the agent, such as flannel's public-ip); else bring the "
                "interface up before the agent starts"
            )
        ),
    )
    return make_finding(pod, one, means, steps)


CAUSE = Cause(
    id="program.address-absent",
    title=say("the program ends because none of its interfaces has the address it listens on"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
