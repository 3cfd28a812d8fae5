"""A cloud limit or quota is exhausted

## How it happens

A quota of the account is used up (instances, cores, addresses, volumes, load balancers), a subnet has no free
address or no free block left, or the zone has no machine of this kind now.

## How to tell

The cloud's own code is in a log, an Event or an answer: `VcpuLimitExceeded`, `InsufficientInstanceCapacity`,
`InsufficientFreeAddressesInSubnet`, `QuotaExceeded`, `ZONE_RESOURCE_POOL_EXHAUSTED` and others of their kind.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. How
much is left is not looked up.

## References

- Amazon EC2 API reference, "Error codes"; Azure "Resolve errors for resource quotas"; Google Cloud
  "Allocation quotas"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_OF_SUBNETS = (
    "InsufficientFreeAddressesInSubnet",
    "InsufficientCidrBlocks",
    "SubnetIsFull",
    "IP_SPACE_EXHAUSTED",
)
_OF_BLOCKS = ("InsufficientCidrBlocks",)
_OF_ZONES = ("apacity", "AllocationFailed", "SkuNotAvailable", "ZONE_RESOURCE_POOL_EXHAUSTED")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("cloud-limit",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    code = one.complaint.name
    if code in _OF_SUBNETS:
        return _make_subnet_finding(pod, one, code)
    if any(word in code for word in _OF_ZONES):
        means = say("the cloud has no machine of this kind left in this zone now ({code})", code=code)
        step = Step(
            say("allow other machine types and zones, or wait: the provider itself lacks this capacity")
        )
        return make_finding(pod, one, means, (step,))
    means = (
        say(
            "a limit of the cloud account is reached: {code} ({numbers})",
            code=code,
            numbers=one.complaint.reason,
        )
        if one.complaint.reason
        else say("a limit of the cloud account is reached: {code}", code=code)
    )
    step = Step(say("have the provider raise the limit, or delete what is no longer used"))
    return make_finding(pod, one, means, (step,))


def _make_subnet_finding(pod: Ref, one: ProgramMessage, code: str) -> Finding:
    means = (
        say("the subnet has no free block of addresses left: it is full, or fragmented ({code})", code=code)
        if code in _OF_BLOCKS
        else say("the subnet has no free address left ({code})", code=code)
    )
    look = Step(
        say("see how many addresses each subnet has left, and its reservations (on AWS)"),
        command=command(
            "aws ec2 describe-subnets --query Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]"
        ),
    )
    step = Step(say("free addresses, reserve a range for blocks, or give the Nodes a further, larger subnet"))
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.cloud-limit-reached",
    title=say("a cloud limit or quota is exhausted"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
