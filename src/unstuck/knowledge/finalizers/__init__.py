"""Well-known finalizers: the program that clears each, its purpose, and the loss from removing it by hand.

One row per finalizer, with the source of its meaning. Nothing is reported beyond the rows: an unlisted
finalizer is simply unknown.
"""

from __future__ import annotations

from functools import lru_cache

from unstuck.knowledge.finalizers import cloud, core, delivery, operators, storage
from unstuck.knowledge.finalizers.row import KUBERNETES, KnownFinalizer

__all__ = ["KNOWN", "KUBERNETES", "KnownFinalizer", "find_known"]

KNOWN: tuple[KnownFinalizer, ...] = (*core.ROWS, *storage.ROWS, *cloud.ROWS, *delivery.ROWS, *operators.ROWS)


@lru_cache(256)
def find_known(name: str) -> KnownFinalizer | None:
    """Return the row about this finalizer, None if there is none."""
    return next((k for k in KNOWN if k.fits(name)), None)
