"""Programs that unpack layers are found by name, with their states, in real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from unstuck.collect.node.answers import answer
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.pulls import Unpacking
from unstuck.facts.core import Ref, Want


@contextmanager
def program(directory: Path, name: str, first: str | None = None) -> Iterator[int]:
    """Start a program of this name, with `first` as its argv[0]."""
    copy = directory / name
    shutil.copy(shutil.which("sleep") or "/bin/sleep", copy)
    child = subprocess.Popen([first or str(copy), "60"], executable=copy)
    try:
        yield child.pid
    finally:
        child.kill()
        child.wait()


def seen() -> dict[int, Proc]:
    (fact,) = answer(NodeView(Root("/"), datetime.now(UTC)), [Want(Unpacking, Ref("Node"))])
    assert isinstance(fact, Unpacking)
    return {p.pid: p for p in fact.items}


def test_one_that_was_stopped_is_told_with_its_start(tmp_path: Path):
    with program(tmp_path, "unpigz") as pid:
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, os.WUNTRACED)
        found = seen()[pid]
    assert (found.comm, found.state) == ("unpigz", "T") and found.start is not None


def test_a_daemon_started_once_more_is_known_by_what_it_was_started_as(tmp_path: Path):
    with program(tmp_path, "exe", "docker-applyLayer") as unpacks, program(tmp_path, "dockerd") as daemon:
        found = seen()
    assert unpacks in found and daemon not in found
