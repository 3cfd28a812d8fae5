"""A spinner on standard error for what takes longer than half a second; nothing in a pipe."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from unstuck.cli.terminal import moving

DELAY = 0.5
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


@contextmanager
def progress(label: str) -> Iterator[None]:
    """Draws while the block runs and wipes its line afterwards, whatever ends the block."""
    if not moving():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_draw, args=(label, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _draw(label: str, done: threading.Event) -> None:
    from unstuck.render.visible import visible  # noqa: PLC0415

    if done.wait(DELAY):
        return
    i = 0
    while not done.wait(0.1):
        sys.stderr.write(f"\r\x1b[K{_FRAMES[i % len(_FRAMES)]} {visible(label)[:60]}")
        sys.stderr.flush()
        i += 1
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()
