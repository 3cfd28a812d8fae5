"""The holder of a value that only one object may have: a port of every node, an address, an entry of a
list.
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

# pkg/registry/core/service/portallocator, ipallocator (ErrAllocated); apimachinery pkg/util/validation/field
# (Duplicate).
_HELD = regex(r"already (?:allocated|in use|acquired)")
_TWICE = regex(r"^Duplicate value: (?P<value>.{1,120})")
_VALUE = regex(r"^(?:Invalid|Duplicate) value: [\[\"]*(?P<value>\w[\w.:-]{0,58}\w)")
_INDEX = regex(r"\[(?P<n>\d{1,4})\]")
PORTS_OF_SERVICES = command(
    "kubectl get services -A -o "
    "'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODEPORTS:.spec.ports[*].nodePort,HEALTH:.spec.healthCheckNodePort'"
)


@record()
class HeldValue(Record):
    """The advice about a held value. says: the whole sentence. steps: the look first."""

    says: Text
    steps: tuple[Step, ...]


def explain_held_value(said: Complaint, who: Text) -> HeldValue | None:
    """Explain the refusal of a value that another object holds; None if no object holds it."""
    found = _VALUE.match(said.reason)
    value = found["value"] if found else ""
    if twice := _TWICE.match(said.reason):
        means = say(
            "{who} contains a value twice that must be unique: {path} ({value})",
            who=who,
            path=said.path,
            value=twice["value"],
        )
        return HeldValue(
            means, (mend(say("remove one of the two: the chart and its values may each add one")),)
        )
    if not _HELD.search(said.reason) or not said.path:
        return None
    if "odePort" in said.path:
        index = _INDEX.search(said.path)
        means = say(
            "node port {value} is already allocated: {who} requests it in {path}, and another port has it",
            value=value,
            who=who,
            path=said.path,
        )
        if index and int(index["n"]) > 0:
            means += say(", of another Service or of this one itself")
        look = Step(
            say("see which Service has it, the ports of this one in the manifest too"),
            command=PORTS_OF_SERVICES,
        )
        step = mend(
            say(
                "request another nodePort, or none so that the server chooses one; or remove it from the "
                "Service that has it"
            )
        )
        return HeldValue(means, (look, step))
    if "IP" in said.path:
        means = say(
            "address {value} is already allocated: {who} requests it in {path}, and another Service has it",
            value=value,
            who=who,
            path=said.path,
        )
        look = Step(say("see which Service has it"), command=command("kubectl get services -A -o wide"))
        step = mend(
            say(
                "request another address, or none so that the server chooses one; or delete the Service "
                "that has it"
            )
        )
        return HeldValue(means, (look, step))
    return None
