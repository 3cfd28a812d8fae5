"""Durations in human notation: `90s`, `5m`, `1h30m`."""

from __future__ import annotations

from types import MappingProxyType

from unstuck.facts.regex import regex

_PART = regex(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_WHOLE = regex(rf"(?:{_PART.pattern})+")
_SECONDS = MappingProxyType({"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0})
# Ten years: safe for every clock and timer.
LONGEST = 3650 * 86400.0


def parse_duration(text: str) -> float | None:
    """Return seconds; None for an invalid duration, or one longer than LONGEST."""
    if not _WHOLE.fullmatch(text):
        return None
    seconds = sum(float(n) * _SECONDS[unit] for n, unit in _PART.findall(text))
    return seconds if seconds <= LONGEST else None
