"""The steps for a route of the Gateway API that no listener takes."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.core import Ref

say = Messages(__name__)


def make_listener_steps(change: Text, gateway: Ref) -> tuple[Step, ...]:
    """Return the change after which a Gateway takes the route, and the look at its listeners."""
    return (
        Step(change, where="source", verify=say("the route is accepted by its controller within seconds")),
        Step(
            say("see its listeners"),
            command=command(
                "kubectl get {gateway} {space} -o yaml", gateway=given.of(gateway), space=given.space(gateway)
            ),
        ),
    )
