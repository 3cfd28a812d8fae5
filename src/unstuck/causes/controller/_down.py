"""A controller without a Ready Pod: the look at it is the same for whatever waits for it."""

from __future__ import annotations

from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.core import Ref

say = Messages(__name__)


def see_why_down(controller: Ref, verify: Text) -> Step:
    """Return the look at the workload of a controller. verify: a sign that it works again."""
    return Step(
        say("see why {controller} has no Ready Pod", controller=who(controller)),
        command=ask_why(controller),
        verify=verify,
    )
