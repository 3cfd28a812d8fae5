"""A file system that really hangs."""

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
    """In the inner loop a recorded tree is read in this process, as a child takes ten times longer to start
    than to read it.

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
    """A FUSE mount whose daemon is silent, and a process that was killed while it looked a name up: in D,
    for good.
    """
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
        # A request that its daemon has not read yet is taken back when the one who asks is killed: no wait
        # comes of it.
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
