"""The machine: limits with their use, its clock, and units in systemd's interpretation."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.tree import V2, Tree
from unstuck.collect.node import clock, limits
from unstuck.collect.node.root import Root
from unstuck.collect.node.system import host
from unstuck.collect.node.units import unit_file
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import UnitFile
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


def view(tree: Tree) -> NodeView:
    return NodeView(Root(str(tree.root)), NOW)


def unit(tree: Tree, name: str) -> UnitFile | None:
    return unit_file(Root(str(tree.root)), Ref("Unit", "node-1", name), "node-1")


def settings(tree: Tree, name: str) -> dict[str, str]:
    found = unit(tree, name)
    assert found is not None
    return dict(found.settings)


def test_used_and_limit_are_read_from_where_the_kernel_tells_them(tree: Tree) -> None:
    tree.write("/proc/sys/fs/file-nr", "2072\t72\t65536\n")
    tree.write("/proc/loadavg", "0.1 0.1 0.1 2/31990 4711\n")
    tree.write("/proc/sys/kernel/pid_max", "32768\n")
    tree.write("/proc/sys/kernel/threads-max", "192730\n")
    tree.write("/proc/sys/net/netfilter/nf_conntrack_max", "262144\n")
    head = "entries  clashres found new\n"
    tree.write("/proc/700/net/stat/nf_conntrack", head + "0003ffff  00000000 0 0\n0003ffff 1 0 0\n")
    found = limits.limits(view(tree))
    assert found is not None and found.whole
    assert {i.name: (i.used, i.limit, i.setting) for i in found.items} == {
        "open-files": (2000, 65536, "fs.file-max"),
        "threads": (31990, 32768, "kernel.pid_max"),
        "conntrack": (262143, 262144, "net.netfilter.nf_conntrack_max"),
    }
    assert (
        found.src.quote == "conntrack: 262143 of 262144"
        and found.src.where == "node-1 /proc/sys/net/netfilter/nf_conntrack_max"
    )


def test_an_older_kernel_tells_connections_by_a_sysctl(tree: Tree) -> None:
    tree.write("/proc/sys/net/netfilter/nf_conntrack_max", "65536\n")
    tree.write("/proc/sys/net/netfilter/nf_conntrack_count", "65001\n")
    found = limits.limits(view(tree))
    assert (
        found is not None
        and not found.whole
        and [(i.name, i.used) for i in found.items] == [("conntrack", 65001)]
    )


@pytest.mark.parametrize("text", ["", "x", "1 2", "1\t0\t0\n", "9" * 40, "-1 0 5", "१ 0 5"])
def test_what_is_no_number_is_no_limit(tree: Tree, text: str) -> None:
    for path in (
        "sys/fs/file-nr",
        "loadavg",
        "sys/kernel/pid_max",
        "sys/net/netfilter/nf_conntrack_max",
        "700/net/stat/nf_conntrack",
    ):
        tree.write(f"/proc/{path}", text)
    assert limits.limits(view(tree)) is None


def test_inotify_is_counted_for_each_user(tree: Tree) -> None:
    tree.write("/proc/sys/fs/inotify/max_user_instances", "128\n")
    tree.write("/proc/sys/fs/inotify/max_user_watches", "8192\n")
    for pid, comm, uid, watches in (
        (1000, "promtail", 0, (5000, 3000)),
        (1001, "tail", 0, (1,)),
        (1002, "app", 1000, (7,)),
    ):
        tree.process(pid, comm)
        tree.write(f"/proc/{pid}/status", f"Name:\t{comm}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
        for fd, count in enumerate(watches, 3):
            tree.link(f"/proc/{pid}/fd/{fd}", "anon_inode:inotify")
            tree.write(
                f"/proc/{pid}/fdinfo/{fd}", "pos:\t0\nflags:\t00\n" + "inotify wd:1 ino:2 sdev:3\n" * count
            )
        tree.link(f"/proc/{pid}/fd/9", "anon_inode:[eventpoll]")
    found = limits.inotify(view(tree))
    assert found is not None and (found.max_instances, found.max_watches) == (128, 8192)
    assert [(u.uid, u.instances, u.watches, u.comms) for u in found.items] == [
        (0, 3, 8001, ("promtail", "tail")),
        (1000, 1, 7, ("app",)),
    ]


# Root can lend the watches to a user that has no other process; else this user's other processes count, too.
WATCHER = 54_321 if os.geteuid() == 0 else os.geteuid()


@contextmanager
def watching(paths: list[Path]) -> Iterator[None]:
    """Let WATCHER watch each of these."""
    code = "import ctypes,sys; c=ctypes.CDLL(None); f=c.inotify_init(); "
    code += (
        "[c.inotify_add_watch(f, p.encode(), 2) for p in sys.argv[1:]]; print('ready', flush=True); "
        "sys.stdin.read()"
    )
    argv = ["/usr/bin/env", "python3", "-c", code, *(path.name for path in paths)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=paths[0].parent, user=WATCHER
    ) as child:
        try:
            assert child.stdout is not None and child.stdout.readline() == b"ready\n"
            yield
        finally:
            child.kill()


def test_real_watches_of_this_machine_are_counted(tmp_path: Path) -> None:
    paths = [tmp_path / str(i) for i in range(40)]
    for path in paths:
        path.mkdir()
    os.chown(tmp_path, WATCHER, -1)

    def counted() -> int:
        found = limits.inotify(NodeView(Root("/"), NOW), seconds=60)
        assert found is not None
        return sum(u.watches for u in found.items if u.uid == WATCHER)

    before = counted()
    with watching(paths):
        assert counted() >= before + 40 - (20 if os.geteuid() == WATCHER else 0), (
            "others of this user may end theirs meanwhile"
        )


def test_the_machines_own_limits_and_clock_can_be_read() -> None:
    here = NodeView(Root("/"), NOW)
    found = limits.limits(here)
    assert (
        found is not None
        and found.whole
        and all(0 < i.used <= i.limit for i in found.items if i.name != "conntrack")
    )
    told = clock.clock(here)
    assert told.synchronized is None or (told.max_error is not None and told.max_error >= 0)


def test_a_recorded_clock_is_known_by_who_steered_it(tree: Tree) -> None:
    tree.process(800, "chronyd", cgroup="0::/system.slice/chronyd.service\n")
    tree.write("/var/lib/chrony/drift", "1.0 2.0\n")
    os.utime(tree.root / "var/lib/chrony/drift", (1795226400, 1795226400))
    told = clock.clock(view(tree))
    assert (told.synchronized, told.service, told.ahead_of_rtc, told.whole) == (None, "chronyd", None, False)
    assert told.told == datetime.fromtimestamp(1795226400, UTC)


@pytest.mark.parametrize(
    ("files", "distribution", "version"),
    [
        (
            {
                "etc/os-release": 'PRETTY_NAME="CentOS Linux 7 (Core)"\nVERSION_ID="7"\n',
                "etc/redhat-release": "CentOS Linux release 7.5.1804 (Core)\n",
            },
            "CentOS Linux 7 (Core)",
            "7.5.1804",
        ),
        ({"etc/redhat-release": "CentOS release 6.10 (Final)\n"}, "CentOS release 6.10 (Final)", "6.10"),
        (
            {
                "usr/lib/os-release": 'PRETTY_NAME="Debian GNU/Linux 12"\nVERSION_ID="12"\n',
                "etc/debian_version": "12.11\n",
            },
            "Debian GNU/Linux 12",
            "12.11",
        ),
        (
            {
                "etc/os-release": 'PRETTY_NAME="Ubuntu 22.04.3 LTS"\nVERSION_ID="22.04"\n',
                "etc/debian_version": "bookworm/sid\n",
            },
            "Ubuntu 22.04.3 LTS",
            "22.04",
        ),
    ],
)
def test_distribution_and_version(
    tmp_path: Path, files: dict[str, str], distribution: str, version: str
) -> None:
    made = Tree(tmp_path)
    for path, text in files.items():
        made.write(f"/{path}", text)
    seen = view(made)
    told = host(seen.root, seen.table, seen.ref, "n")
    assert (told.distribution, told.version) == (distribution, version)


def test_a_unit_with_drop_ins_from_everywhere(tree: Tree) -> None:
    unit_dir = "/usr/lib/systemd/system"
    tree.write(
        f"{unit_dir}/docker.service",
        "[Unit]\nDescription=x\n[Service]\nMountFlags=slave\nLimitNOFILE=1024\nTasksMax=100\nKillMode=process\n",
    )
    tree.write(f"{unit_dir}/docker.service.d/10-a.conf", "[Service]\nLimitNOFILE=2048\n")
    tree.write("/etc/systemd/system/docker.service.d/10-a.conf", "[Service]\nLimitNOFILE=4096\n")
    tree.write(
        "/run/systemd/system/docker.service.d/20-b.conf", "[Service]\nMountFlags=\nTasksMax=infinity\n"
    )
    tree.write("/etc/systemd/system/service.d/05-all.conf", "[Service]\nTasksMax=7\nPrivateTmp=yes\n")
    tree.write("/etc/systemd/system/docker.service.d/30-no.txt", "[Service]\nKillMode=none\n")
    tree.link("/etc/systemd/system/docker.service.d/20-c.conf", "/dev/null")
    tree.write(f"{unit_dir}/docker.service.d/20-c.conf", "[Service]\nKillMode=none\n")
    assert settings(tree, "docker.service") == {
        "LimitNOFILE": "4096",
        "TasksMax": "infinity",
        "KillMode": "process",
        "PrivateTmp": "yes",
    }
    found = unit(tree, "docker.service")
    assert found is not None and [p.rpartition("/")[2] for p in found.drop_ins] == [
        "05-all.conf",
        "10-a.conf",
        "20-b.conf",
    ]


def test_only_the_sections_and_lines_that_systemd_reads_count(tree: Tree) -> None:
    tree.write(
        "/etc/systemd/system/x.service",
        "[Install]\nPrivateTmp=yes\n[Service]\n# PrivateTmp=yes\n;PrivateTmp=yes\n"
        "ExecStart=/bin/x \\\n  PrivateTmp=yes \\\n# note\n  --more\n"
        "MountFlags = shared\nEnvironment=PASSWORD=geheim\nPrivateTmp\n",
    )
    found = unit(tree, "x.service")
    assert found is not None and found.settings == (("MountFlags", "shared"),)
    assert "geheim" not in repr(found) and "/bin/x" not in repr(found)


def test_etc_wins_over_usr_and_masked_is_none(tree: Tree) -> None:
    tree.write("/usr/lib/systemd/system/ntpd.service", "[Service]\nPrivateTmp=yes\n")
    tree.write("/etc/systemd/system/ntpd.service", "[Service]\nPrivateTmp=no\n")
    assert settings(tree, "ntpd.service") == {"PrivateTmp": "no"}
    tree.link("/etc/systemd/system/masked.service", "/dev/null")
    tree.write("/usr/lib/systemd/system/masked.service", "[Service]\nPrivateTmp=yes\n")
    assert unit(tree, "masked.service") is None and unit(tree, "absent.service") is None


def test_templates_prefixes_and_aliases(tree: Tree) -> None:
    top = "/usr/lib/systemd/system"
    tree.write(f"{top}/ceph-osd@.service", "[Service]\nPrivateTmp=no\n")
    tree.write("/etc/systemd/system/ceph-.service.d/a.conf", "[Service]\nTasksMax=1\n")
    tree.write("/etc/systemd/system/ceph-osd@.service.d/b.conf", "[Service]\nTasksMax=2\n")
    tree.write("/etc/systemd/system/ceph-osd@3.service.d/b.conf", "[Service]\nTasksMax=3\n")
    assert settings(tree, "ceph-osd@3.service") == {"PrivateTmp": "no", "TasksMax": "3"}
    assert settings(tree, "ceph-osd@4.service") == {"PrivateTmp": "no", "TasksMax": "2"}
    tree.write(f"{top}/chrony.service", "[Service]\nPrivateTmp=yes\n")
    tree.link("/etc/systemd/system/chronyd.service", f"{top}/chrony.service")
    tree.write("/etc/systemd/system/chrony.service.d/x.conf", "[Service]\nPrivateTmp=no\n")
    assert settings(tree, "chronyd.service") == {"PrivateTmp": "no"}


@pytest.mark.parametrize(
    "name", ["../../etc/shadow", "a/b.service", "", "x" * 300, "noext", "a b.service", "\x00.service"]
)
def test_names_that_are_no_units(tree: Tree, name: str) -> None:
    assert unit(tree, name) is None


@given(
    st.binary(max_size=300),
    st.lists(
        st.sampled_from([b"[Service]", b"PrivateTmp=", b"PrivateTmp=yes", b"\\", b"#", b"LimitNOFILE=1:2"]),
        max_size=12,
    ),
)
def test_no_unit_file_ends_in_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, parts: list[bytes]
) -> None:
    made = Tree(tmp_path_factory.getbasetemp())
    made.write("/etc/systemd/system/f.service", b"\n".join([data, *parts]))
    found = unit(made, "f.service")
    assert found is not None and {k for k, _ in found.settings} <= {
        "PrivateTmp",
        "LimitNOFILE",
        "TasksMax",
        "Type",
        "KillMode",
    }
