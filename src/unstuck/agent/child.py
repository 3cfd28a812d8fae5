"""Runs a child with a deadline, importing nothing that a resident process would then have to keep in
memory.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

_LARGEST = 32 << 20


def read_lines(module: str, request: bytes, seconds: float) -> Iterator[bytes]:
    """Yield the lines that `python -S -m MODULE` writes for a request on its stdin, each as soon as it is
    complete, until it ends.

    Raises TimeoutError if the deadline passed first or it wrote more than 32 MiB, OSError if it cannot be
    started. It is killed then, and not waited for: a process in D does not react to a kill.
    """
    given = os.memfd_create("request")
    try:
        os.write(given, request)
        os.lseek(given, 0, os.SEEK_SET)
        yield from _read_child(lambda its: _start(module, given, its), seconds)
    finally:
        os.close(given)


def fork(life: Callable[[TextIO], None], seconds: float) -> Iterator[bytes]:
    """Yield lines as `read_lines` does, from a copy of this process, which loads nothing from a disk that may
    hang.

    life: the function that the copy runs. Of our open files it keeps only its output and stderr.
    """
    yield from _read_child(lambda its: _fork_copy(life, its), seconds)


def _read_child(start: Callable[[int], int], seconds: float) -> Iterator[bytes]:
    end = time.monotonic() + seconds
    ours, its = os.pipe()
    try:
        pid = start(its)
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(its)
    try:
        yield from _read_until(ours, end)
    finally:
        os.close(ours)
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        _reap(pid, 0.2)


def _fork_copy(life: Callable[[TextIO], None], its: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(its, 1)
        os.closerange(3, 256)
        with os.fdopen(1, "w", encoding="utf-8") as out:
            life(out)
        status = 0
    except BaseException as e:
        # A missing fact is noticed; the container's log has the reason.
        os.write(2, f"unstuck-agent: the look failed: {type(e).__name__}: {e}\n".encode())
    finally:
        os._exit(status)


def _start(module: str, given: int, its: int) -> int:
    kept = ("PATH", "PYTHONPATH", "HOST_IP", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
    env = {k: os.environ[k] for k in kept if k in os.environ} | {
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    env.setdefault("PYTHONPATH", str(Path(__file__).parents[2]))
    files = [(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, its, 1)]
    return os.posix_spawn(sys.executable, [sys.executable, "-S", "-m", module], env, file_actions=files)


def _read_until(fd: int, end: float) -> Iterator[bytes]:
    rest, left = b"", _LARGEST
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        while left > 0 and selector.select(max(0.0, end - time.monotonic())):
            part = os.read(fd, 1 << 16)
            if not part:
                return
            left -= len(part)
            *whole, rest = (rest + part).split(b"\n")
            yield from whole
    raise TimeoutError


def _reap(pid: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < end:
            time.sleep(0.01)


def reap_orphans() -> None:
    """Reap orphaned grandchildren: the first process of a container inherits them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def find_hung(name: str) -> int | None:
    """Return the pid of a process of this container with that name that hangs in D; a second one would
    only hang beside it.
    """
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                text = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
                head, _, rest = text.rpartition(")")
                if head.partition("(")[2] == name and rest.split()[:1] == ["D"]:
                    return int(entry.name)
    return None
