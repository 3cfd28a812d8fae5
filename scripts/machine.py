"""Measures the slowness of this host: `python -m scripts.machine` prints the factor for the time limits of
`make test`.

It times a fixed piece of work, similar to a test run: starting interpreters and hashing, on two processors at
once. The reference is an idle host with two cores of 2024. The factor is at least 1; standard error shows the
measurements.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

# Seconds of wall time on the reference host.
REFERENCE = 2.2
STARTS = 40
HASHED = 400 * 2**20  # bytes, on each processor
MOST = 8.0


def main() -> int:
    """Print the factor, and return the exit status."""
    took = measure()
    factor = min(MOST, max(1.0, took / REFERENCE))
    print(f"{factor:.1f}")  # noqa: T201 - a script
    how = f"the known piece of work took {took:.1f} s, {REFERENCE} s on the reference host"
    print(f"machine: {how}; time limits are stretched {factor:.1f}-fold", file=sys.stderr)  # noqa: T201 - a script
    return 0


def measure() -> float:
    """Return the current wall time of the piece of work, in seconds."""
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_do_half, range(2)))
    return time.monotonic() - began


def _do_half(_: int) -> None:
    for _start in range(STARTS):
        subprocess.run([sys.executable, "-I", "-c", "import json, re, subprocess"], check=True)
    block = bytes(2**20)
    digest = hashlib.sha256()
    for _block in range(HASHED // len(block)):
        digest.update(block)


if __name__ == "__main__":
    sys.exit(main())
