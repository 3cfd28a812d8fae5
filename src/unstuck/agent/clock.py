"""The API server's clock: that of a sick node may be wrong."""

from __future__ import annotations

import time


class AgentClock:
    """Seconds since 1970 by the server's clock, taken from its answers; by this machine's before the first
    answer.
    """

    def __init__(self) -> None:
        self._skew = 0.0

    def adjust(self, at: float | None) -> None:
        """Set the clock by an answer. at: when the server sent it, None if it did not say."""
        if at is not None:
            self._skew = at - time.time()

    @property
    def now(self) -> float:
        """The present moment."""
        return time.time() + self._skew
