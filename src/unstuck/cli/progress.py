"""A spinner, or a bar if the amount of work is known, on standard error after half a second; nothing in a
pipe.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unstuck.cli.terminal import can_animate

DELAY = 0.5
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CELLS = 20


class Spinner:
    """The spinner's line, which can be hidden during a question on the terminal."""

    def __init__(self, label: str) -> None:
        self._label, self._more = label, ""
        self._line = threading.Lock()
        self._done = threading.Event()
        self._share: Callable[[], float] | None = None

    @contextmanager
    def hide(self) -> Iterator[None]:
        """Wipe the line and hide it while the block runs."""
        with self._line:
            if can_animate():
                _write("\r\x1b[K")
            yield

    @contextmanager
    def relabel(self, label: str) -> Iterator[None]:
        """Show another label while the block runs."""
        before, self._label = self._label, label
        try:
            yield
        finally:
            self._label = before

    def say(self, more: str) -> None:
        """Show `more` after the label from now on."""
        self._more = f"  {more}"

    def show_share(self, share: Callable[[], float] | None) -> None:
        """Show a bar from now on. share: returns the finished fraction of the work, from 0 to 1, for each
        frame; None: no bar.
        """
        self._share = share

    def _bar(self) -> str:
        share = self._share
        if share is None:
            return ""
        done = min(1.0, max(0.0, share()))
        full = int(done * _CELLS)
        return f" {'█' * full}{'░' * (_CELLS - full)} {done:4.0%}"

    def draw(self) -> None:
        """Draw until `end`."""
        from unstuck.render.cells import cut
        from unstuck.render.visible import visible

        if self._done.wait(DELAY):
            return
        i = 0
        while not self._done.wait(0.1):
            with self._line:
                _write(
                    f"\r\x1b[K{_FRAMES[i % len(_FRAMES)]} "
                    f"{cut(visible(self._label + self._bar() + self._more), 76)}"
                )
            i += 1
        _write("\r\x1b[K")

    def end(self) -> None:
        """End before the next frame is drawn."""
        self._done.set()


@contextmanager
def progress(label: str) -> Iterator[Spinner]:
    """Draw while the block runs, and always wipe the line afterwards."""
    spinner = Spinner(label)
    if not can_animate():
        yield spinner
        return
    thread = threading.Thread(target=spinner.draw, daemon=True)
    thread.start()
    try:
        yield spinner
    finally:
        spinner.end()
        thread.join()


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
