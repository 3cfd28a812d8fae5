"""What one look at the Node adds to a line of a program."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.core import Fact, Want
from unstuck.facts.record import Record, record


@record()
class NodeWords(Record):
    """What the Node says of a line. says: as clauses that follow the line, empty where nothing explains it.
    help: what is to be done.

    seen: the facts behind it. wants: what is to be asked. decides: it leaves no other meaning of the line.
    replaces: it is to be changed on the Node, and neither the program nor its settings.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    seen: tuple[Fact, ...] = ()
    wants: tuple[Want, ...] = ()
    decides: bool = False
    replaces: bool = False
