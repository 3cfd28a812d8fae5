"""The container's log: one line for each event; the same trouble is not logged twice in a row."""

from __future__ import annotations

import sys


def say(words: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(f"unstuck-agent: {words}\n")
    sys.stderr.flush()


class TroubleLog:
    """Logs a lasting trouble once, and again only after another trouble or a recovery."""

    def __init__(self) -> None:
        self._last_words = ""

    def tell(self, words: str) -> None:
        """Write the line unless it repeats the last one."""
        if words != self._last_words:
            self._last_words = words
            say(words)

    def clear(self) -> None:
        """Forget the last line: the trouble is over."""
        self._last_words = ""
