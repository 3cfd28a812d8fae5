"""The container's log: one line for each thing that happened, and none twice while nothing else has."""

from __future__ import annotations

import sys


def say(words: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(f"unstuck-agent: {words}\n")
    sys.stderr.flush()


class TroubleLog:
    """What is wrong for a while: told once, and again only after something else was wrong or all was well."""

    def __init__(self) -> None:
        self._said = ""

    def tell(self, words: str) -> None:
        """Write the line unless it was the last one told."""
        if words != self._said:
            self._said = words
            say(words)

    def over(self) -> None:
        """Forget what was told: all is well again."""
        self._said = ""
