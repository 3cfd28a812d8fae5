"""The evidence that a look at the Node adds to a program's message."""

from __future__ import annotations

from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.core import Fact, Want
from unstuck.facts.record import Record, record


@record()
class NodeWords(Record):
    """The Node's explanation of a line. says: clauses that follow the line, empty if it stays unexplained.
    help: the steps.

    seen: the facts behind it. wants: the open questions. decides: the line has no other meaning. replaces:
    the fix is on the Node, and neither in the program nor in its settings.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    seen: tuple[Fact, ...] = ()
    wants: tuple[Want, ...] = ()
    decides: bool = False
    replaces: bool = False


def join_words(*parts: NodeWords) -> NodeWords:
    """Return several explanations of one line as one, in their order; an empty one adds its questions."""
    says = NO_TEXT
    for part in parts:
        says += part.says
    return NodeWords(
        says,
        tuple(step for part in parts for step in part.help),
        tuple(fact for part in parts for fact in part.seen),
        unique(want for part in parts for want in part.wants),
        decides=any(part.decides for part in parts),
        replaces=any(part.replaces for part in parts),
    )
