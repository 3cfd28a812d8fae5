"""A node with all faults at once: the look ends, names silent parts, leaves no process behind and changes
nothing.

The node is made by the benchmark, in separate namespaces that end with it; figures of time and memory are the
benchmark's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.node import IN_NAMESPACES

from tests.node.hanging import needs_fuse

pytestmark = pytest.mark.slow

BENCH = Path(__file__).parents[2] / "benchmarks" / "node.py"
HUNG = "/var/lib/kubelet/pods/0badf00d-0000-4000-8000-000000000000/volumes/kubernetes.io~nfs/hung"


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    """Return the benchmark's rows, for a node with a tenth of the mounts, processes and log."""
    assert shutil.which("unshare"), "util-linux"
    done = subprocess.run(
        [sys.executable, str(BENCH), "--quick", "--json"], capture_output=True, check=False, timeout=280
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return {row["what"]: row for row in json.loads(done.stdout)}


@needs_fuse
def test_what_does_not_answer_or_is_full_is_named(rows: dict[str, dict[str, Any]]) -> None:
    for what in ("worst, the node", "worst, one Pod"):
        named = set(rows[what]["named"])
        assert {
            f"hung mount {HUNG}",
            "stopped containerd",
            "stopped dockerd",
            "full /var/lib/containerd",
            "no inodes /var/log",
        } <= named
    assert f"does not return {HUNG}" in rows["worst, with --touch"]["named"]
    assert rows["healthy, 110 Pods"]["named"] == []


@needs_fuse
def test_nobody_is_left_behind_without_touch_and_one_with_it(rows: dict[str, dict[str, Any]]) -> None:
    assert {what: row["left"] for what, row in rows.items()} == {
        "healthy, 110 Pods": 0,
        "healthy, one Pod of 110": 0,
        "worst, the node": 0,
        "worst, one Pod": 0,
        "worst, with --touch": 1,
    }


@needs_fuse
def test_mounts_files_and_processes_are_as_they_were(rows: dict[str, dict[str, Any]]) -> None:
    assert {what: row["changed"] for what, row in rows.items() if row["changed"]} == {}


UNMOUNT = """
import ctypes, os, sys, threading, time
from pathlib import Path
from benchmarks import node_scene
from unstuck.collect.node import NodeCollector
node_scene.make_healthy(20)
pod = "00000003-0000-4000-8000-000000000000"
volumes = Path(f"/var/lib/kubelet/pods/{pod}/volumes")
libc = ctypes.CDLL(None, use_errno=True)
over = threading.Event()
def look():
    while not over.is_set():
        NodeCollector().survey(pod)
threading.Thread(target=look).start()
time.sleep(0.5)
refused = 0
for plugin in sorted(os.listdir(volumes)):
    at = next((volumes / plugin).iterdir())
    # The kubelet tries again by itself: a look that holds a directory open for a moment is no hindrance.
    end = time.monotonic() + 5
    while libc.umount2(os.fsencode(at), 0) != 0:
        refused += 1
        assert time.monotonic() < end, at
        time.sleep(0.05)
over.set()
left = [line.split()[4] for line in open("/proc/self/mountinfo") if pod in line]
assert left == [], left
print("unmounted", refused)
"""


@needs_fuse
def test_a_volume_unmounts_while_it_is_looked_at() -> None:
    argv = [*IN_NAMESPACES, sys.executable]
    env = os.environ | {"PYTHONPATH": str(BENCH.parents[1])}
    done = subprocess.run([*argv, "-c", UNMOUNT], capture_output=True, check=False, timeout=120, env=env)
    assert done.stdout.startswith(b"unmounted "), done.stderr.decode()[-2000:]
