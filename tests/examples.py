"""How many examples a property test that wants its own number tries. FEW: this is the inner loop."""

from __future__ import annotations

from hypothesis import settings

FEW = settings.default.max_examples < 100


def scale_examples(number: int) -> int:
    """This number in `make test`, a tenth of it (at least 15) in the inner loop. Read when the test module
    is imported.
    """
    return max(15, number // 10) if FEW else number
