"""The open files of every process of the node, as far as time and their number allow."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from unstuck.collect.node.proc import Process
from unstuck.collect.node.view import NodeView


class OpenFiles:
    """Yields each process with the numbers of its open files.

    whole: whether every process was seen, known after the walk. seconds, most: after this long, and this many
    files, the rest is left out; the caller's time for each process counts.
    """

    def __init__(self, view: NodeView, seconds: float, most: int) -> None:
        self._view, self._seconds, self._most = view, seconds, most
        self.whole = view.sees_node

    def __iter__(self) -> Iterator[tuple[Process, Sequence[str]]]:
        root, left, end = self._view.root, self._most, time.monotonic() + self._seconds
        for process in self._view.table.user:
            fds = root.names(f"/proc/{process.pid}/fd")
            if fds is None:
                self.whole = self.whole and root.data(f"/proc/{process.pid}/stat", 16) is None
                continue
            left -= len(fds)
            if time.monotonic() > end or left < 0:
                self.whole = False
                return
            yield process, fds
