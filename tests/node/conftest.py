"""A real hanging file system."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples import FEW
from tests.node.hanging import state, wait_until
from tests.node.tree import UID
from unstuck.collect.node.__main__ import answer_request


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a recorded tree in this process in the inner loop: starting a child takes ten times as long as
    reading.

    `make test` has the child read it.
    """
    if FEW:
        lines = "unstuck.collect.node.collector.read_lines"
        monkeypatch.setattr(
            lines,
            lambda _, request, **__: (
                json.dumps(doc).encode() for doc in answer_request(json.loads(request))
            ),
        )


@pytest.fixture
def hung(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Yield a FUSE mount with a silent daemon, and a process killed during a look-up: permanently in D."""
    point = tmp_path / "pods" / UID / "volumes" / "kubernetes.io~hang" / "h"
    point.mkdir(parents=True)
    daemon = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("hangfs.py")), str(point)], stdout=subprocess.PIPE
    )
    victim = None
    try:
        assert daemon.stdout is not None and daemon.stdout.readline() == b"ready\n"
        victim = subprocess.Popen(
            ["/bin/ls", f"{point}/x"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        pid = victim.pid
        # A request not yet read by its daemon is withdrawn when its caller is killed: it would not hang.
        assert select.select([daemon.stdout], [], [], 20)[0] and daemon.stdout.readline() == b"asked\n"
        wait_until(lambda: "request_wait_answer" in Path(f"/proc/{pid}/wchan").read_text())
        victim.send_signal(signal.SIGKILL)
        wait_until(lambda: state(pid) == "D")
        yield point, pid
    finally:
        daemon.kill()
        daemon.communicate()
        subprocess.run(["umount", "-l", str(point)], check=False, capture_output=True)
        if victim is not None:
            victim.wait(20)
