"""Systemd's journal, made by systemd's own programs: the messages of the kubelet, the runtimes and the
kernel, in order and complete.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.node import journals
from tests.node.test_logs import VOLUME, unlink_failed
from tests.node.tree import UID, V2, Tree
from unstuck.collect.node import NodeCollector
from unstuck.collect.node.logs import journal
from unstuck.collect.node.logs.log import Window
from unstuck.collect.node.root import Root
from unstuck.facts.aspects import host, kernel
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Want

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
POD = Ref("Pod", "shop", "web-7c64f997dc-qzsbx", UID)
NODE = Ref("Node", None, "node-1")
KUBELET = {
    "_COMM": "kubelet",
    "_SYSTEMD_UNIT": "kubelet.service",
    "SYSLOG_IDENTIFIER": "kubelet",
    "_PID": "700",
    "_HOSTNAME": "node-1",
}
CONTAINERD = {
    "_COMM": "containerd",
    "_SYSTEMD_UNIT": "containerd.service",
    "SYSLOG_IDENTIFIER": "containerd",
    "_PID": "600",
    "_HOSTNAME": "node-1",
}
KERNEL = {"_TRANSPORT": "kernel", "SYSLOG_IDENTIFIER": "kernel", "_HOSTNAME": "node-1"}
OTHERS = {
    "_COMM": "sshd",
    "_SYSTEMD_UNIT": "ssh.service",
    "SYSLOG_IDENTIFIER": "sshd",
    "_PID": "9",
    "_HOSTNAME": "node-1",
}

pytestmark = pytest.mark.slow


def at(minute: int, second: float = 0.5) -> int:
    return int((datetime(2026, 11, 21, 3, minute, tzinfo=UTC) + timedelta(seconds=second)).timestamp() * 1e6)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    journals.require_journals()
    made = Tree(tmp_path)
    made.node(V2)
    made.write("/etc/machine-id", journals.MACHINE + "\n")
    return made


def put(
    tree: Tree, entries: list[tuple[int, bytes, Mapping[str, str]]], place: str = "/var/log/journal"
) -> None:
    journals.make(tree.root / f"{place}/{journals.MACHINE}/system.journal".lstrip("/"), entries)


def collect(tree: Tree, fact: type[Fact], about: Ref) -> list[Fact]:
    return NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect([Want(fact, about)])


def failures(tree: Tree) -> list[Failure]:
    return [f for f in collect(tree, host.PodDirectory, POD) if isinstance(f, Failure)]


def test_the_kubelets_words_are_found_with_count_and_times(tree: Tree) -> None:
    lines = [unlink_failed(m).rstrip("\n").encode() for m in (2, 4, 6)]
    put(
        tree,
        [
            (at(1), b"Accepted publickey " + UID.encode() + b" failed: operation not permitted", OTHERS),
            *((at(m), line, KUBELET) for m, line in zip((2, 4, 6), lines, strict=True)),
        ],
    )
    (found,) = failures(tree)
    assert (found.operation, found.error, found.path) == (
        "volume-tear-down",
        "EPERM",
        VOLUME.format(uid=UID) + "/x",
    )
    assert (found.count, found.first, found.src.at) == (
        3,
        datetime(2026, 11, 21, 3, 2, 0, 500000, UTC),
        datetime(2026, 11, 21, 3, 6, 0, 500000, UTC),
    )
    assert found.reporter == "kubelet" and found.src.where == "node-1 journalctl _COMM=kubelet"


def test_the_journals_own_time_corrects_a_kubelet_that_writes_in_another_zone(tree: Tree) -> None:
    # The node's clock is on UTC, the kubelet runs in a container eight hours east.
    east = unlink_failed(4).replace("E1121 03:04", "E1121 11:04").rstrip("\n").encode()
    put(tree, [(at(4, 0.512), east, KUBELET)])
    (found,) = failures(tree)
    assert found.src.at == datetime(2026, 11, 21, 3, 4, 0, 500000, UTC)


def test_a_message_of_several_lines_that_the_journal_cut_is_one_again(tree: Tree) -> None:
    volume = VOLUME.format(uid=UID)
    first = f'E1121 03:02:00.500000     700 nestedpendingoperations.go:348] Operation for "{{podName:{UID}}}" failed. Error: UnmountVolume.TearDown failed for volume "d" (UniqueName: "d") pod "{UID}" (UID: "{UID}") : unmount failed: exit status 32'
    rest = [f"Unmounting arguments: {volume}", f"Output: umount: {volume}: target is busy."]
    put(tree, [(at(2, 0.6 + i / 1000), line.encode(), KUBELET) for i, line in enumerate([first, *rest])])
    (found,) = failures(tree)
    assert (found.operation, found.error, found.path, found.count) == ("volume-tear-down", "EBUSY", volume, 1)


def test_bytes_that_are_no_text_and_very_long_messages_are_read(tree: Tree) -> None:
    long = unlink_failed(3).rstrip("\n").encode() + b" x" * 40_000
    put(
        tree,
        [(at(2), unlink_failed(2).rstrip("\n").encode() + b" \xff\xfe\x01", KUBELET), (at(3), long, KUBELET)],
    )
    assert [(f.error, f.count) for f in failures(tree)] == [("EPERM", 2)]


def test_only_the_time_in_question_is_read(tree: Tree) -> None:
    old = int(datetime(2026, 11, 20, 20, 0, tzinfo=UTC).timestamp() * 1e6)
    put(
        tree,
        [
            (
                old,
                b"E1120 20:00:00.500000 700 a.go:1] "
                + UID.encode()
                + b" unlinkat /a: operation not permitted",
                KUBELET,
            ),
            (at(9), b"I1121 03:09:00.500000 700 a.go:1] alive", KUBELET),
        ],
    )
    assert failures(tree) == []
    (seen,) = (f for f in collect(tree, host.LogSeen, NODE) if isinstance(f, host.LogSeen))
    assert seen.component == "kubelet" and seen.since == datetime(2026, 11, 21, 3, 9, 0, 500000, UTC)


def test_persistent_and_volatile_journals_are_one(tree: Tree) -> None:
    line = unlink_failed(2).rstrip("\n").encode()
    put(tree, [(at(2), line, KUBELET)])
    put(
        tree,
        [(at(2), line, KUBELET), (at(4), unlink_failed(4).rstrip("\n").encode(), KUBELET)],
        "/run/log/journal",
    )
    assert [(f.error, f.count) for f in failures(tree)] == [("EPERM", 2)]


def test_another_machines_journal_beside_it_is_not_this_nodes(tree: Tree) -> None:
    put(tree, [(at(9), b"I1121 03:09:00.500000 700 a.go:1] alive", KUBELET)])
    other = tree.root / "var/log/journal/ffffffffffffffffffffffffffffffff/system.journal"
    journals.make(other, [(at(2), unlink_failed(2).rstrip("\n").encode(), KUBELET)])
    assert failures(tree) == []


def test_the_runtimes_words_are_under_its_own_name(tree: Tree) -> None:
    snapshot = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/124"
    line = f'time="2026-11-21T03:03:01.123456789Z" level=warning msg="failed to remove directory" error="unlinkat {snapshot}/fs/x: operation not permitted" path={snapshot}'
    put(tree, [(at(3), line.encode(), CONTAINERD)])
    found = [
        f
        for f in NodeCollector(tree.root, now=lambda: NOW, deadline=20).survey(None)
        if isinstance(f, Failure)
    ]
    assert [(f.reporter, f.operation, f.error, f.path) for f in found] == [
        ("containerd", "snapshot-remove", "EPERM", f"{snapshot}/fs/x")
    ]


def test_the_kernels_words_are_told_of_the_node(tree: Tree) -> None:
    put(
        tree,
        [
            (at(1), b"INFO: task dockerd:4711 blocked for more than 120 seconds.", KERNEL),
            (at(1), b"Call Trace:", KERNEL),
            (at(1), b" schedule+0x5a/0xd0", KERNEL),
            (at(1), b" rpc_wait_bit_killable+0xd/0x70 [sunrpc]", KERNEL),
            (at(2), b"nfs: server 10.0.3.7 not responding, still trying", KERNEL),
            (at(3), b"EXT4-fs (sda1): Remounting filesystem read-only", KERNEL),
        ],
    )
    (hung,) = (f for f in collect(tree, kernel.HungTasks, NODE) if isinstance(f, kernel.HungTasks))
    assert [(t.comm, t.pid, t.functions) for t in hung.items] == [
        ("dockerd", 4711, ("rpc_wait_bit_killable [sunrpc]",))
    ]
    assert not hung.whole and hung.src.at == datetime.fromtimestamp(at(1) / 1e6, UTC)
    (events,) = (f for f in collect(tree, kernel.KernelEvents, NODE) if isinstance(f, kernel.KernelEvents))
    assert [(e.kind, e.what, e.over) for e in events.items] == [
        ("server-silent", "10.0.3.7", False),
        ("fs-read-only", "sda1", False),
    ]


def test_a_damaged_journal_ends_in_what_can_be_read(tree: Tree) -> None:
    put(tree, [(at(2), unlink_failed(2).rstrip("\n").encode(), KUBELET)])
    file = tree.root / f"var/log/journal/{journals.MACHINE}/system.journal"
    data = bytearray(file.read_bytes())
    data[300:4000] = b"\xff" * 3700
    file.write_bytes(data)
    assert all(f.error == "EPERM" for f in failures(tree))


def test_what_journalctl_prints_is_taken_apart_whatever_it_is() -> None:
    assert journal.parse_entry(
        b'{"MESSAGE":[104,105],"_COMM":"kubelet","__REALTIME_TIMESTAMP":"1795230600500000"}'
    ) == journal.JournalEntry(
        datetime(2026, 11, 21, 3, 10, 0, 500000, UTC), "kubelet", "localhost", "kubelet", "", b"hi"
    )
    for line in (
        b"",
        b"[]",
        b'{"MESSAGE":null}',
        b'{"MESSAGE":[256]}',
        b'{"MESSAGE":[[1]]}',
        b'{"MESSAGE":{}}',
        b"[" * 100_000,
    ):
        assert journal.parse_entry(line) is None
    (twice,) = filter(None, [journal.parse_entry(b'{"MESSAGE":["a","b"],"_COMM":["kubelet","x"]}')])
    assert (twice.message, twice.component, twice.at) == (b"a\nb", "kubelet", None)


_LOCKED = """
import sys
from datetime import UTC, datetime
from unstuck.collect.node.seccomp import lock
from unstuck.collect.node.logs import journal
from unstuck.collect.node.logs.log import Window
from unstuck.collect.node.root import Root

lock()
start, end = (datetime(2026, 11, 21, 3, m, tzinfo=UTC) for m in (2, 8))
for entry in journal.read_components(Root(sys.argv[1]), [Window(start, end)], seconds=20):
    print(ascii(entry))
"""


def test_a_locked_process_reads_without_a_program_what_journalctl_tells(tree: Tree) -> None:
    """As the agent does: it may run nothing, and asks systemd's library."""
    line = unlink_failed(3).rstrip("\n").encode()
    put(
        tree,
        [
            (at(1), b"before", KUBELET),
            (at(2), line + b" \xff\xfe", KUBELET),
            (at(3), line + b" x" * 40_000, KUBELET),
            (at(4), b"of nobody that matters", OTHERS),
            (at(5), b"level=warning", CONTAINERD),
            (at(9), b"after", KUBELET),
        ],
    )
    window = Window(datetime(2026, 11, 21, 3, 2, tzinfo=UTC), datetime(2026, 11, 21, 3, 8, tzinfo=UTC))
    told = journal.read_components(Root(str(tree.root)), [window], seconds=20)
    assert [e.component for e in told] == ["kubelet", "kubelet", "containerd"]
    done = subprocess.run(
        [sys.executable, "-c", _LOCKED, str(tree.root)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [ascii(e) for e in told]
