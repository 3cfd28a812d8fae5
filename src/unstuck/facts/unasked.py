"""Questions that stay open because nobody could be asked: `Refused` whose origin is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unstuck.facts.core import Fact, Origin, Ref, Refused, Source

# The source as a person reads it. Snapshots that were saved before `Refused.origin` was a field are
# recognised by it.
_WHERE: Mapping[Origin, str] = MappingProxyType[Origin, str]({"nobody": "not asked", "scan": "scan"})


def make_unasked(fact: type[Fact], about: Ref, origin: Origin) -> Refused:
    """Return this question as open: there was no server or node to ask (`nobody`), or a scan does not ask it
    (`scan`).
    """
    return Refused(
        about=about, src=Source(_WHERE.get(origin, "")), want=fact.__name__, why="not-asked", origin=origin
    )


def add_origin(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a saved `Refused` with its origin, which older versions recorded in the source alone."""
    where = saved["src"].get("where") if isinstance(saved.get("src"), Mapping) else None
    found = next((origin for origin, words in _WHERE.items() if words == where), None)
    return saved if found is None or "origin" in saved else {**saved, "origin": found}
