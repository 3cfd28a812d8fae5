"""The name in the kubelet's message about a claimed device: the driver, or the claim alone."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref

say = Messages(__name__)


def name_driver(failure: Failure) -> str:
    """Return the driver's name, "" if it is not named."""
    return failure.object.name or "" if failure.object and failure.object.kind == "DRADriver" else ""


def find_claim(pod: Ref, failure: Failure) -> Ref | None:
    """Return the claim that is named; None if none is."""
    name = failure.object.name if failure.object and failure.object.kind == "ResourceClaim" else None
    return Ref("ResourceClaim", pod.within, name) if name and pod.within else None


def look_for_driver(pod: Ref, failure: Failure) -> tuple[Step, ...]:
    """Return the step that finds the driver if only the claim is named."""
    claim = find_claim(pod, failure)
    if claim is None or claim.name is None or claim.within is None:
        return ()
    return (
        Step(
            say("see whose devices ResourceClaim {claim} has", claim=claim.name),
            command=command(
                "kubectl get {claim} {space} -o 'jsonpath={.status.allocation.devices.results[*].driver}'",
                claim=given.of(claim),
                space=given.space(claim),
            ),
        ),
    )
