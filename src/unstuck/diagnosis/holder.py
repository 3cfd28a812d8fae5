"""The finalizers that keep a deleted object, and their owners."""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class Holder(Record):
    """One finalizer of an object that is being deleted. owner: the program that clears it, "" if unknown."""

    finalizer: str
    owner: str = ""
