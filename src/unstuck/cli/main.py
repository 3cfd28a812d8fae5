"""The start and the end of the process: interrupts, errors, and the exit status. Only this module ends the
process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130
# Allocations before the first garbage collection.
OBJECTS = 1_000_000


def main() -> None:
    """Run `unstuck`, or `kubectl unstuck`."""
    signal.signal(signal.SIGINT, _leave)
    _open_streams()
    # Nearly all objects live until the command ends; collecting garbage would take a tenth of a short
    # answer's time.
    gc.set_threshold(OBJECTS)
    from unstuck.cli.run import run

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    status = run(sys.argv[1:], program(sys.argv[0]))
    for stream in (sys.stdout, sys.stderr):
        # The output's reader is gone, or the disk is full.
        with suppress(OSError):
            stream.flush()
    # Skip the interpreter's shutdown: it would wait for threads, and a Ctrl-C meanwhile would end the process
    # by signal.
    os._exit(status)


def _open_streams() -> None:
    """Open /dev/null for each stream closed by the caller; else a connection or a file would get its
    descriptor.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # open() returns the lowest free descriptor: the closed stream's.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def program(argv0: str) -> str:
    """Return the program's name as called by the user: kubectl runs its plugin `unstuck` as
    `kubectl-unstuck`.
    """
    name = os.path.basename(argv0)
    return "kubectl unstuck" if name in ("kubectl-unstuck", "kubectl_unstuck") else "unstuck"


def _leave(signum: int, frame: FrameType | None) -> None:
    """Exit at once without waiting for threads; the spinner's line is wiped to restore the terminal."""
    del signum, frame
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        os.write(2, b"\r\x1b[K")
    _end_plugins()
    os._exit(INTERRUPTED)


def _end_plugins() -> None:
    # Most commands never import it.
    if loaded := sys.modules.get("unstuck.collect.kube.transport.credentials"):
        loaded.end_plugins()
