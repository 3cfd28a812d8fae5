"""Addresses of Pods that no longer exist were never released

## How it happens

The network plugin notes each address that it gives out (host-local in a file, others at their agent), and
takes it back when the sandbox is removed. Where that call failed or was never made (a Node that lost power, a
runtime whose data was deleted, an agent that was away), the note stays, and the range fills up with addresses
that no Pod has.

## How to tell

New sandboxes fail with `no IP addresses available in range set`, while there are far fewer sandboxes than
notes: `ls /var/lib/cni/networks/NAME | wc -l` against `crictl pods -q | wc -l`.

## Known limits

The message is the same as for network.addresses-exhausted, and the notes are not counted here: this is never
more than possible, and explains how to count.

## References

- containernetworking/plugins plugins/ipam/host-local/backend/disk; CNI specification 1.1 (GC)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_TEMPTS = DoNot(
    say("delete the plugin's address directory while Pods are running"),
    say("addresses in use are assigned again; compare each record's container with `crictl pods` first"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = _starting.start_failures(
        pod, snap, lambda f: f.operation == "network-set-up" and f.error == "addresses-exhausted"
    )
    return Signs(
        necessary={"the plugin has no address left": said},
        decisive={"more addresses are noted than there are sandboxes": Sign(None, said.hits, said.seen)},
        finding=lambda: _make_finding(pod, snap),
        do_not=(_TEMPTS,),
    )


def _make_finding(pod: Ref, snap: Facts) -> Finding:
    return Finding(
        say("addresses of deleted Pods were never released") + _starting.say_on_node(pod, snap),
        culprit=Ref("AddressRange", _starting.find_node_name(pod, snap), "leaked"),
        blocks=(pod,),
        help=(
            Step(
                say("remove only records whose container no longer exists"),
                where=_starting.place_step(pod, snap),
                risk="reversible",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(_TEMPTS,),
    )


CAUSE = Cause(
    id="network.addresses-leaked",
    title=say("addresses of deleted Pods were never released"),
    subjects=("Pod",),
    stages=("sandbox-and-network",),
    reads=frozenset({Failure, Events}),
    rule=_rule,
)
