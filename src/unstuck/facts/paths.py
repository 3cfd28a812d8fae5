"""Paths of a node, by their names alone."""

from __future__ import annotations

from collections.abc import Iterable


def is_at_or_below(path: str, top: str) -> bool:
    """Tell whether `path` is `top` or below it."""
    top = top.rstrip("/")
    return path == top or path.startswith(f"{top}/")


def find_deepest(path: str, tops: Iterable[str]) -> str | None:
    """Return the longest directory of `tops` at or above the path; None if there is none."""
    return max((top for top in tops if is_at_or_below(path, top)), key=len, default=None)
