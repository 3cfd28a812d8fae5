"""A pager like git's: only on a terminal, only for output longer than the screen; a missing pager is no
error.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Mapping

from unstuck.cli import terminal
from unstuck.render.cells import count_cells

DEFAULT = ("less", "-FRX")


def show(text: str) -> None:
    """Print the text, through a pager if wanted and the text is longer than the screen."""
    command = (
        pager_of(os.environ)
        if terminal.pager_wanted() and exceeds_screen(text, terminal.height(), terminal.width())
        else ()
    )
    if not command or not _run_pager(command, terminal.escape_text(text)):
        terminal.emit(text)


def pager_of(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pager's command: UNSTUCK_PAGER, else PAGER, else less; () if it is empty, `cat`, or
    invalid.
    """
    named = next((env[name] for name in ("UNSTUCK_PAGER", "PAGER") if name in env), None)
    if named is None:
        return DEFAULT
    try:
        words = tuple(shlex.split(named))
    except ValueError:
        return ()
    # Without its flags, colours would be shown as text.
    words = DEFAULT if words == ("less",) else words
    return () if words[:1] in ((), ("cat",)) else words


def exceeds_screen(text: str, lines: int, width: int) -> bool:
    """Tell whether the text and a prompt line exceed the screen. lines: the screen's height; 0 if unknown."""
    if not lines or not sys.stdin.isatty():
        return False
    shown = terminal.strip_colours(text)
    return sum(max(1, -(-count_cells(line) // max(1, width))) for line in shown.splitlines()) >= lines


def _run_pager(command: tuple[str, ...], text: str) -> bool:
    """Run the pager and tell whether it took the text. Meanwhile Ctrl-C goes to the pager."""
    import subprocess  # few answers are long enough

    # SIG_IGN would be inherited by the pager.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        env = {"LESSCHARSET": "utf-8", **os.environ}
        # `run` ignores a broken pipe from a pager that was quit early.
        subprocess.run(command, input=text.encode(errors="backslashreplace"), env=env, check=False)
    except (OSError, ValueError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True
