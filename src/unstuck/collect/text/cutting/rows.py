"""Lines that belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def behind(lines: Sequence[str], start: int, belongs: Callable[[str], object]) -> int:
    """Return where the lines that belong together from `start` on end; `start` itself where not even the first does."""
    end = start
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end
