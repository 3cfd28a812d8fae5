"""Time limits of tests, stretched by the factor that `make test` measured for this machine
(`scripts/machine.py`).
"""

from __future__ import annotations

import os


def read_factor() -> float:
    """How many times slower than the reference this machine was measured to be; 1 where nothing was
    measured.
    """
    return max(1.0, float(os.environ.get("UNSTUCK_PATIENCE") or 1))


def stretch(seconds: float) -> float:
    """A limit in seconds on the reference machine, as seconds on this one."""
    return seconds * read_factor()
