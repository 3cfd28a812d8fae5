"""A Service cannot be reached from the Node itself

## How it happens

Plugins and mounts run in the Node's own network and use the address of a Service: a network plugin asks the
API server at its ClusterIP, an NFS client mounts from one. kube-proxy does not run or has not written its
rules, its rules clash with others, or the overlay drops or delays the packets (wrong checksums with VXLAN, a
wrong MTU).

## How to tell

The network plugin says `Get "https://10.96.0.1:443/…": i/o timeout` (or no route to host), or mount.nfs times
out at an address of the Service range, while Pods elsewhere reach the same Service.

## Known limits

A plugin's time-out at the API server's ClusterIP also comes from an overloaded or dead API server: then all
other clients report it, too. So this is at most likely. An address in a mount is not known to be a Service's
without the range; a mount that times out is volume.mount-timeout.

## References

- projectcalico/calico cni-plugin/pkg/plugin/plugin.go; longhorn/longhorn issue 6494; flannel-io/flannel issue
  1279
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
    # A dead API server gives the plugin the same error.
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), decides=None
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "network-set-up" and f.error == "service-unreachable"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("the Node cannot reach the Service address {host}", host=f.host or "?")
        + _starting.say_on_node(subject, snap),
        culprit=Ref("ServiceAddress", _starting.find_node_name(subject, snap), f.host or "?"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "check whether it responds from the node itself, and whether kube-proxy (or its "
                    "replacement) is running there"
                ),
                where=_starting.place_step(subject, snap),
                command=command(
                    "curl -sk -o /dev/null --max-time 10 https://{address}/healthz",
                    address=given.host(f.host or "ADDRESS"),
                ),
            ),
            Step(
                say(
                    "fix the path: kube-proxy's Pod and log there, the overlay's MTU; with VXLAN on old "
                    "kernels turn the transmit checksum offload off"
                ),
                where=_starting.place_step(subject, snap),
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("flush iptables on the Node"),
                say("every Service and network policy of that node is gone until all agents rewrite them"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.service-unreachable-from-node",
    title=say("a Service is unreachable from the node itself"),
    subjects=("Pod",),
    stages=("devices-and-volumes-prepared", "sandbox-and-network"),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
