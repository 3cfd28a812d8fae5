"""The evidence that a look at the Node adds to a program's message."""

from __future__ import annotations

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
