"""Runs children with deadlines: a child that hangs in D cannot be killed, so nothing may wait for it
without a limit.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence

_MAX_OUTPUT = 64 << 20


def current_cpu() -> int | None:
    """Return the processor that this process runs on, None if the kernel does not say. Source:
    proc_pid_stat(5), field 39.
    """
    with (
        contextlib.suppress(OSError, IndexError, ValueError),
        open("/proc/thread-self/stat", encoding="ascii", errors="replace") as file,
    ):
        return int(file.read(4096).rpartition(")")[2].split()[36])
    return None


@contextlib.contextmanager
def one_core(cpu: int | None) -> Iterator[None]:
    """Keep this thread, and all that it starts meanwhile, on one processor: a sick node keeps its others for
    itself.

    Several threads that give the same one share it. cpu: None changes nothing.
    """
    if cpu is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, before)


def read_lines(
    argv: Sequence[str],
    stdin: bytes = b"",
    *,
    seconds: float,
    env: Mapping[str, str] | None = None,
    cap: int = _MAX_OUTPUT,
) -> Iterator[bytes]:
    """Yield the lines that a child writes, each as soon as it is complete, until it ends, the deadline passes
    or `cap` bytes were read.

    A child that is still running is killed and abandoned; it holds only its own pipe of ours. Raises
    TimeoutError when it was cut off, OSError when it cannot be started.
    """
    end = time.monotonic() + seconds
    # A file in memory, not a pipe: writing to a child that does not read would block.
    with os.fdopen(os.memfd_create("stdin"), "w+b", buffering=0) as given:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(
            list(argv),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=None if env is None else dict(env),
            close_fds=True,
        )
    assert child.stdout is not None  # noqa: S101 - PIPE above
    try:
        yield from _read_until(child.stdout.fileno(), end, cap)
    finally:
        child.stdout.close()
        _end(child)


def _read_until(fd: int, end: float, cap: int) -> Iterator[bytes]:
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while selector.select(max(0.0, end - time.monotonic())):
            part = os.read(fd, 1 << 20)
            if not part:
                if rest:
                    yield rest
                return
            cap -= len(part)
            *whole, rest = (rest + part).split(b"\n")
            yield from whole
            if cap < 0 or len(rest) > 16 << 20:
                break
    raise TimeoutError


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and give it a moment to be reaped, no more: a process in D does not react to a kill."""
    if child.poll() is None:
        with contextlib.suppress(OSError):
            child.send_signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.2)
    if child.returncode is None:
        # Popen would say at its end that the child still runs; that is known, and it is named by its command
        # line.
        child.returncode = -signal.SIGKILL
