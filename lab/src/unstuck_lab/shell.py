"""Commands of the host, always with an end in time."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from unstuck_lab.errors import CommandFailedError, TimedOutError

T = TypeVar("T")
# How many times as long as on a machine of one's own everything is waited for; for several labs beside each other.
_PATIENCE = float(os.environ.get("UNSTUCK_LAB_PATIENCE") or 1)


def run(
    argv: Sequence[str],
    *,
    timeout: float = 60,
    stdin: str | None = None,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
) -> str:
    """Run a command and return its standard output.

    Raises `CommandFailedError` when it ends with another status than 0 or not in time.
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
    """Run a command whose failure the caller looks at. Raises only on time-out."""
    try:
        return subprocess.run(
            list(argv),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env=env,
            cwd=cwd,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        # What it printed so far comes as bytes, whatever `text` says (subprocess.Popen.communicate).
        output: object = expired.stderr or expired.stdout or b""
        text = output.decode(errors="replace") if isinstance(output, bytes) else str(output)
        raise CommandFailedError(list(argv), None, text) from expired
    except FileNotFoundError as missing:
        raise CommandFailedError(list(argv), 127, f"{argv[0]}: not found") from missing


def wait_for(look: Callable[[], T | None], timeout: float, what: str, interval: float = 0.1) -> T:
    """Call `look` until it returns something true, and return that. Asks less and less often, but at least each second.

    Raises `TimedOutError` saying `what` did not happen.
    """
    timeout *= _PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise TimedOutError(f"not so after {timeout:.0f} s", what)
        time.sleep(interval)
        interval = min(1.2 * interval, 1.0)
