"""Explanations of a program's one-word error: limits of its cgroups, owners of a path, the file system behind
it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from tests.node.test_kubelet import pem
from tests.node.test_recorded import POD, node_at
from tests.node.tree import CONTAINER, UID, V1, V2
from unstuck.collect.node import processes
from unstuck.collect.node.answers import answer
from unstuck.collect.node.deleted_files import find_deleted
from unstuck.collect.node.mounts import Mounts, mount_of
from unstuck.collect.node.node_paths import node_path
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.cgroup_limits import CgroupLimits
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.space import Space
from unstuck.facts.core import Ref, Want

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)


def _limits(tree: Path) -> CgroupLimits:
    (found,) = [
        f
        for f in answer(NodeView(Root(str(tree)), NOW), [Want(CgroupLimits, POD)])
        if isinstance(f, CgroupLimits)
    ]
    return found


def test_limits_of_the_unified_hierarchy(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V2)
    slices = "/sys/fs/cgroup/kubepods.slice"
    pod = f"{slices}/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
    tree.write("/sys/fs/cgroup/cgroup.controllers", "cpu memory pids\n")
    tree.write(f"{slices}/pids.current", "90\n")
    tree.write(f"{slices}/pids.max", "30000\n")
    tree.write(f"{pod}/pids.current", "3\n")
    tree.write(f"{pod}/pids.max", "24\n")
    tree.write(f"{pod}/pids.peak", "24\n")
    tree.write(f"{pod}/pids.events", "max 2\n")
    tree.write(f"{pod}/cpu.max", "2000 100000\n")
    tree.write(f"{pod}/cpu.stat", "usage_usec 17\nnr_periods 610\nnr_throttled 602\nthrottled_usec 5\n")
    tree.write(f"{pod}/cri-containerd-{CONTAINER}.scope/pids.current", "1\n")
    tree.write(f"{pod}/cri-containerd-{CONTAINER}.scope/pids.max", "max\n")
    found = _limits(tree.root)
    by_path = {i.path: i for i in found.items}
    own = by_path[pod]
    assert found.whole
    assert (own.pod, own.pids, own.pids_max, own.pids_peak, own.pids_refused) == (UID, 3, 24, 24, 2)
    assert (own.quota, own.period, own.periods, own.throttled) == (2000, 100000, 610, 602)
    inner = by_path[f"{pod}/cri-containerd-{CONTAINER}.scope"]
    assert (inner.container, inner.pids, inner.pids_max) == (CONTAINER, 1, None)
    assert (by_path[slices].pod, by_path[slices].pids_max) == (None, 30000)
    assert "24" in found.src.quote


def test_limits_of_version_1(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V1)
    for name, files in {
        "pids": {"pids.current": "7", "pids.max": "100"},
        "cpu,cpuacct": {
            "cpu.cfs_quota_us": "-1",
            "cpu.cfs_period_us": "100000",
            "cpu.stat": "nr_periods 0\nnr_throttled 0",
        },
    }.items():
        tree.write(f"/sys/fs/cgroup/{name}/cgroup.procs", "1\n")
        for file, text in files.items():
            tree.write(f"/sys/fs/cgroup/{name}/kubepods/burstable/pod{UID}/{file}", text + "\n")
    own = {i.path.split("/")[4]: i for i in _limits(tree.root).items if i.pod}
    assert (own["pids"].pids, own["pids"].pids_max) == (7, 100)
    assert (own["cpu,cpuacct"].quota, own["cpu,cpuacct"].periods) == (None, 0), "-1 is no limit"


def test_owner_and_mode_of_what_a_path_leads_to(tmp_path: Path) -> None:
    inner = tmp_path / "data"
    inner.mkdir(mode=0o700)
    inner.chmod(0o700)
    (tmp_path / "link").symlink_to(inner)
    found = node_path(NodeView(Root("/"), NOW), Ref("File", "n1", f"{tmp_path}/link/sub/f"))
    assert found is not None
    last = found.parts[-1]
    assert (last.path, last.uid, last.gid, last.mode, last.directory) == (
        str(inner),
        os.getuid(),
        inner.stat().st_gid,
        0o700,
        True,
    )
    assert found.missing == "sub"
    assert found.parts[0].path == "/"
    assert found.space is None or found.space.bytes > 0


def _look_up(path: Path) -> NodePath:
    found = node_path(NodeView(Root("/"), NOW), Ref("File", "n1", str(path)))
    assert found is not None
    return found


def test_a_link_is_followed_to_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "releases" / "2026-12").mkdir(parents=True)
    (tmp_path / "current").symlink_to(tmp_path / "releases" / "2026-11")
    found = _look_up(tmp_path / "current" / "tariffs.json")
    assert [(n.path, n.target) for n in found.links] == [
        (f"{tmp_path}/current", f"{tmp_path}/releases/2026-11")
    ]
    assert (found.parts[-1].path, found.missing, found.beside) == (
        f"{tmp_path}/releases",
        "2026-11",
        ("2026-12",),
    )
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert node_path(NodeView(Root("/"), NOW), Ref("File", "n1", f"{tmp_path}/loop")) is None


def test_what_a_path_is_and_whether_anything_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    (tmp_path / "full.json").write_text("{}")
    (tmp_path / "spool").mkdir()
    kinds = {name: _look_up(tmp_path / name).parts[-1] for name in ("empty.json", "full.json", "spool", ".")}
    assert [(p.kind, p.size, p.empty) for p in kinds.values()] == [
        ("file", 0, True),
        ("file", 2, False),
        ("directory", None, True),
        ("directory", None, False),
    ]


def test_a_deleted_file_is_found_by_the_process_that_holds_it(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    view = NodeView(Root("/"), NOW)
    on = mount_of(str(tmp_path), view.mounts.of_process("self") or Mounts())
    assert on is not None
    space = Space(str(tmp_path), 1, 0, 0, 0, on.mountpoint, on.fstype, on.dev)
    with file.open("wb") as held:
        held.write(b"x" * (1 << 20))
        held.flush()
        os.fsync(held.fileno())
        assert not [d for d in find_deleted(NodeView(Root("/"), NOW), space) or () if d.path == str(file)], (
            "it has a name"
        )
        file.unlink()
        found = [d for d in find_deleted(NodeView(Root("/"), NOW), space) or () if d.path == str(file)]
    assert [(d.proc.pid, d.bytes >= 1 << 20) for d in found] == [(os.getpid(), True)]


def test_a_recorded_tree_keeps_no_owners(tmp_path: Path) -> None:
    tree = node_at(tmp_path, V2)
    assert node_path(NodeView(Root(str(tree.root)), NOW), Ref("File", "n1", "/etc")) is None


def test_a_link_tells_how_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "a").symlink_to("../out")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "out")
    assert [link.relative for name in ("a", "b") for link in _look_up(tmp_path / "in" / name).links] == [
        True,
        False,
    ]


def test_who_has_a_named_pipe_open(tmp_path: Path) -> None:
    pipe = tmp_path / "readings"
    os.mkfifo(pipe)
    none = _look_up(pipe)
    assert (none.parts[-1].kind, none.users) in (("fifo", ()), ("fifo", None)), (
        "nobody, or not all processes were seen"
    )
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert [(u.proc.pid, u.how) for u in _look_up(pipe).users or ()] == [(os.getpid(), "reads")]
    finally:
        os.close(reader)


def test_who_runs_a_program(tmp_path: Path) -> None:
    program = tmp_path / "feeder"
    shutil.copy(shutil.which("sleep") or "", program)
    program.chmod(0o755)
    (tmp_path / "other").mkdir()
    shutil.copy(program, tmp_path / "other" / "feeder")
    with subprocess.Popen([program, "60"]) as running:
        try:
            found = [
                [(u.proc.pid, u.how) for u in _look_up(p).users or ()]
                for p in (program, tmp_path / "other" / "feeder")
            ]
        finally:
            running.kill()
    assert found == [[(running.pid, "runs")], []], "a file of the same name is another one"


def test_certificates_and_numbers_are_told_and_nothing_else(tmp_path: Path) -> None:
    chain, _ = pem(trustme.CA(), "Harbour CA 2020", datetime(2030, 5, 1, tzinfo=UTC))
    (tmp_path / "roots.pem").write_text(f"# a comment\n{chain}", "utf-8")
    (tmp_path / "faxd.pid").write_text("812\n", "utf-8")
    (tmp_path / "pin").write_text("4711\n", "utf-8")
    assert [c.subject for c in _look_up(tmp_path / "roots.pem").certificates][:1] == ["Harbour CA 2020"]
    assert [_look_up(tmp_path / name).number for name in ("faxd.pid", "pin")] == [812, None]


def test_a_path_that_somebody_else_serves_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bucket").mkdir()
    monkeypatch.setattr(NodeView, "may_touch", lambda _self, path: not path.startswith(f"{tmp_path}/bucket"))
    found = _look_up(tmp_path / "bucket" / "a.jpg")
    assert (found.served, found.whole, found.parts[-1].path) == (True, False, str(tmp_path))


def test_whose_number_it_is() -> None:
    view = NodeView(Root("/"), NOW)
    own = processes.numbered(view, Ref("Process", "n1", str(os.getpid())))
    assert own is None or (own.proc is not None and own.proc.pid == os.getpid()), (
        "None where the node's processes are not seen"
    )
    assert processes.numbered(view, Ref("Process", "n1", "relay")) is None
