"""The number of examples for property tests with their own number. FEW: whether this is the inner loop."""

from __future__ import annotations

from hypothesis import settings

FEW = settings.default.max_examples < 100


def scale_examples(number: int) -> int:
    """Return this number in `make test`, a tenth of it (at least 15) in the inner loop. Evaluated at the test
    module's import.
    """
    return max(15, number // 10) if FEW else number
