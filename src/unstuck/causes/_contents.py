"""Describe the remaining content of a Namespace: by kind and name, with counts."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.aspects.cluster import Content
from unstuck.facts.core import Ref

say = Messages(__name__)

_NAMED = 3


def name_left(items: Sequence[Content]) -> Text:
    """Return `secret/a, secret/b and 4 more`; empty if no object of these is known by name."""
    refs = list_left(items)[:_NAMED]
    count = max(sum(i.count for i in items), len(refs))
    if not refs:
        return NO_TEXT
    names = list_names(f"{ref.kind.lower()}/{ref.name}" for ref in refs)
    return names + say(" and {count} more", count=count - len(refs)) if count > len(refs) else names


def list_left(items: Sequence[Content]) -> tuple[Ref, ...]:
    """Return the objects that are known by name, as they were listed."""
    return tuple(ref for i in items for ref in dict.fromkeys((*(r for r, _ in i.held), *i.first)) if ref.name)


def count_left(item: Content) -> Text:
    """Return `3 of secrets: a, b, c` of one type."""
    names = [ref.name or "" for ref in list_left((item,))[:_NAMED]]
    if not names:
        return say("{count} of {resource}", count=item.count, resource=item.resource)
    return say(
        "{count} of {resource}: {names}", count=item.count, resource=item.resource, names=list_names(names)
    )
