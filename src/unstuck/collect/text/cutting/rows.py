"""Lines that belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def find_end_of_run(lines: Sequence[str], start: int, belongs: Callable[[str], object]) -> int:
    """Return the index after the lines from `start` on that belong together; `start` itself if the first
    does not.
    """
    end = start
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return end
