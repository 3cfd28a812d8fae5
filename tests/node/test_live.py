"""The real kernel: real flags, real holders, a real hanging FUSE file system. With any hang, the answer comes
and no process is left.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.hanging import needs_fuse, needs_root, state, wait_until
from tests.node.tree import UID
from unstuck.collect.node import NodeCollector, files
from unstuck.collect.node.children import current_cpu, one_core, read_lines
from unstuck.collect.node.look import NAME
from unstuck.collect.node.mounts import Mounts, MountTable, parse_mountinfo
from unstuck.collect.node.network_mounts import WaitingWatch
from unstuck.collect.node.path_holders import find_uses
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects import host
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.touched import Touched
from unstuck.facts.core import Ref, Refused, Want

pytestmark = pytest.mark.slow


def own_mounts() -> Mounts:
    return parse_mountinfo(Path("/proc/self/mountinfo").read_text())


@pytest.fixture
def flagged_tree(tmp_path: Path) -> Iterator[Path]:
    """Yield a directory on a disk (tmpfs of an old kernel has no flags) with an immutable file, an
    append-only one and an immutable directory.
    """
    for name in ("plain", "immutable", "append\n\x1b[31m"):
        (tmp_path / name).write_text("x")
    (tmp_path / "deep" / "fixed").mkdir(parents=True)
    changes = [("+i", "immutable"), ("+a", "append\n\x1b[31m"), ("+i", "deep/fixed")]
    try:
        for flag, name in changes:
            subprocess.run(["chattr", flag, str(tmp_path / name)], check=True)
        yield tmp_path
    finally:
        subprocess.run(["chattr", "-R", "-f", "-i", "-a", str(tmp_path)], check=False)


@needs_root
def test_real_flags_are_found_without_opening_anything(flagged_tree: Path) -> None:
    looked = files.find_flagged(files.plan_search([str(flagged_tree)], own_mounts()))
    assert {(f.path.removeprefix(str(flagged_tree)), f.immutable, f.append_only) for f in looked.files} == {
        ("/immutable", True, False),
        ("/append\n\x1b[31m", False, True),
        ("/deep/fixed", True, False),
    }
    assert looked.skipped == [] and looked.walked == [str(flagged_tree)]


@needs_root
def test_without_statx_the_ioctl_finds_the_same(flagged_tree: Path) -> None:
    from unstuck.collect.node import look

    avoid: frozenset[bytes] = frozenset()
    by_statx = look.Walk(look.statx, avoid, time.monotonic() + 60, 1000).over(os.fsencode(flagged_tree))
    by_ioctl = look.Walk(look.getflags, avoid, time.monotonic() + 60, 1000).over(os.fsencode(flagged_tree))
    assert by_ioctl == by_statx


def test_a_walk_that_is_cut_short_says_where(tmp_path: Path) -> None:
    for i in range(30):
        (tmp_path / f"d{i:02}").mkdir()
    looked = files.find_flagged(files.plan_search([str(tmp_path)], own_mounts()), entries=10)
    assert looked.skipped, "20 directories were not looked at"


def test_what_is_not_known_to_be_local_is_not_walked(tmp_path: Path) -> None:
    entries = Mounts(
        (MountEntry("/", "ext4", "a", dev="8:1"), MountEntry(f"{tmp_path}/nfs", "nfs4", "s:/", dev="0:9"))
    )
    plan = files.plan_search([str(tmp_path)], entries)
    assert plan.tops == (str(tmp_path),) and plan.avoid == (f"{tmp_path}/nfs",)
    assert [line.split(" ")[0] for line in plan.skipped] == [f"{tmp_path}/nfs"]
    assert files.plan_search([str(tmp_path)], Mounts()).tops == (), "a directory on nothing that is known"


def test_spaces_of_local_file_systems(tmp_path: Path) -> None:
    (space,) = files.measure_spaces(
        [str(tmp_path), "/h"], Mounts((*own_mounts(), MountEntry("/h", "nfs", "s:/", dev="0:9")))
    )
    assert space.bytes >= space.bytes_free > 0


@needs_root
def test_real_holders_are_told_by_their_links(tmp_path: Path) -> None:
    volume = tmp_path / "pods" / UID / "volumes" / "kubernetes.io~empty-dir" / "d"
    volume.mkdir(parents=True)
    (volume / "data").write_bytes(b"x" * 4096)
    code = (
        "import mmap, sys, time; f = open('data', 'r+b'); m = mmap.mmap(f.fileno(), 0); "
        "f.close() if len(sys.argv) > 1 else None; print('ready', flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], cwd=volume, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None and holder.stdout.readline()
        table = ProcessTable(Root("/"))
        found = find_uses(f"/pods/{UID}", MountTable(Root("/"), table), own_mounts())
        mine = {(u.how, u.path) for u in found.uses if u.proc.pid == holder.pid}
        # The mapping keeps its own descriptor besides the file's.
        assert mine == {("cwd", str(volume)), ("fd", str(volume / "data")), ("maps", str(volume / "data"))}
    finally:
        holder.kill()
        holder.communicate()


@needs_fuse
def test_a_hung_file_system_is_told_by_who_waits_for_it(hung: tuple[Path, int]) -> None:
    point, pid = hung
    table = ProcessTable(Root("/"))
    items, whole = WaitingWatch(MountTable(Root("/"), table), None).answer()
    (item,) = (i for i in items if str(point) in i.mountpoints)
    assert (item.fstype, item.source, item.tasks, item.pods) == ("fuse.hangfs", "hangfs", (pid,), (UID,))
    assert item.seconds > 0
    assert whole is False or item.waiting == 1, "counted only where fusectl is mounted"
    process = table.as_fact(table.all[pid])
    assert (process.state, process.killed, process.stuck_threads, process.waits_in) == (
        "D",
        True,
        1,
        "request_wait_answer",
    )


@needs_fuse
def test_with_a_hung_mount_in_the_pods_directory_everything_answers_and_no_child_is_left(
    hung: tuple[Path, int], tmp_path: Path
) -> None:
    point, pid = hung
    reader = NodeCollector(kubelet_root=str(tmp_path), node_name="here", deadline=30)
    pod = Ref("Pod", uid=UID)
    facts = reader.collect(
        [Want(kind, pod) for kind in (host.PodDirectory, host.FlaggedFiles, host.PathUses, host.PodMounts)]
    )
    directory = next(f for f in facts if isinstance(f, host.PodDirectory))
    assert directory.exists and directory.volumes == ("kubernetes.io~hang/h",)
    flags = next(f for f in facts if isinstance(f, host.FlaggedFiles))
    assert not flags.whole and any(line.startswith(str(point)) for line in flags.not_looked_at)
    uses = next(f for f in facts if isinstance(f, host.PathUses))
    assert not [line for line in uses.not_read if f" {pid} " in line], (
        "its links and maps were read although it is in D"
    )
    # Other tests may be looking at this machine: a leftover child is ours, or orphaned.
    ours = [p.stat for p in ProcessTable(Root("/")).user if p.stat.comm in ("unstuck-look", "unstuck-node")]
    assert not [s for s in ours if s.parent in (1, os.getpid()) and s.state != "Z"]
    assert state(pid) == "D"


@needs_fuse
def test_a_look_that_hangs_is_left_named_and_not_repeated(hung: tuple[Path, int]) -> None:
    point, _ = hung
    # A path never chosen for walking is walked here on purpose, below the cached part.
    below = f"{point}/name"
    plan = files.SearchPlan(tops=(below, str(point.parents[1])))
    looked = files.find_flagged(plan, seconds=1.5)
    assert f"{below} (looking did not return)" in looked.skipped
    table = ProcessTable(Root("/"))
    earlier = files.find_hung_look(table, [below])
    assert earlier is not None and state(earlier) == "D"
    assert below in Path(f"/proc/{earlier}/cmdline").read_text().split("\0")


def cmdline(pid: int) -> list[str]:
    """Return a process' arguments; none if it has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


@needs_fuse
def test_nobody_waits_for_a_child_that_cannot_be_ended(hung: tuple[Path, int]) -> None:
    point, _ = hung
    name = f"{point}/another"
    with pytest.raises(TimeoutError):
        list(read_lines(["/bin/ls", name], seconds=0.5))
    (left,) = (p.pid for p in ProcessTable(Root("/")).user if name in cmdline(p.pid))
    assert state(left) == "D"


# Paths that may hang are touched only on request. The test is in this file, so that no other worker's hung
# mount is visible.


def waiting_at(path: str) -> list[int]:
    """Return our processes with this path in their command line."""
    ours = [
        p.pid
        for p in ProcessTable(Root("/")).user
        if p.stat.comm in (NAME, "unstuck-node") and p.stat.state != "Z"
    ]
    return [pid for pid in ours if path in cmdline(pid)]


def touched(reader: NodeCollector, path: str) -> Touched:
    (fact,) = (f for f in reader.touch(UID) if isinstance(f, Touched) and f.about.name == path)
    return fact


@needs_fuse
def test_a_mount_that_does_not_answer_keeps_one_process_waiting_and_no_second_one(
    hung: tuple[Path, int], tmp_path: Path
) -> None:
    point = str(hung[0])
    reader = NodeCollector(kubelet_root=str(tmp_path), node_name="here", deadline=30)
    first = touched(reader, point)
    assert not first.returned and first.seconds >= 0.9 and first.error == ""
    wait_until(lambda: waiting_at(point))
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
    # Other tests may look at this machine at the same moment: their processes end.
    end = time.monotonic() + 20
    while (left := waiting_at(str(hung[0]))) and time.monotonic() < end:
        time.sleep(0.2)
    assert left == []


def test_a_deadline_ends_the_question_and_says_so() -> None:
    reader = NodeCollector(node_name="here", deadline=0.0)
    wants = [Want(host.Host, Ref("Node", None, "here")), Want(host.PodDirectory, Ref("Pod", uid=UID))]
    facts = reader.collect(wants)
    assert [(f.want, f.why) for f in facts if isinstance(f, Refused)] == [
        ("Host", "timeout"),
        ("PodDirectory", "timeout"),
    ]
    (refused,) = reader.survey(None)
    assert isinstance(refused, Refused) and refused.why == "timeout"


def test_what_is_started_on_one_core_stays_there_and_we_do_not() -> None:
    told = [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"]
    before, cpu = os.sched_getaffinity(0), current_cpu()
    with one_core(cpu):
        assert list(read_lines(told, seconds=20)) == [str({cpu}).encode()]
    assert os.sched_getaffinity(0) == before


def test_a_child_is_read_line_by_line_and_cut_off() -> None:
    code = "import sys, time; print('one', flush=True); print('two', flush=True); time.sleep(600)"
    lines = read_lines([sys.executable, "-c", code], seconds=3)
    assert [next(lines), next(lines)] == [b"one", b"two"]
    with pytest.raises(TimeoutError):
        next(lines)
    with pytest.raises(OSError):
        list(read_lines(["/no/such/program"], seconds=1))


def test_a_large_question_does_not_wait_for_a_child_that_does_not_read() -> None:
    assert list(read_lines([sys.executable, "-c", "print('done')"], b"x" * (1 << 20), seconds=20)) == [
        b"done"
    ]


def test_this_machine_answers() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    reader = NodeCollector(node_name="here", now=lambda: now, deadline=30)
    (machine,) = reader.collect([Want(host.Host, Ref("Node", None, "here"))])
    assert isinstance(machine, host.Host) and machine.kernel == os.uname().release
    snapshot = reader.snapshot(None)
    assert snapshot.now == now and snapshot.sources == ("node:here",)
