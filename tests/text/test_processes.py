"""A node's processes in ps, lsof, systemctl and the cgroups: their Pods, and the running daemons."""

from __future__ import annotations

import pytest

from tests.text.formats import ID, POD, SAMPLES, UID
from tests.text.support import NOW, pick, snap
from tests.text.test_formats import BY_UID, NODE, of, reading
from unstuck.collect.text.cutting.piece import Piece, TextContext, TypedCommand
from unstuck.collect.text.node import ps
from unstuck.facts.aspects.host import DaemonState, MountHolders, PathUses, PodCgroup, PodProcesses
from unstuck.facts.core import Ref


def test_open_files_are_the_pods() -> None:
    (told,) = pick(of("lsof"), PathUses)
    assert (told.about, [(u.how, u.proc.pid) for u in told.items]) == (BY_UID, [("cwd", 4711), ("fd", 4711)])
    assert told.items[1].path == f"{POD}/volumes/kubernetes.io~nfs/n/x"


def test_processes_are_the_pods_whose_cgroup_they_are_in() -> None:
    (told,) = pick(of("ps-columns"), PodProcesses)
    assert (told.about, told.src.where, told.whole) == (BY_UID, "paste.txt:3", False)
    assert [(p.pid, p.comm, p.state, p.waits_in) for p in told.items] == [
        (4711, "tini", "S", "do_sys_poll"),
        (4712, "java", "D", "request_wait_answer"),
    ]
    assert {(p.pod, p.container) for p in told.items} == {(UID, ID)}
    (dead,) = pick(of("ps-columns-header"), PodProcesses)
    assert [(dead.about, p.comm, p.state, p.parent, p.waits_in) for p in dead.items] == [
        (BY_UID, "tmux:", "Z", 4711, "")
    ]


def test_arguments_of_processes_are_not_kept() -> None:
    row = f"1 S /usr/bin/java -Dpassword=hunter2 0::/kubepods/pod{UID}\n"
    for text in ("PID S COMMAND CGROUP\n" + row, "$ ps -eo pid,s,args,cgroup | grep java\n" + row):
        (told,) = pick(reading(text).facts, PodProcesses)
        assert [p.comm for p in told.items] == ["java"] and "hunter2" not in repr(told.items)


def test_a_cgroup_directory_is_the_pods_in_whose_name_its_uid_is() -> None:
    (told,) = pick(of("cgroup-find"), PodCgroup)
    systemd = f"/sys/fs/cgroup/systemd/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice"
    assert (told.about, told.whole) == (BY_UID, False)
    assert told.paths == (f"/sys/fs/cgroup/kubepods/burstable/pod{UID}", systemd)
    assert told.below == (f"{systemd}/docker-{ID}.scope",)


def test_a_daemon_that_failed_is_told_and_one_between_two_starts_is_not() -> None:
    (told,) = pick(of("unit-status"), DaemonState)
    assert (told.about, told.daemon, told.running, told.src.where) == (NODE, "kubelet", False, "paste.txt:6")
    between = SAMPLES["unit-status"].replace(
        "failed (Result: exit-code)", "activating (auto-restart) (Result: exit-code)"
    )
    assert pick(reading(between).facts, DaemonState) == []
    runs = SAMPLES["unit-status"].replace("failed (Result: exit-code)", "active (running)")
    assert [f.running for f in pick(reading(runs).facts, DaemonState)] == [True]


def test_daemons_that_ps_shows_run_and_a_kubelet_that_it_does_not_show_does_not() -> None:
    shown = {
        f.daemon: (f.running, f.stopped, f.proc and f.proc.pid, f.src.where)
        for f in pick(of("ps-daemons"), DaemonState)
    }
    assert shown == {
        "containerd": (True, True, 51, "paste.txt:3"),
        "kubelet": (True, False, 96, "paste.txt:4"),
    }
    sample = SAMPLES["ps-daemons"]
    # The node's runtime is unknown.
    neither = reading("\n".join(sample.split("\n")[:2]) + "\n")
    assert [(f.about, f.daemon, f.running) for f in pick(neither.facts, DaemonState)] == [
        (NODE, "kubelet", False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        # A kubelet may run under another name, its row may have been removed, and of two the node's is
        # unknown.
        "[root@node-1 ~]# ps -C kubelet,containerd -o pid,stat,lstart,args\n    PID STAT                  STARTED COMMAND\n",
        SAMPLES["ps-daemons"]
        .partition("\n     96")[0]
        .replace("lstart,args", "lstart,args | grep -v config"),
        SAMPLES["ps-daemons"].replace("/usr/bin/containerd", "/usr/bin/kubelet --v=4"),
        # Without -ww a row ends where the terminal does.
        SAMPLES["ps-daemons"].partition("let --config")[0] + "\n",
        SAMPLES["ps-daemons"].partition("03:32:27")[0] + "\n",
    ],
)
def test_what_ps_may_not_show_is_not_said_of_the_kubelet(text: str) -> None:
    assert [f for f in pick(reading(text).facts, DaemonState) if f.daemon == "kubelet"] == []


@pytest.mark.parametrize(
    "args",
    ["/usr/local/bin/k3s server", "k3s-agent", "/hyperkube kubelet --v=2", "/snap/microk8s/1/kubelite"],
)
def test_a_kubelet_runs_under_other_names(args: str) -> None:
    told = pick(reading(SAMPLES["ps-daemons"].replace("/usr/bin/kubelet", args)).facts, DaemonState)
    assert [f.running for f in told if f.daemon == "kubelet"] == [True]


def test_a_holder_is_named_by_ps_and_lies_on_the_node_whose_path_fails() -> None:
    path = "/var/lib/docker/overlay/98a5/merged"
    seen = snap(
        f'Jan 30 14:57:47 n-4 dockerd[15]: time="2026-01-30T14:57:47.7+08:00" level=error msg="Error removing mounted layer 0a: remove {path}: device or resource busy"\n'
        f"# grep 98a5 /proc/*/mountinfo\n/proc/2725007/mountinfo:296 183 0:183 / {path} rw,relatime shared:88 - overlay overlay rw\n"
        "# ps -ef | grep 2725007\nntp 2725007 1 0 Jan07 ? 00:00:02 /usr/sbin/ntpd -u ntp:ntp -g\n"
    )
    (holders,) = seen.of(MountHolders, Ref("Mount", "n-4", path))
    assert [(h.proc.pid, h.proc.comm, h.proc.parent) for h in holders.items] == [(2725007, "ntpd", 1)]
    assert not seen.sure(holders)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "root     27187 27170  0 May18 ?        Ssl    3:38 /bin/node_exporter --x",
            (27187, "node_exporter", "S"),
        ),
        ("root     31238 31221  0 Mar28 ?        00:57:40 [java] <defunct>", (31238, "java", "")),
        (
            "root     31238  0.3  0.0      0     0 ?        Zsl  Mar28  57:40 [java] <defunct>",
            (31238, "java", "Z"),
        ),
    ],
)
def test_rows_of_ps(line: str, shown: tuple[int, str, str]) -> None:
    piece = Piece((line,), 1, TypedCommand("ps aux"), TextContext("x", NOW))
    (proc,) = ps.read(piece).processes.values()
    assert (proc.pid, proc.comm, proc.state) == shown
