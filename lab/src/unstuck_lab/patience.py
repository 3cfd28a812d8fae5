"""Time limits adapted to the host.

A limit is written for an idle host like the reference (two cores). It is stretched twice: by
`UNSTUCK_PATIENCE`, a factor measured once by `make test`, and while waiting by the kernel's count of stalled
time (Linux, Documentation/accounting/psi.rst): a second in which processes queued for a processor or for the
disk counts a third.
"""

import os
import time
from pathlib import Path

VARIABLE = "UNSTUCK_PATIENCE"
_PRESSURE = (Path("/proc/pressure/cpu"), Path("/proc/pressure/io"))
_SHARE_OF_A_STALL = 1 / 3


def read_factor() -> float:
    """Return the measured slowdown of this host against the reference; 1 if not measured."""
    return max(1.0, float(os.environ.get(VARIABLE) or 1))


def stretch(seconds: float) -> float:
    """Convert a limit in seconds on the reference host to seconds on this one."""
    return seconds * read_factor()


class Stopwatch:
    """Time since its creation, in seconds: `wall` by the clock, `counted` without the time in which the host
    was overloaded.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._stalled = _read_stalls()

    @property
    def wall(self) -> float:
        """Seconds by the monotonic clock."""
        return time.monotonic() - self._began

    @property
    def stalled(self) -> float:
        """Seconds with a process queued for a processor or for the disk, whichever is larger; 0 on a kernel
        without PSI.
        """
        return min(
            self.wall,
            max((now - then for now, then in zip(_read_stalls(), self._stalled, strict=True)), default=0.0),
        )

    @property
    def counted(self) -> float:
        """Seconds that count against a limit."""
        return self.wall - self.stalled * (1 - _SHARE_OF_A_STALL)

    def __str__(self) -> str:
        """Return the elapsed time, and the slowness of the host meanwhile."""
        slow = (
            f", {read_factor():.1f} times slower than the reference when measured"
            if read_factor() > 1
            else ""
        )
        return f"{self.wall:.0f} s (the host was overloaded for {self.stalled:.0f} s of them{slow})"


def _read_stalls() -> tuple[float, ...]:
    """Return the seconds of stall since boot, by kind of pressure."""
    found = []
    for file in _PRESSURE:
        try:
            some = file.read_text().splitlines()[0]
        except (OSError, IndexError):
            found.append(0.0)
            continue
        found.append(int(some.rpartition("total=")[2]) / 1e6)
    return tuple(found)
