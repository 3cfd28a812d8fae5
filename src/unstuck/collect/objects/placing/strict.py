"""Parts of an object whose fields must have their type: others are named, so that a given value never
reads as "not given".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.objects import doc
from unstuck.facts.aspects.placing_terms import Pairs, UnreadableField

_LONGEST = 80


def section(obj: doc.Doc, key: str, unread: list[UnreadableField]) -> StrictPart:
    """Return `metadata`, `spec` or `status` of an object, an empty one if it has none."""
    return StrictPart(obj, "", unread).part(key) or StrictPart(doc.EMPTY, key, unread)


class StrictPart:
    """One mapping in an object. path: its place (`spec.tolerations[0]`). unread: collects the values of a
    wrong type.
    """

    __slots__ = ("path", "row", "unread")

    def __init__(self, row: doc.Doc, path: str, unread: list[UnreadableField]) -> None:
        self.row, self.path, self.unread = row, path, unread

    def text(self, key: str) -> str:
        """Return the string in this field, "" if none is given."""
        value = self.row.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self._not(key, value, "is no string")
        return ""

    def number(self, key: str) -> int | None:
        """Return the integer in this field, None if none is given."""
        value = self.row.get(key)
        if value is None:
            return None
        found = doc.whole_number(self.row, key)
        if found is None:
            self._not(key, value, "is no integer")
        return found

    def flag(self, key: str) -> bool:
        """Tell whether this field is true."""
        value = self.row.get(key)
        if value is not None and not isinstance(value, bool):
            self._not(key, value, "is neither true nor false")
        return value is True

    def strings(self, key: str) -> tuple[str, ...]:
        """Return the list of strings in this field."""
        value = self.row.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            self._not(key, value, "is no list of strings")
        return doc.strings(self.row, key)

    def pairs(self, key: str) -> Pairs:
        """Return the mapping of strings to strings in this field, sorted. A number becomes its text, as
        written.
        """
        value = self.row.get(key)
        if value is None:
            return ()
        found = doc.pairs(self.row, key)
        if not isinstance(value, Mapping) or len(found) != len(value):
            self._not(key, value, "is no mapping of strings")
        return found

    def part(self, key: str) -> StrictPart | None:
        """Return the mapping in this field, None if none is given."""
        value = self.row.get(key)
        if isinstance(value, Mapping):
            return StrictPart(value, self._path(key), self.unread)
        if value is not None:
            self._not(key, value, "is no mapping")
        return None

    def parts(self, key: str) -> Iterator[StrictPart]:
        """Yield the mappings of the list in this field."""
        value = self.row.get(key)
        if value is None:
            return
        if not isinstance(value, list):
            self._not(key, value, "is no list")
            return
        for i, row in enumerate(value):
            if isinstance(row, Mapping):
                yield StrictPart(row, self._path(f"{key}[{i}]"), self.unread)
            else:
                self._not(f"{key}[{i}]", row, "is no mapping")

    def _not(self, key: str, value: object, why: str) -> None:
        self.unread.append(UnreadableField(self._path(key), repr(value)[:_LONGEST], why))

    def _path(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key
