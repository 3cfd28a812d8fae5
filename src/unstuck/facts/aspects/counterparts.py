"""Fields that must match a field of another object, each with both sides as they were read."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class Counterpart(Record):
    """One comparison. relation: its row in `stages/counterparts.py`, which tells how the sides must match.

    of: the object with the field. field, value: the field, and what it has. kind: of the other side. to: the
    objects of the other side that were read, none if there are none. theirs, there: their field, and all
    values of it.
    """

    relation: str
    of: Ref
    field: str
    value: str
    kind: str
    to: tuple[Ref, ...]
    theirs: str
    there: tuple[str, ...]


@record(kw_only=True)
class Counterparts(Fact):
    """The fields of an object that must match other objects' fields, and those of other objects that must
    match its own; only those whose both sides were read in full.
    """

    items: tuple[Counterpart, ...]
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml"
