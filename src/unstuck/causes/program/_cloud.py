"""Finds which cloud gave an answer, by its contents other than its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, Words, command
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
# The command that shows each.
_SHOWN: Mapping[str, Callable[[Words], Command]] = {
    "sg": lambda id_: command("aws ec2 describe-security-groups --group-ids {id}", id=id_),
    "subnet": lambda id_: command("aws ec2 describe-subnets --subnet-ids {id}", id=id_),
    "vpc": lambda id_: command("aws ec2 describe-vpcs --vpc-ids {id}", id=id_),
    "vol": lambda id_: command("aws ec2 describe-volumes --volume-ids {id}", id=id_),
    "i": lambda id_: command("aws ec2 describe-instances --instance-ids {id}", id=id_),
    "eni": lambda id_: command("aws ec2 describe-network-interfaces --network-interface-ids {id}", id=id_),
    "ami": lambda id_: command("aws ec2 describe-images --image-ids {id}", id=id_),
    "lt": lambda id_: command("aws ec2 describe-launch-templates --launch-template-ids {id}", id=id_),
    "rtb": lambda id_: command("aws ec2 describe-route-tables --route-table-ids {id}", id=id_),
    "snap": lambda id_: command("aws ec2 describe-snapshots --snapshot-ids {id}", id=id_),
}
_MOST = 3


def look_at_ids(said: str) -> tuple[Step, ...]:
    """Return the steps that show the EC2 objects with the ids in its answer."""
    ids = list(dict.fromkeys((found["kind"], found[0]) for found in _ID.finditer(said)))[:_MOST]
    return tuple(
        Step(
            say("see what EC2 has under {id}: its VPC, its state and its tags", id=named),
            command=_SHOWN[kind](given.host(named)),
        )
        for kind, named in ids
    )
