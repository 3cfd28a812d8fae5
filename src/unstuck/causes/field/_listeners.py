"""The steps for a route of the Gateway API that no listener takes."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.reported_state import list_own_words

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


def is_in_question(route: Ref, snap: Facts) -> bool:
    """Tell whether a route's listeners are worth a look: it says that something is wrong, or nobody has
    written anything into its status.
    """
    unwritten = any(f.unwritten and f.whole for f in snap.of(Reported, route))
    return unwritten or bool(list_own_words(route, snap))
