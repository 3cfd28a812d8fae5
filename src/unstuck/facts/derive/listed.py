"""The evidence of a text's lists about a name: its absence among the names of its kind, and similar names.

A pasted list is never whole (`grep`, an excerpt, one Namespace of many): it proves no absence, but supports a
message about a missing object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from unstuck.facts.aspects.objects import Names
from unstuck.facts.lookup import Facts

# The minimum similarity of two names, and the maximum number of suggestions.
_ALIKE, _SHOWN = 0.75, 2
# A shorter part occurs in too many names.
_LEAST = 4


def pick_nearest(name: str, existing: Iterable[str]) -> tuple[str, ...]:
    """Return the existing names that resemble this one, the nearest first, at most two."""
    return tuple(get_close_matches(name, sorted(set(existing) - {name}), _SHOWN, _ALIKE))


def pick_alike(name: str, existing: Iterable[str]) -> tuple[str, ...]:
    """Return the nearest names as `pick_nearest` does, then names that contain this one or are a part of it:
    a release's name is often added before a name, or left out.
    """
    there = sorted(set(existing) - {name})
    part = [one for one in there if _is_part(one, name) or _is_part(name, one)]
    return tuple(dict.fromkeys([*pick_nearest(name, there), *part]))[:_SHOWN]


def _is_part(one: str, other: str) -> bool:
    return len(one) >= _LEAST and (other.startswith(f"{one}-") or other.endswith(f"-{one}"))


def find_listed(kind: str, namespace: str | None, snap: Facts) -> tuple[str, ...]:
    """Return the names in the lists of this kind and Namespace; of all lists if the Namespace, or a list's,
    is unknown.
    """
    return list_names_of(find_lists(kind, namespace, snap))


def find_pasted(kind: str, namespace: str | None, snap: Facts) -> tuple[str, ...]:
    """Return the names of the same lists as far as they were pasted."""
    return list_names_of(f for f in find_lists(kind, namespace, snap) if not f.whole)


def find_lists(kind: str, namespace: str | None, snap: Facts) -> Iterator[Names]:
    """Yield the lists of a kind that may contain objects of this Namespace."""
    for lists in snap.subjects(f"{kind}List"):
        if namespace is None or lists.within is None or lists.within == namespace:
            yield from snap.of(Names, lists)


def list_names_of(lists: Iterable[Names]) -> tuple[str, ...]:
    """Return the names of several lists, once each."""
    return tuple(dict.fromkeys(name for f in lists for name in f.names))
