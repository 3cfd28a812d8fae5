"""The terminal's properties, and output to it. All other modules get the properties as values."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Literal

from unstuck.facts.text import Messages

say = Messages(__name__)

When = Literal["auto", "always", "never"]
PIPE_WIDTH = 120
# Narrower lines are unreadable; longer output overflows.
NARROWEST = 20
# Colours, and links of our own.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b\x07]*\x1b\\")


class _TerminalOptions:
    """The command line's settings for the terminal."""

    colour: When = "auto"
    pager = True


_options = _TerminalOptions()
# Replacements for an ASCII terminal.
_MARKS = {
    "✓": "+",
    "✗": "x",
    "…": "...",
    "●": "*",
    "◐": "~",
    "○": "o",
    "⏎": "Enter",
    "·": "-",
    "→": "->",
    "↳": ">",
    "—": "-",
    "–": "-",
}
_ASCII = str.maketrans({**_MARKS, "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "≥": ">=", "≤": "<="})


def width() -> int:
    """Return the cells of a line, between 20 and 160: COLUMNS, else the terminal's width; in a pipe a
    constant, so that runs compare.
    """
    given = os.environ.get("COLUMNS")
    if not given and not sys.stdout.isatty():
        return PIPE_WIDTH
    try:
        columns = int(given or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return PIPE_WIDTH
    return max(NARROWEST, min(160, columns))


def height() -> int:
    """Return the terminal's lines, 0 if unknown."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines if sys.stdout.isatty() else 0
    except (OSError, ValueError):
        return 0


def choose_colour(when: When) -> None:
    """Store the value of `--color` for this command line."""
    _options.colour = when


def choose_pager(*, wanted: bool) -> None:
    """Store the value of `--no-pager` for this command line."""
    _options.pager = wanted


def pager_wanted() -> bool:
    """Tell whether a pager may be used."""
    return _options.pager


def colour() -> bool:
    """Decide on colour by `--color`, else by NO_COLOR and CLICOLOR_FORCE (no-color.org,
    bixense.com/clicolors), else by the terminal, which must not be dumb.
    """
    if (when := _options.colour) != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if (os.environ.get("CLICOLOR_FORCE") or "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def can_animate() -> bool:
    """Tell whether a spinner may be drawn: standard error is a terminal able to wipe a line."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def can_draw_screen() -> bool:
    """Tell whether a full screen may be drawn and keys be read: input and output are a terminal, and not a
    dumb one.
    """
    return (
        all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def can_ask() -> bool:
    """Tell whether a user can be asked: all three streams are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def strip_colours(text: str) -> str:
    """Strip colours and links from the text."""
    return _COLOURS.sub("", text)


def escape_text(text: str) -> str:
    """Convert the text to the locale's characters: marks have a plain form; the stream escapes other missing
    characters.
    """
    codec = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return text if codec.startswith("utf") else text.translate(_ASCII)


def emit(text: str) -> None:
    """Print to standard output; a vanished reader is no error. Errors: InputError if writing fails, such as
    on a full disk.
    """
    try:
        sys.stdout.write(escape_text(text))
        sys.stdout.flush()
    except OSError as e:
        # Flushing the rest of the buffer would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(e, BrokenPipeError):
            from unstuck.errors import InputError

            why = e.strerror or e
            raise InputError(say("cannot write to standard output: {why}", why=why)) from e


def reader_check() -> Callable[[], bool]:
    """Return a function that tells whether the output's current reader is still there: without it, `emit`
    discards its output.
    """
    before = _output_id()
    return lambda: _output_id() == before


def _output_id() -> tuple[int, int] | None:
    try:
        status = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
