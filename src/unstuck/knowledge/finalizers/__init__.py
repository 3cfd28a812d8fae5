"""Well-known finalizers: who clears them, what they protect, and what is lost where one is taken off by hand.

One row a finalizer; every row names where its meaning can be looked up. Only what a row says is told: a finalizer that is not
here is simply not known.
"""

from __future__ import annotations

from unstuck.knowledge.finalizers import cloud, core, delivery, operators, storage
from unstuck.knowledge.finalizers.row import KUBERNETES, KnownFinalizer

__all__ = ["KNOWN", "KUBERNETES", "KnownFinalizer", "find_known"]

KNOWN: tuple[KnownFinalizer, ...] = (*core.ROWS, *storage.ROWS, *cloud.ROWS, *delivery.ROWS, *operators.ROWS)


def find_known(name: str) -> KnownFinalizer | None:
    """Return the row about this finalizer, None if there is none."""
    return next((k for k in KNOWN if k.fits(name)), None)
