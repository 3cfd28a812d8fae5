"""Commands on the host, always with a time limit."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, TypeVar

from unstuck_lab import proc
from unstuck_lab.errors import CommandFailedError, TimedOutError
from unstuck_lab.patience import Stopwatch, stretch

T = TypeVar("T")
# Seconds between the attempts of a download: a mirror may fail temporarily.
PAUSES = (5.0, 20.0)


def run(
    argv: Sequence[str],
    *,
    timeout: float = 60,
    stdin: str | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
) -> str:
    """Run a command and return its standard output.

    Raises `CommandFailedError` if it fails or does not end in time.
    """
    result = attempt(argv, timeout=timeout, stdin=stdin, env=env, cwd=cwd)
    if result.returncode != 0:
        raise CommandFailedError(list(argv), result.returncode, result.stderr or result.stdout)
    return result.stdout


def attempt(
    argv: Sequence[str],
    *,
    timeout: float = 60,
    stdin: str | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command, and return its failure to the caller.

    timeout: seconds on the idle reference host (`patience`). Raises `CommandFailedError` only if it does not
    end in time or does not exist.
    """
    watch = Stopwatch()
    try:
        with subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=env,
            cwd=cwd,
        ) as process:
            try:
                stdout, stderr = _communicate(process, stdin, stretch(timeout), watch)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(list(argv), process.returncode, stdout, stderr)
    except subprocess.TimeoutExpired as expired:
        # Its output so far is bytes, even with `text` (subprocess.Popen.communicate).
        output: object = expired.stderr or expired.stdout or b""
        text = output.decode(errors="replace") if isinstance(output, bytes) else str(output)
        raise CommandFailedError(list(argv), None, text, str(watch)) from expired
    except FileNotFoundError as missing:
        raise CommandFailedError(list(argv), 127, f"{argv[0]}: not found") from missing


def _communicate(
    process: subprocess.Popen[str], stdin: str | None, limit: float, watch: Stopwatch
) -> tuple[str, str]:
    """Wait for a process, and return its output. Raises `TimeoutExpired` after `limit` counted seconds."""
    if process.stdin:
        # After a timeout, `communicate` no longer writes (CPython 3.11,
        # subprocess.Popen._communicate).
        threading.Thread(target=_feed, args=(process.stdin, stdin or ""), daemon=True).start()
        process.stdin = None
    while True:
        try:
            return process.communicate(timeout=max(0.1, limit - watch.counted))
        except subprocess.TimeoutExpired:
            if watch.counted >= limit:
                raise


def _feed(pipe: IO[str], text: str) -> None:
    """Write a text into a pipe and close it; the reader may have ended before."""
    with contextlib.suppress(BrokenPipeError), pipe:
        pipe.write(text)


def run_while_working(
    argv: Sequence[str], *, quiet: float = 300, env: dict[str, str] | None = None, cwd: str | None = None
) -> str:
    """Run a command as long as it makes progress, and return its output: for builds and downloads, whose
    duration depends on the host and the mirror.

    quiet: the limit in seconds without any processor time of its processes. Raises `CommandFailedError` if it
    fails, is ended or does not exist.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                env=env,
                cwd=cwd,
                start_new_session=True,
            )
        except FileNotFoundError as missing:
            raise CommandFailedError(list(argv), 127, f"{argv[0]}: not found") from missing
        ended, watch = False, Stopwatch()
        try:
            ended = _wait_while_working(process, stretch(quiet))
        finally:
            if not ended:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        text, said = _read_whole(output), _read_whole(errors)
    if process.returncode != 0:
        raise CommandFailedError(list(argv), process.returncode if ended else None, said or text, str(watch))
    return text


def _read_whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _wait_while_working(process: subprocess.Popen[bytes], quiet: float) -> bool:
    used, since = -1, time.monotonic()
    while time.monotonic() - since < quiet:
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            now = proc.count_session_ticks(process.pid)
            if now != used:
                used, since = now, time.monotonic()
        else:
            return True
    return False


def retry(act: Callable[[], T], say: Callable[[str], None]) -> T:
    """Call `act` until it raises no `CommandFailedError`, with one retry after each of `PAUSES`: a mirror may
    answer 503.
    """
    for pause in PAUSES:
        try:
            return act()
        except CommandFailedError as error:
            say(f"{error}; trying again in {pause:.0f} s")
            time.sleep(pause)
    return act()


def wait_for(look: Callable[[], T | None], timeout: float, what: str, interval: float = 0.1) -> T:
    """Call `look` until its result is true, and return the result. The interval grows to at most a second.

    timeout: seconds on the idle reference host (`patience`). Raises `TimedOutError` if `what` did not happen,
    with the slowness of the host.
    """
    timeout, watch = stretch(timeout), Stopwatch()
    while True:
        seen = look()
        if seen:
            return seen
        if watch.counted > timeout:
            raise TimedOutError(f"not so after {watch}", what)
        time.sleep(interval)
        interval = min(1.2 * interval, 1.0)
