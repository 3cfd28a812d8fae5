"""The Node's bridge has an address of another network

## How it happens

The network plugin would make the bridge (`cni0`) with the gateway address of this Node's Pod range, but the
bridge already exists with an address of another range: the cluster was recreated with another range, the Node
got another `podCIDR`, or two network add-ons follow one another. The plugin refuses to change an existing
bridge.

## How to tell

Every new sandbox fails with `"cni0" already has an IP address different from …`. `ip addr show cni0` on the
Node has another network than `spec.podCIDR` of the Node.

## Known limits

Pods that still run on that Node use the old address; they lose their network when the bridge is deleted.

## References

- containernetworking/plugins plugins/main/bridge/bridge.go (ensureAddr)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "network-set-up" and f.error == "address-mismatch"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    bridge = f.key or "cni0"
    return Finding(
        say("network bridge {bridge} has an address outside the network of the node's Pods", bridge=bridge)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("NetworkBridge", _starting.find_node_name(subject, snap), bridge),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "with the node drained, delete the bridge; the plugin recreates it. Pods still running "
                    "there have no network from then on, until they are recreated too"
                ),
                where=_starting.place_step(subject, snap),
                command=command("ip link delete {bridge}", bridge=given.plain(bridge)),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("just add the other address to the bridge by hand"),
                say("Pods of the old range keep addresses that other nodes do not route here"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.bridge-address-mismatch",
    title=say("the node's bridge has an address from another network"),
    subjects=("Pod", "Node"),
    stages=_starting.SANDBOX,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
