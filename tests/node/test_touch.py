"""What may hang is touched only when asked for, in one process for each target, which is found again and never joined."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.node.hanging import needs_fuse, until
from tests.node.tree import UID
from unstuck.collect.node import NodeCollector
from unstuck.collect.node.look import NAME
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.touched import Touched

pytestmark = pytest.mark.slow


def waiting_at(path: str) -> list[int]:
    """Processes of ours that name this path in their command line."""
    ours = [p.pid for p in ProcessTable(Root("/")).user if p.stat.comm in (NAME, "unstuck-node") and p.stat.state != "Z"]
    return [pid for pid in ours if path in Path(f"/proc/{pid}/cmdline").read_text().split("\0")]


def touched(reader: NodeCollector, path: str) -> Touched:
    (fact,) = (f for f in reader.touch(UID) if isinstance(f, Touched) and f.about.name == path)
    return fact


@needs_fuse
def test_a_mount_that_does_not_answer_keeps_one_process_waiting_and_no_second_one(hung: tuple[Path, int], tmp_path: Path) -> None:
    point = str(hung[0])
    reader = NodeCollector(kubelet_root=str(tmp_path), node_name="here", deadline=30)
    first = touched(reader, point)
    assert not first.returned and first.seconds >= 0.9 and first.error == ""
    until(lambda: waiting_at(point))
    (pid,) = waiting_at(point)
    for _ in range(3):
        again = touched(reader, point)
        assert (again.returned, again.pid) == (False, pid)
        assert waiting_at(point) == [pid]
    assert again.seconds > first.seconds


@needs_fuse
def test_ten_surveys_leave_nobody_behind(hung: tuple[Path, int], tmp_path: Path) -> None:
    reader = NodeCollector(kubelet_root=str(tmp_path), node_name="here", deadline=30)
    for _ in range(10):
        reader.survey(UID)
    # Others may look at this machine at the same moment: theirs end.
    end = time.monotonic() + 20
    while (left := waiting_at(str(hung[0]))) and time.monotonic() < end:
        time.sleep(0.2)
    assert left == []
