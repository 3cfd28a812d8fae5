"""What the terminal is like, and what is written to it. Read here and nowhere else, so that everything behind takes it as a value."""

from __future__ import annotations

import os
import sys

PIPE_WIDTH = 120
# Narrower, nothing reads; answers that need more take it.
NARROWEST = 20
# Where the terminal's characters are ASCII alone.
_MARKS = {"✓": "+", "✗": "x", "…": "...", "●": "*", "◐": "~", "○": "o", "·": "-", "→": "->", "↳": ">", "—": "-", "–": "-"}
_ASCII = str.maketrans({**_MARKS, "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "≥": ">=", "≤": "<="})


def width() -> int:
    """Return cells of a line: the terminal's, between 20 and 160; in a pipe or a file always the same, so that runs compare."""
    if not sys.stdout.isatty():
        return PIPE_WIDTH
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return PIPE_WIDTH
    return max(NARROWEST, min(160, columns))


def colour() -> bool:
    """Only on a terminal that is not dumb, and never where NO_COLOR is set (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def moving() -> bool:
    """Tell whether a spinner may be drawn: on standard error, a terminal that knows how to wipe a line."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def answering() -> bool:
    """Tell whether somebody sits there who can be asked: all three streams are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def shown(text: str) -> str:
    """Return the same in the characters of the locale: marks have a plain form; what else it lacks is escaped by the stream."""
    codec = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return text if codec.startswith("utf") else text.translate(_ASCII)


def emit(text: str) -> None:
    """Print to standard output; a reader that has gone is no error."""
    try:
        sys.stdout.write(shown(text))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
