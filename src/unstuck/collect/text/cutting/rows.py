"""Lines that belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def behind(lines: Sequence[str], start: int, belongs: Callable[[str], object]) -> int:
    """Tell where the lines end that belong together from `start` on; `start` itself where not even the first does."""
    end = start
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end
