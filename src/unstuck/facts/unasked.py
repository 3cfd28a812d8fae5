"""Questions left open without a source to ask: `Refused` facts with an origin other than an answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unstuck.facts.core import Fact, Origin, Ref, Refused, Source

# The source in readable form, which also identifies Snapshots saved before the field `Refused.origin`
# existed.
_WHERE: Mapping[Origin, str] = MappingProxyType[Origin, str]({"nobody": "not asked", "scan": "scan"})


def make_unasked(fact: type[Fact], about: Ref, origin: Origin) -> Refused:
    """Return the `Refused` of an unasked question: without a server or node (`nobody`), or skipped by a scan
    (`scan`).
    """
    return Refused(
        about=about, src=Source(_WHERE.get(origin, "")), want=fact.__name__, why="not-asked", origin=origin
    )


def add_origin(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a saved `Refused` with its origin, which older versions recorded only in the source."""
    where = saved["src"].get("where") if isinstance(saved.get("src"), Mapping) else None
    found = next((origin for origin, words in _WHERE.items() if words == where), None)
    return saved if found is None or "origin" in saved else {**saved, "origin": found}
