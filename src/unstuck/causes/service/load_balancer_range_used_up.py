"""A load balancer's range has no address left

## How it happens

Outside of a cloud MetalLB gives Services of type LoadBalancer addresses from pools. All are given, the pool
is missing, or it takes only some Namespaces or Services: the Service stays without an external address.

## How to tell

`Failed to allocate IP for "…": no available IPs`, `address pool "…" is exhausted`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which Services hold the addresses is not
seen.

## References

- MetalLB controller/service.go, internal/allocator/allocator.go; documentation: Advanced IPAddressPool
  configuration
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "addresses-used-up", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say("MetalLB has no address for Service {service}: {reason}", service=c.name, reason=c.reason)
    look = Step(
        say("compare the pools, and their selectors, with the Services that have an address"),
        command=command("kubectl get ipaddresspools.metallb.io,services -A -o wide"),
    )
    step = Step(
        say(
            "give the pool more addresses, delete Services that are not needed, or let two Services share "
            "one (metallb.io/allow-shared-ip)"
        ),
        where="source",
        verify=say("the Service has an external address"),
    )
    return make_finding(text, one, means, (look, step))


CAUSE = Cause(
    id="service.load-balancer-range-used-up",
    title=say("a load balancer's range has no address left"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
