"""A label that a Node gets from its creator: the way to such a Node is its creator, and not a label set by
hand.
"""

from __future__ import annotations

from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.knowledge.node_labels import Maker

say = Messages(__name__)


def say_maker(maker: Maker) -> Text:
    """Return the clause with the setter of the label."""
    return say("; {maker} gives Nodes that label when it makes them", maker=maker)


def see_maker(maker: Maker, value: str) -> Step:
    """Return the look at the creator of the Nodes with such a label: to label others by hand makes them no
    such Nodes.
    """
    if maker == "Karpenter":
        return Step(
            say(
                "see why Karpenter makes none: the limits and conditions of its NodePools, and its events "
                "about this Pod"
            ),
            command=command("kubectl describe nodepools.karpenter.sh"),
            verify=say("a Node of that label joins, and the Pod is scheduled"),
        )
    return Step(
        say(
            (
                "see why {maker} makes no Node with {value}: the size and limits of its node group or pool, "
                "and its quota"
            ),
            maker=maker,
            value=value,
        ),
        verify=say("a Node of that label joins, and the Pod is scheduled"),
    )
