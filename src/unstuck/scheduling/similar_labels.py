"""Existing labels similar to a missing one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Label = tuple[str, str]


def similar_labels(wanted: Label, existing: Iterable[Label], most: int = 3) -> list[tuple[Label, int]]:
    """Return the nearest existing labels, with how often each occurs in `existing`.

    The same key with another value, the same name behind another prefix, or the same value under a like key.
    """
    key, value = wanted

    def closeness(label: Label) -> int:
        same_name = label[0].rpartition("/")[2] == key.rpartition("/")[2]
        like = label[0].startswith(key) or key.startswith(label[0])
        return (
            3 * (same_name and label[1] == value)
            + 2 * (label[0] == key or (like and label[1] == value))
            + (same_name or label[1] == value)
        )

    close = [(label, n) for label, n in Counter(existing).items() if closeness(label) and len(label[1]) > 1]
    return sorted(close, key=lambda p: (-closeness(p[0]), -p[1], p[0]))[:most]
