"""The terminal's alternate screen: the scrollback stays untouched, and the normal screen always returns at
the program's end.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from unstuck.cli import terminal
from unstuck.render.cells import Line, paint

# The alternate screen, without a cursor and without line wrap.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_LFLAG, _CC = 3, 6
_DEFAULT_SIZE = (80, 24)


class Screen:
    """A context manager for the screen with unbuffered keys without echo. Ctrl-C remains a signal; Ctrl-Z and
    the key of SIGQUIT do not, since they would leave a half-drawn screen.
    """

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._saved_modes: list[Any] | None = None
        self._wake, self._waker = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        self._handler: Any = None

    def __enter__(self) -> Screen:
        self._saved_modes = termios.tcgetattr(self._input)
        modes = termios.tcgetattr(self._input)
        modes[_LFLAG] &= ~(termios.ICANON | termios.ECHO)
        modes[_CC][termios.VMIN], modes[_CC][termios.VTIME] = 1, 0
        for key in (termios.VSUSP, termios.VQUIT, getattr(termios, "VDSUSP", termios.VSUSP)):
            modes[_CC][key] = b"\x00"
        termios.tcsetattr(self._input, termios.TCSANOW, modes)
        self._handler = signal.signal(signal.SIGWINCH, self._on_resize)
        self._write(_ENTER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGWINCH, self._handler)
        self.leave()

    def leave(self) -> None:
        """Restore the terminal. May be called at any time, from any thread, and repeatedly.

        It takes no lock: the interrupted thread may hold it.
        """
        modes, self._saved_modes = self._saved_modes, None
        if modes is not None:
            with suppress(OSError):
                os.write(sys.stdout.fileno(), _LEAVE.encode("ascii"))
            with suppress(termios.error, OSError):
                termios.tcsetattr(self._input, termios.TCSANOW, modes)

    @property
    def size(self) -> tuple[int, int]:
        """Return (columns, lines) of the terminal itself: the environment does not follow its window."""
        try:
            found = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return _DEFAULT_SIZE
        return max(terminal.NARROWEST, found.columns or _DEFAULT_SIZE[0]), max(
            2, found.lines or _DEFAULT_SIZE[1]
        )

    def wake(self) -> None:
        """Let `keys` return at once. Callable from any thread."""
        with suppress(OSError):
            os.write(self._waker, b"!")

    def keys(self, seconds: float) -> bytes:
        """Wait for keys, at most this long; b"" for none. Errors: EOFError if the terminal is gone."""
        ready, _, _ = select.select([self._input, self._wake], [], [], max(0.0, seconds))
        if self._wake in ready:
            with suppress(OSError):
                os.read(self._wake, 4096)
        if self._input not in ready:
            return b""
        found = os.read(self._input, 1024)
        if not found:
            raise EOFError
        return found

    def draw(self, lines: Sequence[Line]) -> None:
        """Redraw the whole screen without clearing it first."""
        rows = paint(lines, terminal.colour()).split("\n")[: len(lines)]
        if self._saved_modes is not None:
            self._write("\x1b[H" + "\r\n".join(f"{row}\x1b[K" for row in rows) + "\x1b[J")

    def _on_resize(self, signum: int, frame: FrameType | None) -> None:
        del signum, frame
        self.wake()

    def _write(self, text: str) -> None:
        terminal.emit(text)
