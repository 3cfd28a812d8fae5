"""A short text as rows, and the errors that it reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.beside import Relation

# This much of a report is searched for at its place.
_COMPARED = 80


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One line with words. n: its index in its piece."""

    text: str
    piece: Piece
    n: int

    @property
    def typed(self) -> str:
        """The command that printed the line, "" if none is shown."""
        return self.piece.command.text if self.piece.command else ""


@dataclass(frozen=True, slots=True)
class TextReport:
    """A reported error. error: its word. at: its place. by: the program that reports it. number: the line of
    a file.
    """

    error: str
    line: str
    at: str
    by: str = ""
    name: str = ""
    port: int = 0
    path: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class FoundReason:
    """The deciding line of one report; the fields are those of `ShownReason`."""

    relation: Relation
    row: ShownRow
    name: str = ""
    value: str = ""
    other: str = ""


@dataclass(frozen=True)
class ShownText:
    """All lines with words of a text, in order."""

    rows: Sequence[ShownRow]

    @cached_property
    def _masked(self) -> list[str]:
        """The rows' texts without secrets, as reports have them."""
        return [mask(row.text) for row in self.rows]

    def find(self, line: str) -> ShownRow | None:
        """Return the row of a report's words."""
        words = line.strip().removeprefix("…")[:_COMPARED]
        return next((row for row, text in zip(self.rows, self._masked, strict=True) if words in text), None)

    def place(self, at: str) -> int | None:
        """Return the index of the row at a place."""
        return next((i for i, row in enumerate(self.rows) if row.piece.src(row.n).where == at), None)
