"""Keeps the last of several phases that one text gives for an object: the commands of a paste were run one
after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Fact


def keep_last_phases(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without the phases that a later line of the text replaces. facts: of one text, in
    its order.
    """
    last = {f.about: f for f in facts if _is_of_a_row(f)}
    return [f for f in facts if not _is_of_a_row(f) or last[f.about] == f]


def _is_of_a_row(fact: Fact) -> bool:
    return isinstance(fact, Phase) and not fact.whole and fact.about.name is not None
