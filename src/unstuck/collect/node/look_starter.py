"""Starts a look (`look.py`): as a program whose command line names the paths; as a plain fork if no
program may run.
"""

from __future__ import annotations

import io
import os
import selectors
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from unstuck.collect.node import look
from unstuck.collect.node.children import read_lines


def python_arguments() -> list[str]:
    """Return the arguments with which Python runs `look.py`: by its name, or by its text if the package is
    in a zip.
    """
    file = Path(look.__file__)
    source = None if file.is_file() else getattr(look.__loader__, "get_source", None)
    return [str(file)] if source is None else ["-c", source(look.__name__)]


def run_look(arguments: Sequence[str], avoid: bytes, *, seconds: float) -> Iterator[bytes]:
    """Yield the lines of `look.py ARGUMENTS`, each as soon as it is written. avoid: a JSON list of paths for
    its stdin.

    Raises TimeoutError when it was cut off, OSError when it cannot be started. A child in D is not waited
    for.
    """
    argv = [sys.executable, "-I", "-S", *python_arguments(), *arguments]
    try:
        yield from read_lines(argv, avoid, seconds=seconds)
    except PermissionError:
        # This process is locked (seccomp.py): a fork is as locked as we are, and runs the same code.
        yield from run_forked(lambda out: _run_look(list(arguments), avoid, out), seconds)


def _run_look(arguments: list[str], avoid: bytes, out: TextIO) -> None:
    sys.stdin, sys.stdout = io.StringIO(avoid.decode()), out
    look.main(arguments)


def run_forked(life: Callable[[TextIO], None], seconds: float) -> Iterator[bytes]:
    """Yield the lines that a fork of this process writes until it ends, each as soon as it is written.

    Raises TimeoutError when it was cut off, OSError when it cannot be started. A child in D is not waited
    for.
    """
    end = time.monotonic() + seconds
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _run(life, its)
    os.close(its)
    try:
        yield from _read_until(ours, end)
    finally:
        os.close(ours)
        # It may not be killed from here: it ends by its own clock, at a closed pipe, or with us
        # (PR_SET_PDEATHSIG).
        with suppress(OSError):
            os.waitpid(child, os.WNOHANG)


def _run(life: Callable[[TextIO], None], its: int) -> None:
    """Run as the child; does not return."""
    try:
        with os.fdopen(its, "w") as out:
            life(out)
    finally:
        os._exit(0)


def _read_until(fd: int, end: float) -> Iterator[bytes]:
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while selector.select(max(0.0, end - time.monotonic())):
            part = os.read(fd, 1 << 16)
            if not part:
                return
            *whole, rest = (rest + part).split(b"\n")
            yield from whole
    raise TimeoutError
