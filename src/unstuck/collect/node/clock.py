"""Reads whether the node's clock can be trusted: its synchronization state, the service that steers it, and
the battery clock.

Sources: adjtimex(2) (read only: modes 0), rtc(4), systemd-timesyncd.service(8), chrony.conf(5) `driftfile`,
hwclock(8) `/etc/adjtime`.
"""

from __future__ import annotations

import ctypes
from datetime import UTC, datetime

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_limits import Clock
from unstuck.facts.core import Source

_UNSYNCHRONIZED = 0x0040
_SERVICES = ("chronyd", "ntpd", "systemd-timesyn", "openntpd", "ntpsec", "phc2sys", "VBoxService")
# Files that a time service touches whenever it is synchronized.
_STAMPS = (
    "/run/systemd/timesync/synchronized",
    "/var/lib/systemd/timesync/clock",
    "/var/lib/chrony/drift",
    "/var/lib/chrony/chrony.drift",
)
_MOST = 1e6


class _Timex(ctypes.Structure):
    """`struct timex` of 64-bit Linux."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def clock(view: NodeView) -> Clock:
    """Return the node's Clock; a recorded tree shows only the service that steered it."""
    synchronized, error = _ask_kernel() if view.root.live else (None, None)
    service = next(
        (p.stat.comm for p in view.table.user if p.stat.comm in _SERVICES and p.groups.pod is None), ""
    )
    ahead = _read_lead(view) if view.root.live else None
    words = [
        f"synchronized {'unknown' if synchronized is None else 'yes' if synchronized else 'no'}",
        f"by {service or 'nobody seen'}",
    ]
    words += [f"{ahead:+.0f} s from the battery clock"] if ahead is not None else []
    return Clock(
        about=view.ref,
        src=Source(
            f"{view.name} adjtimex" if view.root.live else f"{view.name} /proc/*/comm", ", ".join(words)
        ),
        whole=synchronized is not None and view.sees_node,
        synchronized=synchronized,
        max_error=error,
        service={"systemd-timesyn": "systemd-timesyncd"}.get(service, service),
        told=_read_stamp(view),
        ahead_of_rtc=ahead,
    )


def _ask_kernel() -> tuple[bool | None, float | None]:
    """Return (whether synchronized, seconds of error at most); None if asking is not permitted."""
    timex = _Timex()
    try:
        answer = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None, None
    if answer < 0 or ctypes.sizeof(ctypes.c_long) != 8:
        return None, None
    return not timex.status & _UNSYNCHRONIZED, timex.maxerror / 1e6


def _read_stamp(view: NodeView) -> datetime | None:
    times = [s.st_mtime for p in _STAMPS if view.may_touch(p) and (s := view.root.stat(p))]
    try:
        return datetime.fromtimestamp(int(max(times)), UTC) if times else None
    except (ValueError, OverflowError, OSError):
        return None


def _read_lead(view: NodeView) -> float | None:
    """Return the seconds by which the clock is ahead of the hardware clock; None if there is none, or if it
    keeps local time.
    """
    if (view.root.text("/etc/adjtime", 4096) or "").split("\n")[2:3] == ["LOCAL"]:
        return None
    text = (view.root.text("/sys/class/rtc/rtc0/since_epoch", 64) or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        return None
    ahead = datetime.now(UTC).timestamp() - int(text)
    # It counts whole seconds. One whose battery failed is useless.
    return round(ahead, 1) if abs(ahead) < _MOST else None
