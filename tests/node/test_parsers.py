"""The parsers of output of a kernel and its daemons: real lines are parsed correctly, and no bytes cause an
error.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.tree import CONTAINER, OTHER, UID
from unstuck.collect.node.cgroup import normalize_uid, parse_groups
from unstuck.collect.node.kernel import KernelLine
from unstuck.collect.node.kubelet import is_kubelet, parse_config, parse_flags
from unstuck.collect.node.mounts import is_local, is_remote, mount_of, parse_mountinfo, pod_mounts
from unstuck.collect.node.network_mounts import connection_number, parse_nfs_counts, waiting_family
from unstuck.collect.node.proc import parse_stat
from unstuck.collect.node.system import oom_kills
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.oom import Kill

SLICE = f"kubepods-burstable-pod{UID.replace('-', '_')}.slice"

POD = f"/var/lib/kubelet/pods/{UID}"


def test_mountinfo_undoes_octal_escapes_and_keeps_what_identifies_a_mount() -> None:
    line = (
        r"36 35 98:0 /a\040b /mnt/with\011tab\134 rw,noatime master:1 shared:2 - fuse.hangfs src\040x "
        r"rw,allow_other"
    ) + "\n"
    assert parse_mountinfo(line) == (
        MountEntry(
            "/mnt/with\ttab\\",
            "fuse.hangfs",
            "src x",
            "/a b",
            "98:0",
            "rw,noatime,rw,allow_other",
            "master:1 shared:2",
        ),
    )


def test_a_mount_is_told_by_the_deepest_and_latest_mount_point() -> None:
    entries_ = parse_mountinfo(
        "1 0 8:1 / / rw - ext4 a rw\n2 1 0:9 / /h rw - nfs b rw\n3 2 0:8 / /h rw - tmpfs c rw\n"
    )
    found = mount_of("/h/x", entries_)
    assert found is not None and found.fstype == "tmpfs"
    other = mount_of("/hx", entries_)
    assert other is not None and other.fstype == "ext4"


@pytest.mark.parametrize(
    ("below", "fstype", "explained"),
    [
        ("volumes/kubernetes.io~empty-dir/m", "tmpfs", True),
        ("volumes/kubernetes.io~empty-dir/d", "ext4", False),
        ("volumes/kubernetes.io~empty-dir/d/deeper", "tmpfs", False),
        ("volumes/kubernetes.io~csi/pvc-1/mount", "ext4", True),
        ("volumes/kubernetes.io~csi/pvc-1", "ext4", False),
        ("volumes/kubernetes.io~nfs/data", "nfs4", True),
        ("volumes/kubernetes.io~nfs/data/inner", "nfs4", False),
        ("volume-subpaths/m/c/0", "ext4", True),
        ("volume-subpaths/m/c/0/x", "ext4", False),
        ("", "tmpfs", False),
    ],
)
def test_a_mount_that_no_volume_explains_is_extra(below: str, fstype: str, explained: bool) -> None:
    entry = MountEntry(f"{POD}/{below}".rstrip("/"), fstype, "x", dev="0:1")
    items, extra = pod_mounts(POD, (entry, MountEntry("/elsewhere", "ext4", "y")))
    assert items == (entry,)
    assert extra == (() if explained else (entry,))


def test_a_second_mount_on_the_same_point_is_extra() -> None:
    one = MountEntry(f"{POD}/volumes/kubernetes.io~empty-dir/m", "tmpfs", "tmpfs", dev="0:1")
    two = MountEntry(one.mountpoint, "tmpfs", "tmpfs", dev="0:2")
    assert pod_mounts(POD, (one, two)) == ((one, two), (two,))


@pytest.mark.parametrize(
    ("line", "pod", "container", "unit"),
    [
        (f"4:memory:/kubepods/burstable/pod{UID}/{CONTAINER}", UID, CONTAINER, None),
        (f"4:memory:/daemons/lab-1/kubepods/besteffort/pod{UID}", UID, None, None),
        (
            f"0::/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/cri-containerd-{CONTAINER}.scope",
            UID,
            CONTAINER,
            None,
        ),
        (
            f"0::/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/crio-{CONTAINER}.scope",
            UID,
            CONTAINER,
            None,
        ),
        (
            f"0::/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/crio-conmon-{CONTAINER}.scope",
            UID,
            None,
            None,
        ),
        (
            (
                "11:pids:/system.slice/containerd.service/"
                f"kubepods-burstable-pod{UID.replace('-', '_')}.slice:cri-containerd:{CONTAINER}"
            ),
            UID,
            CONTAINER,
            None,
        ),
        (f"4:memory:/kubepods/burstable/pod{'0a' * 16}/{CONTAINER}", "0a" * 16, CONTAINER, None),
        (f"4:memory:/docker/{CONTAINER}", None, CONTAINER, None),
        ("1:name=systemd:/system.slice/ntpd.service", None, None, "ntpd.service"),
        ("0::/user.slice/user-0.slice/session-3.scope", None, None, "session-3.scope"),
        (f"4:memory:/podium{UID}", None, None, None),
    ],
)
def test_a_cgroup_tells_pod_container_and_unit(
    line: str, pod: str | None, container: str | None, unit: str | None
) -> None:
    groups = parse_groups(line + "\n")
    assert (groups.pod, groups.container, groups.unit) == (pod, container, unit)


def test_a_uid_is_one_in_either_drivers_spelling() -> None:
    assert normalize_uid(UID.replace("-", "_")) == UID == normalize_uid(f" {UID.upper()} ")
    assert normalize_uid("not-a-uid") is None


def test_a_process_name_may_hold_anything() -> None:
    fields = " ".join(["1", "2", "3", "0", "-1", "4194560", *["0"] * 10, "7", "0", "156020", "0"])
    stat = parse_stat(f"42 (a) R (b\n) D {fields}")
    assert stat is not None
    assert (stat.pid, stat.comm, stat.state, stat.parent, stat.threads, stat.ticks) == (
        42,
        "a) R (b\n",
        "D",
        1,
        7,
        156020,
    )


def test_a_kubelet_is_known_by_what_it_was_started_as() -> None:
    assert is_kubelet("kubelet", ("/usr/bin/kubelet", "--v=2"))
    assert is_kubelet("hyperkube", ("/hyperkube", "kubelet", "--v=2"))
    assert is_kubelet("k3s-server", ("/usr/local/bin/k3s server",))
    assert not is_kubelet("hyperkube", ("/hyperkube", "kube-proxy"))
    assert not is_kubelet("kubelet-check", ("/usr/bin/kubelet-check", "x"))


def test_flags_and_configuration() -> None:
    assert parse_flags(("--v=3", "--root-dir", "/data/kubelet", "-alone", "--config=/c", "--v=4")) == {
        "v": "4",
        "root-dir": "/data/kubelet",
        "alone": "true",
        "config": "/c",
    }
    yaml = (
        "kind: KubeletConfiguration\nauthentication:\n  anonymous: {enabled: false}\nhealthzPort: 10249 # "
        'why\npodLogsDir: "/data/logs"\n'
    )
    assert parse_config(yaml)["healthzPort"] == "10249"
    assert parse_config(yaml)["podLogsDir"] == "/data/logs"
    assert parse_config('{"healthzPort": 1, "x": {"healthzPort": 2}}') == {"healthzPort": "1"}


MOUNTSTATS = """\
device sysfs mounted on /sys with fstype sysfs
device 10.0.3.7:/vol1 mounted on /data with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2
\txprt:\ttcp 757 1 2 0 41 1130 1123 0 2311 0 4 101 202
\tper-op statistics
"""


def test_nfs_requests_are_counted_by_mount_point() -> None:
    assert parse_nfs_counts(MOUNTSTATS) == {"/data": (1130, 1123)}


def test_the_waiting_function_names_the_kind_of_file_system() -> None:
    assert [
        waiting_family(f)
        for f in ("request_wait_answer", "rpc_wait_bit_killable", "ceph_mdsc_do_request", "wait_for_response")
    ] == [
        "fuse",
        "nfs",
        "ceph",
        "smb",
    ]
    assert waiting_family("fuse_dev_do_read") is None, "a daemon that waits for work"
    assert waiting_family("hrtimer_nanosleep") is None, "a frozen task shows its ordinary wait"
    assert connection_number("0:76") == 76
    assert connection_number("8:17") == 8 << 20 | 17


def test_file_systems_are_local_remote_or_not_known() -> None:
    assert is_remote("fuse.glusterfs") and is_remote("nfs4") and not is_remote("ext4")
    assert is_local("xfs") and not is_local("autofs") and not is_remote("autofs")


def kills(text: str) -> list[tuple[str | None, Kill]]:
    return oom_kills(KernelLine(line) for line in text.splitlines())


def test_oom_kills_of_old_and_new_kernels() -> None:
    new = (
        f"[ 10.1] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={CONTAINER},mems_allowed=0,"
        f"oom_memcg=/kubepods/burstable/pod{UID},"
        f"task_memcg=/kubepods/burstable/pod{UID}/{CONTAINER},task=python3,pid=4321,uid=0\n"
        "[ 10.1] Memory cgroup out of memory: Killed process 4321 (python3) total-vm:1kB, anon-rss:1kB\n"
    )
    assert kills(new) == [(UID, Kill(4321, "python3", "memcg", None, CONTAINER))]
    old = (
        f"[ 9.0] Task in /kubepods/pod{OTHER}/{CONTAINER} killed as a result of limit of "
        f"/kubepods/pod{OTHER}\n"
        "[ 9.0] Memory cgroup out of memory: Kill process 77 (java) score 1984 or sacrifice child\n"
        "[ 9.9] Out of memory: Kill process 78 (mysqld) score 800 or sacrifice child\n"
    )
    assert kills(old) == [
        (OTHER, Kill(77, "java", "memcg", None, CONTAINER)),
        (None, Kill(78, "mysqld", "none")),
    ]


def test_the_limit_of_all_pods_together_is_the_nodes() -> None:
    all_pods = (
        "[ 10.1] "
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={CONTAINER},mems_allowed=0,oom_memcg=/"
        "kubepods.slice,"
        f"task_memcg=/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/"
        f"cri-containerd-{CONTAINER}.scope,task=java,pid=4321,uid=0\n"
    )
    assert kills(all_pods) == [(UID, Kill(4321, "java", "none", None, CONTAINER, "/kubepods.slice"))]
    old = (
        f"[ 9.0] Task in /kubepods/burstable/pod{OTHER}/{CONTAINER} killed as a result of limit of "
        "/kubepods/burstable\n"
        "[ 9.0] Memory cgroup out of memory: Kill process 77 (java) score 1984 or sacrifice child\n"
    )
    assert kills(old) == [(OTHER, Kill(77, "java", "none", None, CONTAINER, "/kubepods/burstable"))]


def test_a_report_that_was_cut_tells_the_group_by_its_statistics() -> None:
    cut = (
        f"[ 9.0] Memory cgroup stats for /kubepods/pod{OTHER}/{CONTAINER}: cache:32KB rss:524188KB\n"
        "[ 9.0] Memory cgroup out of memory: Kill process 77 (java) score 1984 or sacrifice child\n"
    )
    assert kills(cut) == [(OTHER, Kill(77, "java", "memcg", None, CONTAINER))]


@given(st.binary(max_size=400))
def test_no_bytes_end_in_an_error(data: bytes) -> None:
    text = data.decode("utf-8", "backslashreplace")
    parse_mountinfo(text)
    parse_groups(text)
    parse_stat(text)
    parse_config(text)
    parse_flags(tuple(text.split("\0")))
    parse_nfs_counts(text)
    kills(text)
    connection_number(text)


_WORDS = '36 35|98:0|/|rw| - |ext4|\\040|\\777|4:memory:|/pod|(|)| D|xprt: tcp|-|{|"|: |,task=|,pid='
_FRAGMENT = st.sampled_from(
    [
        *_WORDS.split("|"),
        UID,
        CONTAINER,
        "device a mounted on b with fstype nfs",
        "constraint=CONSTRAINT_",
        "oom-kill:",
        "9" * 30,
        "\n",
        "\0",
    ]
)


@given(st.lists(_FRAGMENT, max_size=40).map("".join))
def test_no_broken_line_ends_in_an_error(text: str) -> None:
    test_no_bytes_end_in_an_error.hypothesis.inner_test(text.encode())
