"""A node's facts about unkillable processes, their obstacles, and the consumers of a disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.node.hanging import needs_root, state, wait_until
from tests.node.test_recorded import POD, V2, node_at, only, reader
from tests.node.tree import CONTAINER, HOST_MOUNTS, HOST_NS, Tree
from unstuck.collect.node import files
from unstuck.collect.node.mount_daemons import options_of, server_of
from unstuck.collect.node.mounts import Mounts, mount_of, parse_mountinfo
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.collect.node.syscalls import call_name
from unstuck.facts.aspects import host
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.core import Want

INSIDE = "pid:[4026532632]"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return node_at(tmp_path, V2)


def test_a_zombie_that_another_process_left_in_the_pods_namespace_counts_as_its(tree: Tree) -> None:
    tree.link("/proc/1/ns/pid", "pid:[4026531836]")
    tree.link("/proc/910/ns/pid", INSIDE)
    tree.process(4100, "nsenter", state="T")
    tree.process(4101, "sleep", state="Z", parent=4100)
    tree.link("/proc/4101/ns/pid", INSIDE)
    tree.process(4102, "sh", state="Z", parent=4100)
    tree.link("/proc/4102/ns/pid", "pid:[4026531836]")
    found = {
        p.pid: p for p in only(reader(tree).collect([Want(host.PodProcesses, POD)]), host.PodProcesses).items
    }
    assert 4101 in found and 4102 not in found, "the other one is in the node's own namespace"
    zombie = found[4101]
    assert (zombie.state, zombie.parent, zombie.parent_comm, zombie.parent_state) == (
        "Z",
        4100,
        "nsenter",
        "T",
    )
    assert INSIDE in zombie.namespaces and (zombie.dead_threads, zombie.live_threads) == (1, 0)


def test_a_leader_that_ended_before_its_threads_tells_how_many_live(tree: Tree) -> None:
    tree.process(4200, "java", state="Z")
    stat = (tree.root / "proc/4200/stat").read_text()
    many = stat.replace(" 20 0 1 0 ", " 20 0 3 0 ")
    tree.write("/proc/4200/stat", many)
    for tid, letter in ((4200, "Z"), (4201, "D"), (4202, "S")):
        tree.write(f"/proc/4200/task/{tid}/stat", many.replace("4200 (java) Z", f"{tid} (java) {letter}"))
    table = ProcessTable(Root(str(tree.root)))
    fact = table.as_fact(table.all[4200])
    assert (fact.state, fact.dead_threads, fact.live_threads, fact.stuck_threads) == ("Z", 1, 2, 1)


def test_a_real_zombie_has_given_up_its_namespaces() -> None:
    ended = subprocess.Popen(["/bin/true"])
    try:
        wait_until(lambda: state(ended.pid) == "Z")
        present, missing = ProcessTable(Root("/")).namespaces(ended.pid)
        assert "mnt" in missing and "net" in missing
        assert any(n.startswith("pid:[") for n in present)
    finally:
        ended.wait()


def test_a_system_call_has_a_name_or_a_number() -> None:
    assert (
        call_name(
            "332 0xffffff9c 0x7ffffa497ac2 0x800 0x2 0x7ffffa496fb0 0x0 0x7ffffa496fa8 0x7f98c738db3a",
            "x86_64",
        )
        == "statx"
    )
    assert call_name("291 0x1 0x2 0x3 0x4 0x5 0x6 0xffffe0000000 0xffff80000000", "aarch64") == "statx"
    assert call_name("332 0x0 0x0 0x0 0x0 0x0 0x0 0xffd0a000 0xf7f00559", "x86_64") == "call 332", (
        "a 32-bit program counts otherwise"
    )
    assert call_name("5000 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffffa496fa8 0x7f98c738db3a", "x86_64") == "call 5000"
    assert call_name("332 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffffa496fa8 0x7f98c738db3a", "") == "call 332"
    assert [call_name(t, "x86_64") for t in ("running", "-1 0x7ffffa496fa8 0x7f98c738db3a", "", "x")] == [
        "",
        "",
        "",
        "",
    ]


def test_mounts_of_its_containers_are_told_beside_those_of_its_directory(tree: Tree) -> None:
    rootfs = f"/run/containerd/io.containerd.runtime.v2.task/k8s.io/{CONTAINER}/rootfs"
    line = (
        f"200 27 0:90 / {rootfs} rw,relatime shared:90 - overlay overlay "
        "rw,lowerdir=/a:/b,upperdir=/c,workdir=/d\n"
    )
    for pid in (p.pid for p in ProcessTable(Root(str(tree.root))).user):
        if (tree.root / f"proc/{pid}/ns/mnt").readlink() == Path(HOST_NS):
            tree.write(f"/proc/{pid}/mountinfo", HOST_MOUNTS + line)
    fact = only(reader(tree).collect([Want(host.PodMounts, POD)]), host.PodMounts)
    assert [e.mountpoint for e in fact.containers] == [rootfs]
    assert "upperdir=/c" in fact.containers[0].options and rootfs not in [e.mountpoint for e in fact.items]


@pytest.mark.parametrize(
    ("source", "options", "server"),
    [
        ("10.0.3.7:/logs", "rw", "10.0.3.7"),
        ("[fd00::7]:/logs", "rw", "[fd00::7]"),
        ("//nas/share", "rw,username=x", "nas"),
        ("mon1,mon2:/", "rw", "mon1,mon2"),
        ("glusterfs", "rw", ""),
        ("x", "rw,addr=10.0.0.9", "10.0.0.9"),
        ("admin@fs.data=/", "rw,mon_addr=10.0.0.1:6789/10.0.0.2:6789", ""),
        ("a b\x1b[31m:/x", "rw", ""),
    ],
)
def test_who_serves_a_mount(source: str, options: str, server: str) -> None:
    assert server_of(MountEntry("/m", "nfs4", source, options=options)) == server


def test_only_options_that_tell_how_it_waits_are_kept() -> None:
    entry = MountEntry(
        "/m",
        "cifs",
        "//nas/s",
        options="rw,relatime,rw,hard,timeo=600,username=bob,password=x,secret=y,domain=z,addr=10.0.0.9",
    )
    assert options_of(entry) == "rw,hard,timeo=600"


@pytest.mark.parametrize(
    ("path", "source"),
    [
        *(("/", "/dev/vda"), ("", "/dev/vda"), ("/procfs", "/dev/vda"), ("/x/y", "/dev/vda")),
        *(
            ("/proc", "over"),
            ("/proc/", "over"),
            ("/proc/b", "over"),
            ("/proc/a", "deep"),
            ("/proc/a/b/c", "deep"),
        ),
    ],
)
def test_a_path_lies_on_the_deepest_mount_above_it_the_last_one_made_there(path: str, source: str) -> None:
    found = mount_of(
        path,
        parse_mountinfo(
            HOST_MOUNTS + "300 27 0:91 / /proc rw - tmpfs over rw\n301 27 0:92 / /proc/a rw - tmpfs deep rw\n"
        ),
    )
    assert found is not None and found.source == source


def test_without_mounts_a_path_lies_on_none() -> None:
    assert mount_of("/x", Mounts()) is None


@needs_root
def test_what_takes_most_is_told_and_what_was_not_counted_too(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "big.log").write_bytes(b"x" * (20 << 20))
    (tmp_path / "many").mkdir()
    for i in range(300):
        (tmp_path / "many" / str(i)).touch()
    (tmp_path / "twice").hardlink_to(tmp_path / "logs" / "big.log")
    entries = parse_mountinfo(Path("/proc/self/mountinfo").read_text())
    found, left = files.find_consumers([str(tmp_path)], entries)
    by_name = {c.path.removeprefix(str(tmp_path)): c for c in found}
    assert sum(c.bytes for c in found) < 21 << 20, "a file with two names is counted once"
    assert by_name["/many"].inodes == 301 and left == []
    cut, left = files.find_consumers([str(tmp_path)], entries, entries=50)
    assert any(c.partly for c in cut) and left
