"""The API server's clock: a sick node's own may be wrong."""

from __future__ import annotations

import time


class AgentClock:
    """Seconds since 1970 by the server's clock, taken from its answers; before the first answer, this
    machine's clock.
    """

    def __init__(self) -> None:
        self._skew = 0.0

    def adjust(self, at: float | None) -> None:
        """Set the clock by an answer. at: the time when the server sent it, None if unknown."""
        if at is not None:
            self._skew = at - time.time()

    @property
    def now(self) -> float:
        """The present moment."""
        return time.time() + self._skew
