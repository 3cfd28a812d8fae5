"""A cloud object that a program needs does not exist

## How it happens

A volume, a subnet, a security group or a disk that an object of the cluster names was deleted in the cloud,
or is in another account or region; or the subnets lack the tags that the cloud integration looks for.

## How to tell

The cloud's or its integration's own words: `InvalidVolume.NotFound`, `could not find any suitable subnets`,
`googleapi: Error 404`.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen. The
cloud is not queried.

## References

- Amazon EC2 API reference, "Error codes"; cloud-provider-aws pkg/providers/v1/aws.go;
  aws-load-balancer-controller "Subnet auto-discovery"
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


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("cloud-object-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name, kind = one.complaint.name, one.complaint.resource
    if kind.startswith("subnet"):
        means = say(
            "the cloud integration finds no usable subnet: the tags are missing, or there is no subnet of "
            "the required kind"
        )
        look = Step(
            say("check the tags of the subnets (on AWS)"),
            command=command("aws ec2 describe-subnets --query Subnets[].[SubnetId,MapPublicIpOnLaunch,Tags]"),
        )
        step = Step(
            say(
                "add the tags kubernetes.io/cluster/NAME and kubernetes.io/role/elb or "
                "kubernetes.io/role/internal-elb to them"
            )
        )
        return make_finding(pod, one, means, (look, step))
    means = (
        say("the cloud does not have the requested {name}", name=f"{kind} {name}".strip())
        if name
        else say("the cloud does not have the requested {kind}", kind=kind or "object")
    )
    step = Step(
        say(
            "check whether it was deleted, or is in another region or account; then correct the references"
            " to it"
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.cloud-object-missing",
    title=say("a cloud object that a program needs does not exist"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
