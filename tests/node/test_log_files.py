"""Log files: rotated, gzipped, huge, hostile; the time in question is found in them, with the file and
line.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.node.test_logs import NOW, POD, failures, unlink_failed
from tests.node.tree import OTHER, UID, V2, Tree
from unstuck.collect.node import NodeCollector, logs
from unstuck.collect.node.logs.files import list_rotated
from unstuck.collect.node.root import Root
from unstuck.facts.aspects import host
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want

CLOCK = logs.LogClock(NOW, UTC)

pytestmark = pytest.mark.slow


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


def lines(start: datetime, count: int, seconds: float, filler: int = 100) -> Iterator[str]:
    for i in range(count):
        at = start + timedelta(seconds=i * seconds)
        yield f"I{at:%m%d %H:%M:%S.%f}      73 a.go:1] {i} {'x' * filler}\n"


def read(tree: Tree, *, since: datetime | None = None, name: str = "kubelet.log") -> logs.Log:
    found = logs.read_tail(
        Root(str(tree.root)), f"/var/log/{name}", "kubelet", logs.windows(NOW, since), CLOCK
    )
    assert found is not None
    return found


def test_rotated_files_are_named_newest_first(tree: Tree) -> None:
    for name in (
        "kubelet.log",
        "kubelet.log.1",
        "kubelet.log.2.gz",
        "kubelet.log.10",
        "kubelet.logs",
        "kubelet.log.1.bak",
        "kubelet.log.old",
    ):
        tree.write(f"/var/log/{name}", "x")
    assert list_rotated(Root(str(tree.root)), "/var/log/kubelet.log") == [
        f"/var/log/kubelet.log.{n}" for n in ("1", "2.gz", "10")
    ]
    for name in (
        "messages",
        "messages-20261115",
        "messages-20261120.gz",
        "syslog-20261119.log",
        "syslog.log",
        "messages.d-20261111",
    ):
        tree.write(f"/var/log/{name}", "x")
    assert list_rotated(Root(str(tree.root)), "/var/log/messages") == [
        "/var/log/messages-20261120.gz",
        "/var/log/messages-20261115",
    ]
    assert list_rotated(Root(str(tree.root)), "/var/log/syslog.log") == ["/var/log/syslog-20261119.log"]


@pytest.mark.parametrize(
    "name", ["kubelet.log.1", "kubelet.log.1.gz", "kubelet.log-20261121", "kubelet.log-20261121.gz"]
)
def test_what_was_rotated_away_within_the_hour_is_found_where_it_lies_now(tree: Tree, name: str) -> None:
    before = (
        "".join(lines(datetime(2026, 11, 21, 1, 0, tzinfo=UTC), 30, 60)) + unlink_failed(2) + unlink_failed(4)
    )
    tree.write(f"/var/log/{name}", gzip.compress(before.encode()) if name.endswith(".gz") else before)
    tree.write("/var/log/kubelet.log", unlink_failed(6) + unlink_failed(6, OTHER))
    (found,) = failures(tree)
    assert (found.count, found.first) == (3, datetime(2026, 11, 21, 3, 2, 0, 500000, UTC))
    assert found.src.where == "node-1 /var/log/kubelet.log:1", "where the last one stands"
    tree.write("/var/log/kubelet.log", unlink_failed(6, OTHER))
    (found,) = failures(tree)
    assert (found.count, found.src.where) == (2, f"node-1 /var/log/{name}:32")


def test_rotated_files_from_before_the_time_in_question_are_not_read(tree: Tree) -> None:
    tree.write("/var/log/kubelet.log.1", unlink_failed(2).replace("E1121", "E1119"))
    tree.write("/var/log/kubelet.log", "".join(lines(datetime(2026, 11, 21, 1, 0, tzinfo=UTC), 100, 60)))
    assert [p.where for p in read(tree).pieces] == ["/var/log/kubelet.log"]
    assert failures(tree) == []


def test_a_deletion_of_hours_ago_is_found_in_the_file_of_that_time(tree: Tree) -> None:
    since = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
    names = [
        "kubelet.log.5.gz",
        "kubelet.log.4.gz",
        "kubelet.log.3",
        "kubelet.log.2",
        "kubelet.log.1",
        "kubelet.log",
    ]
    for i, name in enumerate(names):
        text = "".join(lines(datetime(2026, 11, 20, 3 + 4 * i, 0, tzinfo=UTC), 1440, 10))
        if name == "kubelet.log.3":
            at = text.index("I1120 14:05")
            text = text[:at] + unlink_failed(5).replace("E1121 03", "E1120 14") + text[at:]
        tree.write(f"/var/log/{name}", gzip.compress(text.encode()) if name.endswith(".gz") else text)
    log = read(tree, since=since)
    assert [p.where for p in log.pieces] == ["/var/log/kubelet.log.3", "/var/log/kubelet.log"]
    facts = NodeCollector(tree.root, now=lambda: NOW, since=since, deadline=20).collect(
        [Want(host.PodDirectory, POD)]
    )
    (found,) = (f for f in facts if isinstance(f, Failure))
    assert found.src.where == "node-1 /var/log/kubelet.log.3:1111" and found.src.at == datetime(
        2026, 11, 20, 14, 5, 0, 500000, UTC
    )


def test_a_long_log_is_searched_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "kubelet.log"
    with path.open("wb") as log:
        # A hole of 3 GB stands for irrelevant hours without any timestamps.
        log.write("".join(lines(datetime(2026, 11, 20, 3, 0, tzinfo=UTC), 1000, 10)).encode())
        log.seek(3 << 30)
        log.write(
            b"\n"
            + "".join(lines(datetime(2026, 11, 21, 2, 0, tzinfo=UTC), 4000, 1)).encode()
            + unlink_failed(9).encode()
        )
    read_: list[int] = []

    class Counting(Root):
        __slots__ = ()

        def data(self, path: str, cap: int = 1 << 20, offset: int = 0) -> bytes | None:
            got = Root.data(self, path, cap, offset)
            read_.append(len(got or b""))
            return got

    log_ = logs.read_tail(Counting(str(tmp_path)), "/kubelet.log", "kubelet", logs.windows(NOW), CLOCK)
    assert log_ is not None and sum(read_) < 128 << 20
    (entry,) = logs.find_entries(log_, [UID.encode()], NOW)
    assert entry.line is None, "three gigabytes are not counted"


def test_a_line_without_end_costs_its_bound_and_no_more(tree: Tree) -> None:
    with (tree.root / "var/log/kubelet.log").open("w") as log:
        log.write(unlink_failed(2))
        for _ in range(100):
            log.write("x" * (1 << 20))
        log.write("\n" + unlink_failed(8))
    (found,) = failures(tree)
    assert found.error == "EPERM" and found.src.at == datetime(2026, 11, 21, 3, 8, 0, 500000, UTC)


def test_a_bomb_of_zeros_ends_at_its_bound(tree: Tree) -> None:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = packer.compress(unlink_failed(2).encode())
    for _ in range(300):
        packed += packer.compress(b"\0" * (1 << 20))
    packed += packer.flush()
    tree.write("/var/log/kubelet.log.1.gz", packed)
    tree.write("/var/log/kubelet.log", unlink_failed(6))
    log = read(tree)
    assert sum(len(p.data) for p in log.pieces) <= 24 << 20
    assert log.cut == ("/var/log/kubelet.log.1.gz",)
    assert failures(tree)


def test_joined_cut_and_damaged_gzip_files_give_what_they_hold(tree: Tree) -> None:
    tree.write("/var/log/kubelet.log", unlink_failed(8))
    for packed, count, whole in (
        (gzip.compress(unlink_failed(2).encode()) + gzip.compress(unlink_failed(4).encode()), 3, True),
        (gzip.compress((unlink_failed(2) + "x" * (1 << 20) + "\n" + unlink_failed(4)).encode()), 3, True),
        (gzip.compress((unlink_failed(2) + unlink_failed(4)).encode())[:-8], 3, False),
        (gzip.compress(unlink_failed(2).encode()) + b"no gzip", 2, False),
        (b"\x1f\x8b\x08\x00broken", 1, True),
        (b"", 1, True),
    ):
        tree.write("/var/log/kubelet.log.1.gz", packed)
        assert [f.count for f in failures(tree)] == [count]
        (seen,) = [
            f
            for f in NodeCollector(tree.root, now=lambda: NOW).collect([Want(host.LogSeen, Ref("Node"))])
            if isinstance(f, host.LogSeen)
        ]
        assert seen.whole is whole
        assert ("not read to its end" in seen.src.quote) is not whole


def test_a_clock_that_jumped_does_not_hide_what_was_written_last(tree: Tree) -> None:
    ahead = "".join(lines(datetime(2026, 11, 21, 9, 0, tzinfo=UTC), 500, 1))
    tree.write(
        "/var/log/kubelet.log",
        "".join(lines(datetime(2026, 11, 20, 9, 0, tzinfo=UTC), 500, 1)) + ahead + unlink_failed(8),
    )
    assert [f.count for f in failures(tree)] == [1]


def test_klogs_stamps_are_in_the_nodes_zone(tree: Tree) -> None:
    tree.write("/etc/localtime", (Path("/usr/share/zoneinfo/Asia/Shanghai")).read_bytes())
    tree.write("/var/log/kubelet.log", unlink_failed(4).replace("E1121 03:04", "E1121 11:04"))
    assert [f.src.at for f in failures(tree)] == [datetime(2026, 11, 21, 3, 4, 0, 500000, UTC)]


def test_a_file_that_nobody_writes_any_more_is_not_preferred_to_a_living_log(tree: Tree) -> None:
    tree.write("/var/log/kubelet.log", unlink_failed(2).replace("E1121", "E1101"))
    message = unlink_failed(6).rstrip("\n")
    tree.write(
        "/var/log/messages",
        f"Nov 21 03:06:01 node-1 kubelet[700]: {message}\nNov 21 03:06:01 node-1 sshd[9]: {message}\n",
    )
    (found,) = failures(tree)
    assert (found.src.where, found.reporter) == ("node-1 /var/log/messages", "kubelet")


@pytest.mark.parametrize("path", ["/var/log/messages", "/var/log/syslog", "/var/log/daemon.log"])
def test_each_components_lines_are_taken_from_what_a_syslog_daemon_writes_of_everything(
    tree: Tree, path: str
) -> None:
    container = "ab" * 32
    runtime = f'time="2026-11-21T03:05:00.1+00:00" level=error msg="Handler for DELETE /v1.31/containers/{container} returned error: driver \\"overlay\\" failed to remove root filesystem for {container}: remove /var/lib/docker/overlay/9/merged: device or resource busy"'
    text = f"Nov 21 03:04:01 node-1 kubelet[700]: {unlink_failed(4)}"
    text += f"Nov 21 03:05:00 node-1 dockerd[1510]: {runtime}\n"
    text += "Nov 21 03:05:00 node-1 dockerdoor[1]: failed to remove root filesystem: remove /x: device or resource busy\n"
    tree.write(path, text)
    told = NodeCollector(tree.root, now=lambda: NOW, deadline=20).survey(UID)
    found = {(f.reporter, f.operation, f.error, f.src.where) for f in told if isinstance(f, Failure)}
    assert found == {
        ("kubelet", "volume-tear-down", "EPERM", f"node-1 {path}"),
        ("dockerd", "rootfs-remove", "EBUSY", f"node-1 {path}"),
    }


def test_a_message_of_several_lines_in_a_syslog_is_one(tree: Tree) -> None:
    volume = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d"
    head = "Nov 21 03:02:00 node-1 kubelet[700]: "
    text = f'{head}E1121 03:02:00.500000     700 a.go:1] Operation for "{{podName:{UID}}}" failed. Error: UnmountVolume.TearDown failed for volume "d" (UniqueName: "d") pod "{UID}" (UID: "{UID}") : unmount failed: exit status 32\n'
    text += f"{head}Unmounting arguments: {volume}\n{head}Output: umount: {volume}: target is busy.\n"
    tree.write("/var/log/messages", text)
    assert [(f.operation, f.error, f.path) for f in failures(tree)] == [("volume-tear-down", "EBUSY", volume)]


@pytest.mark.parametrize(
    ("path", "component"),
    [
        ("/var/log/docker.log", "dockerd"),
        ("/var/log/upstart/docker.log", "dockerd"),
        ("/var/log/containerd/containerd.log", "containerd"),
        ("/var/log/crio/crio.log", "crio"),
        ("/var/log/kubernetes/kubelet.log", "kubelet"),
        ("/var/log/k3s.log", "kubelet"),
    ],
)
def test_logs_are_found_where_distributions_put_them(tree: Tree, path: str, component: str) -> None:
    tree.write(path, 'time="2026-11-21T03:05:00.1Z" level=error msg="no such thing"\n')
    seen = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect(
        [Want(host.LogSeen, Ref("Node", None, "node-1"))]
    )
    assert [(s.component, s.path) for s in seen if isinstance(s, host.LogSeen)] == [(component, path)]
