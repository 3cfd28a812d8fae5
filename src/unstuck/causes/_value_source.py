"""The source of a value that a program's message is about."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Text
from unstuck.facts.core import Want
from unstuck.facts.record import Record, record


@record()
class ValueSource(Record):
    """The source of a value. says: a clause, which continues the one about the volume. change: the change to
    make there; empty if unknown. variables: those that it is about, if they were inferred from the words.
    """

    says: Text = NO_TEXT
    change: Text = NO_TEXT
    wants: tuple[Want, ...] = ()
    variables: tuple[str, ...] = ()


NOTHING_GIVEN = ValueSource()
