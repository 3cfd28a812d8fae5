"""The kernel's log in all its formats, and the meaning of its lines, from kernels 2.6.32 to 6.18."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.tree import OTHER, UID, V2, Tree
from unstuck.collect.node import NodeCollector
from unstuck.collect.node.kernel import KernelLine, parse_lines, read_log
from unstuck.collect.node.kernel_messages import parse_events, parse_hung_tasks
from unstuck.collect.node.logs import LogClock
from unstuck.collect.node.root import Root
from unstuck.facts.aspects import kernel, oom
from unstuck.facts.core import Fact, Ref, Refused, Want

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
BOOT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
CLOCK = LogClock(NOW, UTC)
NODE = Ref("Node", None, "node-1")
POD = Ref("Pod", "shop", "web-7c64f997dc-qzsbx", UID)

# Linux 6.1; 3.10 prints addresses before functions and no <TASK>.
HUNG = """\
[  363.412345] INFO: task ls:1234 blocked for more than 120 seconds.
[  363.412350]       Not tainted 6.1.0-13-amd64 #1 Debian 6.1.55-1
[  363.412351] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
[  363.412352] task:ls              state:D stack:0     pid:1234  ppid:1000   flags:0x00004002
[  363.412353] Call Trace:
[  363.412354]  <TASK>
[  363.412355]  __schedule+0x34d/0x9e0
[  363.412356]  schedule+0x5a/0xd0
[  363.412357]  ? prepare_to_wait+0x1/0x2
[  363.412358]  rpc_wait_bit_killable+0xd/0x70 [sunrpc]
[  363.412359]  __wait_on_bit+0x75/0x90
[  363.412360]  nfs4_do_close+0x10/0x20 [nfsv4]
[  363.412361]  </TASK>
"""
HUNG_3_10 = """\
[  363.412345] INFO: task java:31238 blocked for more than 120 seconds.
[  363.412351] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
[  363.412352] java            D ffff88003e2a0fd0     0 31238  31221 0x00000084
[  363.412353] Call Trace:
[  363.412355]  [<ffffffff816a94c9>] schedule+0x29/0x70
[  363.412356]  [<ffffffffc06de0e5>] __fuse_request_send+0xf5/0x280 [fuse]
[  363.412357]  [<ffffffff810b1920>] ? wake_up_atomic_t+0x30/0x30
[  363.412358]  [<ffffffffc06e0e62>] fuse_do_getattr+0x162/0x320 [fuse]
[  370.000000] e1000: eth0 NIC Link is Up
"""


def read(text: str) -> list[KernelLine]:
    return list(parse_lines(text, BOOT, CLOCK))


def test_a_blocked_task_is_told_with_where_it_waits() -> None:
    (task,) = parse_hung_tasks(read(HUNG))
    assert (task.comm, task.pid, task.seconds, task.count) == ("ls", 1234, 120, 1)
    assert task.functions == ("rpc_wait_bit_killable [sunrpc]", "__wait_on_bit", "nfs4_do_close [nfsv4]")
    assert task.first == task.last == BOOT + timedelta(seconds=363.412345)
    (old,) = parse_hung_tasks(read(HUNG_3_10))
    assert (old.comm, old.pid, old.functions) == (
        "java",
        31238,
        ("__fuse_request_send [fuse]", "fuse_do_getattr [fuse]"),
    )


def test_a_task_that_stays_blocked_is_one_with_its_count_and_times() -> None:
    again = HUNG.replace("[  363.", "[  484.").replace("120 seconds", "241 seconds")
    (task,) = parse_hung_tasks(read(HUNG + again))
    assert (task.seconds, task.count, task.last) == (241, 2, BOOT + timedelta(seconds=484.412345))


def test_names_with_spaces_and_colons_and_newer_words() -> None:
    said = "INFO: task Web Content: x:77 blocked in I/O wait for more than 122 seconds."
    assert [(t.comm, t.pid) for t in parse_hung_tasks([KernelLine(said)])] == [("Web Content: x", 77)]


@pytest.mark.parametrize(
    ("line", "kind", "what"),
    [
        (
            "EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory lblock 0",
            "fs-error",
            "sda1",
        ),
        ("EXT4-fs (dm-3): Remounting filesystem read-only", "fs-read-only", "dm-3"),
        ("EXT3-fs (sda1): error: remounting filesystem read-only", "fs-read-only", "sda1"),
        ("BTRFS info (device nvme0n1p2 state EA): forced readonly", "fs-read-only", "nvme0n1p2"),
        (
            "BTRFS: error (device sda1) in cleanup_transaction:1977: errno=-30 Readonly filesystem",
            "fs-error",
            "sda1",
        ),
        (
            "XFS (dm-0): xfs_do_force_shutdown(0x2) called from line 1232 of file fs/xfs/xfs_log.c. Shutting down filesystem",
            "fs-shutdown",
            "dm-0",
        ),
        ("XFS (dm-0): Filesystem has been shut down due to log error (0x2).", "fs-shutdown", "dm-0"),
        (
            "XFS (sdb1): Metadata corruption detected at xfs_agf_read_verify+0x5e/0x100 [xfs], xfs_agf block 0x1",
            "fs-error",
            "sdb1",
        ),
        ("blk_update_request: I/O error, dev sdb, sector 1234 op 0x0:(READ) flags 0x0", "io-error", "sdb"),
        ("Buffer I/O error on dev dm-1, logical block 0, async page read", "io-error", "dm-1"),
        ("critical medium error, dev sda, sector 1953", "io-error", "sda"),
        ("nfs: server 10.0.3.7 not responding, still trying", "server-silent", "10.0.3.7"),
        ("nfs: server nas.example not responding, timed out", "server-silent", "nas.example"),
        ("ceph: mds0 hung", "server-silent", "mds0"),
        ("ceph: [c1a2-33 4711]: mds1 hung", "server-silent", "mds1"),
        (
            "libceph: mon0 (1)10.0.0.1:6789 session lost, hunting for new mon",
            "server-silent",
            "mon0 (1)10.0.0.1:6789",
        ),
        ("CIFS: VFS: \\\\nas has not responded in 180 seconds. Reconnecting...", "server-silent", "\\\\nas"),
        ("nf_conntrack: nf_conntrack: table full, dropping packet", "conntrack-full", ""),
        ("nf_conntrack: table full, dropping packet.", "conntrack-full", ""),
        ("VFS: file-max limit 1024 reached", "file-max", ""),
        (
            f"cgroup: fork rejected by pids controller in /kubepods/burstable/pod{UID}/ab",
            "fork-rejected",
            f"/kubepods/burstable/pod{UID}/ab",
        ),
        ("watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [ksoftirqd/3:28]", "soft-lockup", "3"),
        ("rcu: INFO: rcu_preempt self-detected stall on CPU", "rcu-stall", ""),
        ("unregister_netdevice: waiting for lo to become free. Usage count = 1", "netdev-held", "lo"),
        ("neighbour: arp_cache: neighbor table overflow!", "neighbours-full", "arp_cache"),
        ("runc:[2:INIT]: page allocation failure: order:6, mode:0x10c0d0", "allocation-failed", "6"),
        ("BUG: unable to handle kernel NULL pointer dereference at 0000000000000050", "kernel-bug", ""),
        ("kernel BUG at mm/slub.c:305!", "kernel-bug", "mm/slub.c:305!"),
    ],
)
def test_what_a_line_means(line: str, kind: str, what: str) -> None:
    (event,) = parse_events([KernelLine(line)])
    assert (event.kind, event.what, event.count, event.over) == (kind, what, 1, False)


@pytest.mark.parametrize(
    "line",
    [
        "blk_update_request: I/O error, dev fd0, sector 0",
        "Buffer I/O error on dev sr0, logical block 0",
        "EXT4-fs (vda): mounted filesystem with ordered data mode",
        "EXT4-fs (sda1): re-mounted. Opts: (null)",
        "XFS (dm-0): Ending clean mount",
        'audit: type=1400 apparmor="DENIED" name="/nfs: server x not"',
        "nfs: server 10.0.3.7 OK",
    ],
)
def test_what_means_nothing(line: str) -> None:
    assert parse_events([KernelLine(line)]) == []


def test_a_server_that_answers_again_is_over_until_it_is_silent_again() -> None:
    silent, well = KernelLine("nfs: server a not responding, still trying"), KernelLine("nfs: server a OK")
    assert [(e.count, e.over) for e in parse_events([silent, well])] == [(1, True)]
    assert [(e.count, e.over) for e in parse_events([silent, well, silent])] == [(2, False)]
    assert [(e.what, e.over) for e in parse_events([silent, KernelLine("nfs: server b OK")])] == [
        ("a", False)
    ]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("[   60.500000] nfs: server a OK", BOOT + timedelta(seconds=60.5)),
        ("<5>[   60.500000] nfs: server a OK", BOOT + timedelta(seconds=60.5)),
        ("[   60.500000][  T123] nfs: server a OK", BOOT + timedelta(seconds=60.5)),
        ("[Sat Nov 21 03:02:40 2026] nfs: server a OK", datetime(2026, 11, 21, 3, 2, 40, tzinfo=UTC)),
        ("2026-11-21T05:02:40,123456+02:00 nfs: server a OK", datetime(2026, 11, 21, 3, 2, 40, 123456, UTC)),
        (
            "Nov 21 03:02:40 node-1 kernel: [   60.500000] nfs: server a OK",
            datetime(2026, 11, 21, 3, 2, 40, tzinfo=UTC),
        ),
        (
            "2026-11-21T03:02:40.123456+00:00 node-1 kernel: nfs: server a OK",
            datetime(2026, 11, 21, 3, 2, 40, 123456, UTC),
        ),
    ],
)
def test_every_form_of_a_line(text: str, at: datetime) -> None:
    (line,) = read(text)
    assert (line.text, line.at) == ("nfs: server a OK", at)


def test_dmesg_with_dates_is_in_the_nodes_zone() -> None:
    east = LogClock(NOW, timezone(timedelta(hours=8)))
    (line,) = parse_lines("[Sat Nov 21 11:02:40 2026] x", BOOT, east)
    assert line.at == datetime(2026, 11, 21, 3, 2, 40, tzinfo=UTC)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    made.write("/proc/stat", f"btime {int(BOOT.timestamp())}\n")
    return made


def one(tree: Tree, kind: type[Fact], about: Ref) -> Fact:
    (found,) = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect([Want(kind, about)])
    return found


def log_of(tree: Tree) -> list[str]:
    log = read_log(Root(str(tree.root)), BOOT, CLOCK, lambda _: True)
    return [line.text for line in log.lines] if log else []


@pytest.mark.slow
def test_a_recorded_ring_is_whole_only_when_it_begins_at_the_boot(tree: Tree) -> None:
    tree.write("/proc/sys/kernel/hung_task_warnings", "9\n")
    tree.write("/proc/sys/kernel/hung_task_timeout_secs", "120\n")
    tree.write("/proc/kmsg", "[    0.000000] Linux version 6.1\n" + HUNG)
    hung = one(tree, kernel.HungTasks, NODE)
    assert isinstance(hung, kernel.HungTasks) and hung.whole and [t.pid for t in hung.items] == [1234]
    assert hung.src.quote == "task ls:1234 blocked for more than 120 seconds"
    tree.write("/proc/sys/kernel/hung_task_warnings", "0\n")
    assert not one(tree, kernel.HungTasks, NODE).whole, "the kernel has said it ten times and says it no more"
    tree.write("/proc/kmsg", HUNG)
    assert not one(tree, kernel.KernelEvents, NODE).whole


@pytest.mark.slow
def test_a_dmesg_of_the_boot_and_what_came_later_are_put_together(tree: Tree) -> None:
    boot = "[    0.000000] Linux version 3.10\n[    1.000000] XFS (dm-0): log I/O error -5\n"
    tree.write("/var/log/dmesg", boot)
    later = "".join(f"Nov 21 02:00:0{i} node-1 kernel: {line}\n" for i, line in enumerate(boot.splitlines()))
    tree.write(
        "/var/log/messages",
        later
        + "Nov 21 03:02:40 node-1 kernel: [ 3760.1] EXT4-fs (sda1): Remounting filesystem read-only\nNov 21 03:02:41 node-1 sshd[1]: EXT4-fs (sdx): Remounting filesystem read-only\n",
    )
    events = one(tree, kernel.KernelEvents, NODE)
    assert isinstance(events, kernel.KernelEvents) and not events.whole
    assert [(e.kind, e.what, e.count) for e in events.items] == [
        ("fs-shutdown", "dm-0", 1),
        ("fs-read-only", "sda1", 1),
    ]
    assert not one(tree, oom.OomKills, NODE).whole, "a dmesg of the boot ends there"


def test_lines_from_before_the_boot_are_of_another_life(tree: Tree) -> None:
    tree.write(
        "/var/log/kern.log",
        "Nov 21 01:00:00 node-1 kernel: [99.9] old\nNov 21 03:00:00 node-1 kernel: [3600.000] new\n",
    )
    assert log_of(tree) == ["new"]


@pytest.mark.slow
def test_a_line_that_names_a_pods_cgroup_is_told_of_that_pod(tree: Tree) -> None:
    tree.write(
        "/proc/kmsg",
        f"[ 1.000000] cgroup: fork rejected by pids controller in /kubepods/pod{UID}\n[ 2.000000] cgroup: fork rejected by pids controller in /kubepods/pod{OTHER}\n",
    )
    found = one(tree, kernel.KernelEvents, POD)
    assert isinstance(found, kernel.KernelEvents) and [e.what for e in found.items] == [f"/kubepods/pod{UID}"]


@pytest.mark.slow
def test_a_blocked_task_is_a_pods_while_it_lives_and_its_number_is_the_kernels(tree: Tree) -> None:
    tree.process(1234, "ls", state="D", cgroup=V2.format(id="ab" * 32))
    tree.write("/proc/1234/status", "Name:\tls\nState:\tD (disk sleep)\n")
    tree.write("/proc/kmsg", HUNG)
    assert [(t.pod, t.alive) for t in tasks(one(tree, kernel.HungTasks, NODE))] == [(None, None)], (
        "a container's numbers are others"
    )
    tree.link("/proc/1/ns/pid", "pid:[4026531836]")
    assert [(t.pod, t.alive) for t in tasks(one(tree, kernel.HungTasks, NODE))] == [(UID, True)]
    assert [t.pid for t in tasks(one(tree, kernel.HungTasks, POD))] == [1234]
    tree.write("/proc/1234/status", "Name:\tanother\nState:\tS (sleeping)\n")
    assert [(t.pod, t.alive) for t in tasks(one(tree, kernel.HungTasks, NODE))] == [(None, False)]
    assert tasks(one(tree, kernel.HungTasks, POD)) == ()


def tasks(fact: Fact) -> tuple[kernel.HungTask, ...]:
    assert isinstance(fact, kernel.HungTasks)
    return fact.items


@pytest.mark.slow
def test_in_a_node_that_is_a_container_a_blocked_task_of_the_machine_is_not_its_own(tree: Tree) -> None:
    tree.link("/proc/1/ns/pid", "pid:[4026532632]")
    tree.write("/proc/kmsg", HUNG)
    tree.process(77, "ls", state="S", cgroup=V2.format(id="ab" * 32))
    assert [t.alive for t in tasks(one(tree, kernel.HungTasks, NODE))] == [False]
    tree.process(78, "ls", state="D", cgroup=V2.format(id="ab" * 32))
    assert [t.alive for t in tasks(one(tree, kernel.HungTasks, NODE))] == [None], (
        "it may be that one: its number tells nothing"
    )


@pytest.mark.slow
def test_no_kernels_log_is_a_refusal(tree: Tree) -> None:
    for kind in (kernel.HungTasks, kernel.KernelEvents):
        assert isinstance(one(tree, kind, NODE), Refused)


@given(
    st.text(max_size=500),
    st.lists(
        st.sampled_from(
            [*HUNG.splitlines(), *HUNG_3_10.splitlines(), "[9999999999.999999] x", "\x00", "<TASK>"]
        ),
        max_size=40,
    ),
)
def test_no_line_ends_in_an_error(text: str, parts: list[str]) -> None:
    lines = read("\n".join([text, *parts]))
    parse_events(lines)
    assert all(t.pid < 10**10 and len(t.functions) <= 8 for t in parse_hung_tasks(lines))
