"""Pseudonyms of numbers, and of values written as one: counted, in the same length, so that readers of the
text still find one there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SHAPE = re.compile(
    r"(?:[a-z][a-z-]*://)?(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)
# As docker and containerd shorten a container's id.
_SHORT = 12


class Ids:
    """uids and ids of containers, which are random: an id from a fact's own field stays, wherever it
    occurs.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._begun: dict[str, set[str]] = {}

    @staticmethod
    def is_one(value: str) -> bool:
        """Tell whether a text has the form of these pseudonyms."""
        return _SHAPE.fullmatch(value) is not None

    def learn(self, values: Iterable[str]) -> None:
        """Learn ids; values that do not have the form of one are skipped."""
        for value in filter(self.is_one, values):
            bare = _strip_separators(value.rpartition("/")[2])
            self._known.add(bare)
            if len(bare) == 64:
                self._begun.setdefault(bare[:_SHORT], set()).add(bare)

    def __contains__(self, text: object) -> bool:
        if not isinstance(text, str):
            return False
        bare = _strip_separators(text)
        return bare in self._known or (
            len(bare) >= _SHORT and any(one.startswith(bare) for one in self._begun.get(bare[:_SHORT], ()))
        )


def _strip_separators(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")


class Numbers:
    """Each number has its own pseudonym. count: the number of replacements."""

    def __init__(self) -> None:
        self._decimal: dict[str, str] = {}
        self._hex: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many different ones were replaced."""
        return len(self._decimal) + len(self._hex)

    def decimal(self, digits: str) -> str:
        """Return digits alone, of any length."""
        if digits not in self._decimal:
            self._decimal[digits] = f"{len(self._decimal) + 1:0{len(digits)}}"
        return self._decimal[digits]

    def hex(self, text: str) -> str:
        """Return hex digits alone, of any length; a uid written without dashes has the pseudonym of the
        same with them.
        """
        small = text.lower()
        if small not in self._hex:
            self._hex[small] = f"{len(self._hex) + 1:0{len(small)}x}"
        return self._hex[small]

    def uuid(self, text: str) -> str:
        """Return the number with the original's dashes or underscores."""
        digits = iter(self.hex(_strip_separators(text)))
        return "".join(c if c in "-_" else next(digits) for c in text)
