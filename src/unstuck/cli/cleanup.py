"""Cleans up in the cluster before a signal ends the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# The longest wait after Ctrl-C.
SECONDS = 6.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def cleanup_on_signal(cleanup: Callable[[], None]) -> Iterator[None]:
    """Call `cleanup` first (for a few seconds) when Ctrl-C, SIGTERM or SIGHUP ends the block, then end the
    process as before.

    Ignored signals (nohup) stay ignored. Outside the main thread, which alone gets signals, this does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.getsignal(s) for s in _SIGNALS if signal.getsignal(s) is not signal.SIG_IGN}

    def leave(signum: int, frame: FrameType | None) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        # Cleanup runs in a separate thread: the interrupted one may hold any lock.
        work = threading.Thread(target=cleanup, daemon=True)
        work.start()
        work.join(SECONDS)
        handler = before[signal.Signals(signum)]
        if callable(handler):
            handler(signum, frame)
        signal.signal(signum, signal.SIG_DFL)
        os.kill(os.getpid(), signum)

    for number in before:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
