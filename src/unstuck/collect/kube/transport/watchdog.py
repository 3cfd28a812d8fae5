"""Cuts requests at their deadlines. One thread watches them all: a thread for each request doubled its
cost.
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
import time
from collections.abc import Callable
from types import TracebackType


class Watchdog:
    """Calls `cut` if the block still runs at the deadline (`time.monotonic()`), from another thread. fired:
    whether it did.

    Once the block has ended it does nothing more. cut: must not block.
    """

    def __init__(self, cut: Callable[[], None], until: float) -> None:
        self._cut: Callable[[], None] | None = cut
        self._until = until
        self.fired = False

    def __enter__(self) -> Watchdog:
        _SCHEDULER.add(self._until, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _SCHEDULER.changed:
            self._cut = None

    def fire(self) -> None:
        """End the wait: the deadline has passed. Called with the lock held, so that no block ends
        meanwhile.
        """
        if self._cut is not None:
            self.fired = True
            self._cut()

    @property
    def over(self) -> bool:
        """Whether its block has ended."""
        return self._cut is None


class _Scheduler:
    """The thread that waits for the next deadline; it starts with the first."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.Lock())
        self._waiting: list[tuple[float, int, Watchdog]] = []
        self._count = itertools.count()
        self._wakes = math.inf
        self._thread: threading.Thread | None = None

    def add(self, until: float, watch: Watchdog) -> None:
        with self.changed:
            # The thread mostly sleeps: entries of finished blocks are dropped here.
            while self._waiting and self._waiting[0][2].over:
                heapq.heappop(self._waiting)
            heapq.heappush(self._waiting, (until, next(self._count), watch))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
            elif until < self._wakes:
                self.changed.notify()

    def _watch(self) -> None:
        with self.changed:
            while True:
                while self._waiting and (self._waiting[0][0] <= time.monotonic() or self._waiting[0][2].over):
                    heapq.heappop(self._waiting)[2].fire()
                self._wakes = self._waiting[0][0] if self._waiting else math.inf
                self.changed.wait(self._wakes - time.monotonic() if self._waiting else None)


_SCHEDULER = _Scheduler()
