"""How common each cause is: how many public reports were found to have it (docs/why/commonness.md)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COUNTS: Mapping[str, int] = MappingProxyType({})


def reports_of(cause: str) -> int:
    """Return in how many reports of the corpus this cause was found."""
    return COUNTS.get(cause, 0)
