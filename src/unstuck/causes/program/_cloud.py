"""Finds which cloud gave an answer, by its contents other than its reason."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.regex import regex

say = Messages(__name__)

_WHOSE = (
    ("googleapi: ", "Google Cloud"),
    ("ServerFaultCode: ", "vSphere"),
    ("azure", "Azure"),
    ("Azure", "Azure"),
    ("Microsoft.", "Azure"),
    ("arn:aws", "AWS"),
    ("UnauthorizedOperation", "AWS"),
    ("operation error ", "AWS"),
    ("An error occurred (", "AWS"),
    ("request id: ", "AWS"),
    ("aws-error-code=", "AWS"),
    ("Policy doesn't allow", "OpenStack"),
)


def name_cloud(line: str) -> str | Text:
    """Return the name of the cloud whose answer is in a line."""
    return next((name for word, name in _WHOSE if word in line), say("the cloud"))


# EC2 gives each id the prefix of its kind (user guide, "Resource IDs").
_ID = regex(r"(?<![\w-])(?P<kind>sg|subnet|vpc|vol|i|eni|ami|lt|rtb|snap)-(?P<hash>[0-9a-f]{8,17})(?![\w-])")
_SHOWN = {
    "sg": ("describe-security-groups", "--group-ids"),
    "subnet": ("describe-subnets", "--subnet-ids"),
    "vpc": ("describe-vpcs", "--vpc-ids"),
    "vol": ("describe-volumes", "--volume-ids"),
    "i": ("describe-instances", "--instance-ids"),
    "eni": ("describe-network-interfaces", "--network-interface-ids"),
    "ami": ("describe-images", "--image-ids"),
    "lt": ("describe-launch-templates", "--launch-template-ids"),
    "rtb": ("describe-route-tables", "--route-table-ids"),
    "snap": ("describe-snapshots", "--snapshot-ids"),
}
_MOST = 3


def look_at_ids(said: str) -> tuple[Step, ...]:
    """Return the steps that show what EC2 has under the ids in its answer."""
    ids = list(dict.fromkeys((found["kind"], found[0]) for found in _ID.finditer(said)))[:_MOST]
    return tuple(
        Step(
            say("see what EC2 has under {id}: its VPC, its state and its tags", id=named),
            command=command(f"aws ec2 {_SHOWN[kind][0]} {_SHOWN[kind][1]} {{id}}", id=given.host(named)),
        )
        for kind, named in ids
    )
