"""Signals for a node's daemons and shims, to suspend and resume them. No fault by itself."""

import os
import signal
from contextlib import suppress
from pathlib import Path

# The runtime faults have a separate node, so that no other fault waits for it.
NAME = "lab-1"


def read_state(pid: int | None) -> str:
    """Return the state letter of a host pid; "" if it does not exist."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def stop(pid: int | None) -> None:
    """Send SIGSTOP."""
    if pid is not None:
        os.kill(pid, signal.SIGSTOP)


def resume(pid: int | None) -> None:
    """Send SIGCONT; do nothing if the process is gone or not stopped."""
    if pid is not None:
        with suppress(OSError):
            os.kill(pid, signal.SIGCONT)


def find_shim(uid: str) -> int | None:
    """Return the host pid of the shim of a Pod's sandbox: the parent of its pause process."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if uid in (entry / "cgroup").read_text() and (entry / "comm").read_text().strip() == "pause":
                return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return None
