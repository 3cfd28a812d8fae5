"""Runs programs whose reader may close the pipe early, as in `make facts | head`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def run_piped(main: Callable[[list[str]], int], argv: list[str]) -> int:
    """Run `main` and return its result; 0 if the reader has closed the pipe."""
    try:
        code = main(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The flush at exit has no reader either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
