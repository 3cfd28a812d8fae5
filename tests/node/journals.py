"""Makes real journals with systemd-journal-remote (Debian's package of that name) from systemd's export
format.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

REMOTE = "/lib/systemd/systemd-journal-remote"
MACHINE = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
_BOOT = "11111111222222223333333344444444"


def require_journals() -> None:
    """Skip the test, with the reason, if journals can be neither made nor read; CI must have both."""
    absent = [
        n
        for n, there in (
            ("systemd-journal-remote", Path(REMOTE).exists()),
            ("journalctl", shutil.which("journalctl")),
        )
        if not there
    ]
    if absent:
        message = f"no {' and no '.join(absent)} (Debian: apt-get install systemd-journal-remote)"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)


def make(file: Path, entries: Iterable[tuple[int, bytes, Mapping[str, str]]]) -> None:
    """Make a journal file. entries: (microseconds since 1970, MESSAGE, other fields), in order."""
    file.parent.mkdir(parents=True, exist_ok=True)
    exported = b"".join(_export(n, *entry) for n, entry in enumerate(entries))
    done = subprocess.run(
        [REMOTE, "-o", str(file), "-"], input=exported, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()


def _export(number: int, micro: int, message: bytes, fields: Mapping[str, str]) -> bytes:
    out = [
        f"__REALTIME_TIMESTAMP={micro}",
        f"__MONOTONIC_TIMESTAMP={1_000_000 + number}",
        f"_BOOT_ID={_BOOT}",
        f"_MACHINE_ID={MACHINE}",
    ]
    out += [f"{k}={v}" for k, v in fields.items()]
    return "\n".join(out).encode() + b"\nMESSAGE\n" + len(message).to_bytes(8, "little") + message + b"\n\n"
