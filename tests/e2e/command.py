"""The installed command, run like a user's: a separate process, on pipes or on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.patience import stretch

SGR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
_NOT_OURS = (
    *("KUBECONFIG", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"),
    *("UNSTUCK_LANG", "UNSTUCK_CONFIG", "XDG_CONFIG_HOME"),
)


def make_environment(kubeconfig: Path | str | None, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without the caller's influences on an answer."""
    clean = {k: v for k, v in os.environ.items() if k not in _NOT_OURS}
    found = {"KUBECONFIG": str(kubeconfig)} if kubeconfig else {}
    return {**clean, "HOME": "/nonexistent", "LANG": "C.UTF-8", "UNSTUCK_PAGER": "", **found, **(more or {})}


def run_unstuck(
    *args: str, kubeconfig: Path | str | None, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command once on pipes."""
    return subprocess.run(
        [UNSTUCK, *args],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=stretch(120),
        env=make_environment(kubeconfig, env),
    )


def check_one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Check the error of an impossible question: one line on stderr, nothing else, exit status 3."""
    assert (done.returncode, done.stdout) == (3, ""), done
    assert (
        done.stderr.startswith("error: ") and done.stderr.count("\n") == 1 and done.stderr.endswith("\n")
    ), done.stderr
    return done.stderr


def read_diagnosis(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the first diagnosis of `-o json`."""
    found: dict[str, Any] = json.loads(done.stdout)["diagnoses"][0]
    return found


def write_kubeconfig(
    path: Path, server: str, user: Mapping[str, str] | None = None, cluster: Mapping[str, str] | None = None
) -> Path:
    """Write a kubeconfig with one context `here`."""
    doc = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "somebody", "user": dict(user or {})}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "somebody"}}],
    }
    path.write_text(json.dumps(doc))
    return path


class Terminal:
    """A run on a terminal. out: the terminal's input so far."""

    def __init__(
        self,
        *args: str,
        kubeconfig: Path | str | None,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        self._ours, self._theirs = pty.openpty()
        if size is not None:
            self._size(*size)
        self.out = b""
        self.child = subprocess.Popen(
            # In the background of a shell, or under nohup, all tests inherit an ignored signal.
            ["env", "--default-signal=HUP,INT", UNSTUCK, *args],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            start_new_session=True,
            env=make_environment(kubeconfig, {"TERM": "xterm", **(env or {})}),
        )

    @property
    def modes(self) -> list[Any]:
        """Return the terminal's own settings: echo, line mode, characters."""
        import termios

        return termios.tcgetattr(self._theirs)

    def resize(self, columns: int, lines: int) -> None:
        """Resize the terminal, as by dragging its window."""
        self._size(columns, lines)
        self.child.send_signal(signal.SIGWINCH)

    def _size(self, columns: int, lines: int) -> None:
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    @property
    def screen(self) -> list[str]:
        """Return the screen's content after the last full redraw."""
        last = self.out.decode("utf-8", "replace").rpartition("\x1b[H")[2].partition("\x1b[J")[0]
        return [SGR.sub("", row).rstrip() for row in last.split("\r\n")]

    def read_until(self, part: bytes, seconds: float = 30) -> None:
        """Read until `part` was written."""
        end = time.monotonic() + stretch(seconds)
        while part not in self.out:
            assert select.select([self._ours], [], [], max(0.0, end - time.monotonic()))[0], (
                f"no {part!r} in {self.out!r}"
            )
            self.out += os.read(self._ours, 65536)

    def read_more(self, seconds: float = 1) -> None:
        """Read the output of some seconds."""
        if select.select([self._ours], [], [], seconds)[0]:
            self.out += os.read(self._ours, 65536)

    def type(self, keys: bytes) -> None:
        """Type keys, like a user at the terminal."""
        os.write(self._ours, keys)

    def finish(self, seconds: float = 60) -> int:
        """Read to the end and return the exit status."""
        end = time.monotonic() + stretch(seconds)
        while self.child.poll() is None and time.monotonic() < end:
            if select.select([self._ours], [], [], 0.1)[0]:
                self.out += os.read(self._ours, 65536)
        while select.select([self._ours], [], [], 0)[0]:
            self.out += os.read(self._ours, 65536)
        return self.child.wait(1)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.kill()
        self.child.wait()
        os.close(self._ours)
        os.close(self._theirs)
