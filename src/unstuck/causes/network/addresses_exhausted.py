"""There is no free address for a Pod

## How it happens

The range from which this Node's Pods get their addresses is used up: more Pods than addresses (a /26 or /27
for a Node that takes 110 Pods), a subnet or a network interface of the cloud that has no free address, or
addresses that were never given back.

## How to tell

New sandboxes fail with `no IP addresses available in range set` or `No available addresses`. `failed to
assign an IP address to container` means only that there was none: the subnet or the interface may be full, or
a role may not ask for one.

## Known limits

The exhaustion is the plugin's word. The message does not show whether they are in use or leaked: more taken
addresses than sandboxes is network.addresses-leaked. So this is at most likely, and only possible where the
plugin does not say that none is left.

## References

- containernetworking/plugins plugins/ipam/host-local/backend/allocator/allocator.go; aws/amazon-vpc-cni-k8s
  issue 201
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    # Leaked addresses give the same message.
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), decides=None
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "network-set-up" and f.error in ("addresses-exhausted", "address-unassigned")


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        (
            say("no free address for a Pod in {range}", range=f.key)
            if f.key
            else say("no free address for a Pod")
        )
        + _starting.say_on_node(subject, snap),
        culprit=Ref("AddressRange", _starting.find_node_name(subject, snap), "pods"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "compare the addresses in use with the existing sandboxes; host-local keeps them as files"
                ),
                where=_starting.place_step(subject, snap),
                command=command("ls /var/lib/cni/networks"),
            ),
            Step(
                say(
                    "schedule fewer Pods there (maxPods of the kubelet), or give the node or its subnet a "
                    "larger range"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("delete the plugin's address directory while Pods are running"),
                say("addresses in use are assigned again, and two Pods share one"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.addresses-exhausted",
    title=say("no free address for a Pod"),
    subjects=("Pod", "Node"),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
