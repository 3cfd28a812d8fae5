"""Helpers for tests of the real kernel: the required rights, and waiting."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.patience import stretch

MUST_RUN = os.environ.get("CI") == "true"
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 and not MUST_RUN, reason="needs root: file flags, mounts and other processes' links"
)
needs_fuse = pytest.mark.skipif(
    not (os.geteuid() == 0 and Path("/dev/fuse").exists()) and not MUST_RUN,
    reason="needs root and /dev/fuse: mounts a file system that hangs",
)


def wait_until(true: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + stretch(seconds)
    while not true():
        assert time.monotonic() < end, "did not come about in time"
        time.sleep(0.05)


def state(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""
