"""The commit to which a script's results belong."""

from __future__ import annotations

import subprocess
from pathlib import Path

_TOP = Path(__file__).parents[1]


def read_head_commit() -> str:
    """Return the full hash of the checked-out commit. Errors: `CalledProcessError` if there is no
    repository.
    """
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=_TOP, capture_output=True, text=True, check=True)
    return done.stdout.strip()
