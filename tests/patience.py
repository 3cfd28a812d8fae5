"""Time limits of tests, stretched by the factor that `make test` measured for this machine
(`scripts/machine.py`).
"""

from __future__ import annotations

import os


def read_factor() -> float:
    """Return this machine's measured slowdown against the reference; 1 if not measured."""
    return max(1.0, float(os.environ.get("UNSTUCK_PATIENCE") or 1))


def stretch(seconds: float) -> float:
    """Convert a limit in seconds on the reference machine to seconds on this one."""
    return seconds * read_factor()
