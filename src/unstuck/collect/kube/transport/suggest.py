"""The nearest existing name."""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.facts.text import Messages, Text

say = Messages(__name__)


def nearest(name: str, names: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return up to `most` names that a person may have meant, the nearest first; of longer lists 5,000
    names are looked at.
    """
    from difflib import get_close_matches  # only when something is missing

    known = sorted(set(names))[:5000]
    holding = [n for n in known if len(name) >= 3 and (name in n or n in name)]
    close = get_close_matches(name, known, n=most, cutoff=0.6)
    return tuple(dict.fromkeys((*close, *sorted(holding, key=len))))[:most]


def suggest_names(name: str, names: Iterable[str]) -> Text | None:
    """Return a hint such as `nearest: app-config, app`; None if nothing is near."""
    found = ", ".join(nearest(name, names))
    return say("nearest: {found}", found=found) if found else None
