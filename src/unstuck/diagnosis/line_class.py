"""A class of lines, with the look that fits it, and the search in a table of classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from unstuck.diagnosis.looking import NamedLook
from unstuck.diagnosis.objects_named import LONGEST
from unstuck.facts.record import Record, record

Look = Callable[[re.Match[str], str], NamedLook]


@record()
class LineClass(Record):
    """A class of lines. said: its pattern. look: the look that fits, from the match and the whole paste.

    frame: whether the words name the program at work, not its failure.
    """

    id: str
    said: re.Pattern[str]
    look: Look
    frame: bool = False


def list_looks(table: tuple[LineClass, ...], line: str, around: str) -> Iterator[NamedLook]:
    """Yield the look of each row that matches a line and has a command. around: the whole paste, for names
    that the line lacks.
    """
    for one in table:
        if (found := one.said.search(line[:LONGEST])) and (look := one.look(found, around)).command:
            yield look
