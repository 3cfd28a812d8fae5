"""The measured file systems: including mounts below the runtime's state and the logs, without those of single
Pods.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import HOST_MOUNTS, SANDBOX, UID, V2, Tree
from unstuck.collect.node import files, space
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.space import DiskSpace, Space

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
STATE = "/run/containerd/io.containerd.runtime.v2.task/k8s.io"
SHM = f"/run/containerd/io.containerd.grpc.v1.cri/sandboxes/{SANDBOX}/shm"
MOUNTS = f"""\
{HOST_MOUNTS}\
200 27 0:60 / /run rw - tmpfs tmpfs rw
201 200 0:61 / {STATE} rw - tmpfs f5 rw
202 200 0:62 / {SHM} rw - tmpfs shm rw
203 27 0:63 / /var/log/pods rw - tmpfs f6 rw
204 27 0:64 / /srv rw - nfs server:/srv rw
205 27 0:65 / /var/lib/containerd/x rw - nfs server:/x rw
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    made.write("/proc/700/mountinfo", MOUNTS)
    for path in (STATE, "/var/log/pods", "/var/lib/containerd"):
        made.directory(path)
    return made


def seen(tree: Tree) -> DiskSpace:
    found = space.space(NodeView(Root(str(tree.root)), NOW))
    assert found is not None
    return found


def test_mounts_below_the_state_are_measured(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def spaces(
        paths: Sequence[str], table: Sequence[MountEntry], *_: object, **__: object
    ) -> tuple[Space, ...]:
        asked.extend(paths)
        on = {p: e for p in paths for e in table if e.mountpoint == p}
        return tuple(
            Space(p, 100, 0 if p == STATE else 50, 0, 0, on[p].mountpoint if p in on else "/", "tmpfs")
            for p in paths
        )

    monkeypatch.setattr(files, "measure_spaces", spaces)
    monkeypatch.setattr(files, "find_consumers", lambda *_, **__: ([], []))
    monkeypatch.setattr(Root, "live", True)
    found = seen(tree)
    assert {STATE, "/var/log/pods"} <= set(asked)
    assert not {SHM, "/var/lib/containerd/x"} & set(asked) and not any(UID in path for path in asked)
    assert found.reaches(f"{STATE}/7f3a") and found.reaches("/var/log/pods/x")
    assert not found.reaches("/srv/x"), "on a server"
    assert not found.reaches(f"{SHM}/x"), "one sandbox's own"


def test_a_record_tells_what_it_did_not_measure(tree: Tree) -> None:
    tree.write("/.unstuck/statfs", "4096 100 50 100 50 /\n4096 100 50 100 50 /run\n")
    found = seen(tree)
    assert {STATE, "/var/log/pods", "/srv"} <= set(found.unmeasured) and SHM not in found.unmeasured
    assert found.reaches("/var/lib/kubelet/x") and not found.reaches(f"{STATE}/7f3a")
