"""A recorded node answers through the same collector: v1 and v2, cgroupfs and systemd, holders, hung
mounts, logs.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from tests.node.tree import CONTAINER, HOST_MOUNTS, NTP_NS, OTHER, SANDBOX, UID, V1, V2, Tree
from unstuck.collect.node import NodeCollector, collector
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects import host
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.codec import Saved, load, save
from unstuck.facts.core import Fact, Ref, Refused, Want

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
POD = Ref("Pod", "shop", "web-7c64f997dc-qzsbx", UID)
NODE = Ref("Node", None, "node-1")
F = TypeVar("F", bound=Fact)

pytestmark = pytest.mark.usefixtures("read_here")


def node_at(path: Path, cgroup: str) -> Tree:
    """Return a node with one Pod, its processes, directories and cgroups in one driver's form."""
    made = Tree(path)
    made.node(cgroup)
    if cgroup is V1:
        for at in ("freezer", "memory"):
            top = f"/sys/fs/cgroup/{at}"
            made.write(f"{top}/cgroup.procs", "1\n")
            made.write(f"{top}/kubepods/burstable/pod{UID}/cgroup.procs", "")
            made.write(f"{top}/kubepods/burstable/pod{UID}/{CONTAINER}/cgroup.procs", "910\n")
            made.write(f"{top}/kubepods/burstable/pod{OTHER}/cgroup.procs", "5000\n")
        made.write("/sys/fs/cgroup/freezer/kubepods/freezer.self_freezing", "1\n")
    else:
        top = "/sys/fs/cgroup"
        pod = f"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
        made.write(f"{top}/cgroup.controllers", "cpu memory")
        made.write(f"{top}/kubepods.slice/cgroup.freeze", "1\n")
        made.write(f"{top}/{pod}/cgroup.freeze", "0\n")
        made.write(f"{top}/{pod}/cri-containerd-{CONTAINER}.scope/cgroup.procs", "910\n")
    return made


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return node_at(tmp_path, V2)


def reader(tree: Tree) -> NodeCollector:
    return NodeCollector(tree.root, now=lambda: NOW, deadline=20)


def only(facts: Sequence[Fact], kind: type[F], about: Ref | None = None) -> F:
    (found,) = [f for f in facts if isinstance(f, kind) and (about is None or f.about == about)]
    return found


def test_the_node_names_itself_as_the_kubelet_does(tree: Tree) -> None:
    node = reader(tree)
    assert (node.node, node.source, node.is_node) == ("node-1", "node:node-1", True)


@pytest.mark.parametrize("cgroup", [V1, V2], ids=["v1-cgroupfs", "v2-systemd"])
def test_a_survey_tells_the_pod_and_the_node(cgroup: str, tmp_path: Path) -> None:
    tree = node_at(tmp_path, cgroup)
    facts = reader(tree).survey(UID.replace("-", "_"))
    processes = only(facts, host.PodProcesses)
    assert processes.about == POD, "its name is known from its log directory"
    assert [(p.pid, p.comm, p.container) for p in processes.items] == [
        (900, "pause", SANDBOX),
        (910, "web", CONTAINER),
    ]
    assert processes.whole and processes.cgroup is not None and UID.replace("-", "_")[:8] in processes.cgroup
    group = only(facts, host.PodCgroup)
    assert group.procs == (910,)
    assert [p.rpartition("/")[2] for p in group.frozen] in (["kubepods"], ["kubepods.slice"]), (
        "the parent is frozen, and is named"
    )
    directory = only(facts, host.PodDirectory)
    assert directory.exists and directory.volumes == (
        "kubernetes.io~empty-dir/d",
        "kubernetes.io~projected/kube-api-access-69bbm",
    )
    mounts = only(facts, host.PodMounts)
    assert mounts.whole and len(mounts.items) == 1 and mounts.extra == ()
    kubelet, containerd = (f for f in facts if isinstance(f, host.DaemonState))
    assert (kubelet.daemon, kubelet.running, kubelet.stopped, kubelet.answers) == (
        "kubelet",
        True,
        False,
        None,
    )
    assert (
        containerd.daemon == "containerd"
        and containerd.proc is not None
        and containerd.proc.unit == "containerd.service"
    )
    machine = only(facts, host.Host)
    assert (machine.kernel, machine.distribution) == ("5.15.0-91-generic", "Ubuntu 22.04.3 LTS")
    assert machine.boot == datetime.fromtimestamp(1795226400, UTC)


def test_a_survey_is_a_snapshot_that_reads_back(tree: Tree) -> None:
    snapshot = reader(tree).snapshot(UID)
    again = load(save(Saved(snapshot, POD), "0")).snapshot
    assert again.facts == snapshot.facts and again.sources == ("node:node-1",)


def test_a_recorded_tree_keeps_no_flags_and_says_so(tree: Tree) -> None:
    (refused,) = reader(tree).collect([Want(host.FlaggedFiles, POD)])
    assert isinstance(refused, Refused) and (refused.want, refused.why) == ("FlaggedFiles", "not-offered")


def test_every_want_ends_in_a_fact_or_a_refusal(tree: Tree) -> None:
    kinds = [
        k
        for k in vars(host).values()
        if isinstance(k, type) and issubclass(k, host.NodeFact) and k is not host.NodeFact
    ]
    wants = [
        Want(k, about)
        for k in kinds
        for about in (
            POD,
            NODE,
            Ref("Node", None, "another"),
            Ref("Pod", "no", "such"),
            Ref("Mount", "node-1", "/x"),
        )
    ]
    facts = reader(tree).collect(wants)
    told = {(type(f).__name__, f.about) for f in facts} | {
        (f.want, f.about) for f in facts if isinstance(f, Refused)
    }
    assert {(w.fact.__name__, w.about) for w in wants} <= told


def test_wants_of_the_api_are_left_out(tree: Tree) -> None:
    assert reader(tree).collect([Want(Failure, POD)]) == []


def test_a_pod_that_left_nothing_has_no_directory_and_no_process(tree: Tree) -> None:
    gone = Ref("Pod", "shop", "gone", OTHER[:-1] + "0")
    facts = reader(tree).collect(
        [Want(host.PodDirectory, gone), Want(host.PodProcesses, gone), Want(host.PodMounts, gone)]
    )
    directory = only(facts, host.PodDirectory)
    assert directory.whole and not directory.exists
    assert only(facts, host.PodProcesses).items == () and only(facts, host.PodMounts).items == ()


def test_holders_are_named_once_for_each_namespace_with_their_unit(tree: Tree) -> None:
    merged = f"/data/docker/overlay2/{CONTAINER}/merged"
    # The data root is behind a link: the mount table has the other path, and another one in a container's
    # view of the host.
    seen = (
        f"296 183 0:183 / /var/lib/docker/overlay2/{CONTAINER}/merged rw,relatime shared:88 - overlay "
        "overlay rw\n"
    )
    for pid in (2725, 2726):
        tree.process(
            pid,
            "ntpd",
            cgroup="1:name=systemd:/system.slice/ntpd.service\n",
            mounts=HOST_MOUNTS + seen,
            namespace=NTP_NS,
        )
    exporter = (
        HOST_MOUNTS
        + f"4 1 0:183 / /rootfs/var/lib/docker/overlay2/{CONTAINER}/merged rw - overlay overlay rw\n"
    )
    tree.process(
        3000,
        "node_exporter",
        cgroup=V1.replace(UID, OTHER).format(id=SANDBOX),
        mounts=exporter,
        namespace="mnt:[4026532400]",
    )
    facts = reader(tree).collect([Want(host.MountHolders, Ref("Mount", "node-1", merged))])
    holders = only(facts, host.MountHolders)
    assert holders.whole
    assert [(h.proc.pid, h.proc.unit, h.proc.pod, h.namespace) for h in holders.items] == [
        (2725, "ntpd.service", None, NTP_NS),
        (3000, None, OTHER, "mnt:[4026532400]"),
    ]


def test_uses_are_found_by_path_and_through_other_mount_namespaces(tree: Tree) -> None:
    volume = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d"
    tree.process(4000, "tail", links={"fd/3": f"{volume}/log (deleted)", "fd/4": "socket:[1]"})
    tree.process(4001, "sh", links={"cwd": volume})
    tree.process(4002, "java")
    tree.write(
        "/proc/4002/maps",
        f"7f0 r--p 00000000 fd:00 1 {volume}/lib with space.so\n7f1 rw-p 0 00:00 0 [heap]\n",
    )
    tree.process(
        4003,
        "backup",
        mounts=f"1 0 254:0 {volume} /data rw - ext4 /dev/vda rw\n",
        namespace="mnt:[5]",
        links={"fd/9": "/data/x"},
    )
    tree.process(
        4004, "stranger", links={"cwd": f"/var/lib/kubelet/pods/{OTHER}/volumes", "fd/1": f"/x{UID}"}
    )
    uses = only(reader(tree).collect([Want(host.PathUses, POD)]), host.PathUses)
    assert uses.whole
    assert [(u.proc.comm, u.how, u.path.removeprefix(volume)) for u in uses.items] == [
        ("tail", "fd", "/log (deleted)"),
        ("sh", "cwd", ""),
        ("java", "maps", "/lib with space.so"),
        ("backup", "fd", "/data/x"),
    ]


def test_a_process_in_d_elsewhere_leaves_the_uses_whole_and_one_whose_maps_are_missing_does_not(
    tree: Tree,
) -> None:
    tree.process(4005, "dd", state="D", wchan="io_schedule")
    assert only(reader(tree).collect([Want(host.PathUses, POD)]), host.PathUses).whole
    (tree.root / "proc/4005/maps").unlink()
    fact = only(reader(tree).collect([Want(host.PathUses, POD)]), host.PathUses)
    assert not fact.whole and fact.not_read == ("maps of 4005 (dd), which has a thread in D: not readable",)


GLUSTER = "70 27 0:76 / {at} rw,relatime - fuse.glusterfs 10.0.3.7:/logs rw,allow_other\n"


def hung_gluster(tree: Tree) -> None:
    tree.process(1, "systemd", cgroup="0::/init.scope\n") if not (tree.root / "proc/1").exists() else None
    group = V1.replace(UID, OTHER).format(id=SANDBOX)
    mounts = GLUSTER.format(at="/logs")
    tree.process(
        5000,
        "java",
        state="D",
        cgroup=group,
        namespace="mnt:[77]",
        mounts=mounts,
        wchan="request_wait_answer",
        killed=True,
    )


def test_a_task_in_d_belongs_to_the_only_fuse_mount_it_can_wait_for(tree: Tree) -> None:
    hung_gluster(tree)
    waiting = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts)
    (item,) = waiting.items
    assert (item.fstype, item.source, item.dev, item.mountpoints) == (
        "fuse.glusterfs",
        "10.0.3.7:/logs",
        "0:76",
        ("/logs",),
    )
    assert (item.waiting, item.tasks, item.pods) == (None, (5000,), (OTHER,)) and item.seconds > 0
    assert not waiting.whole, "without fusectl nobody can count"
    facts = reader(tree).collect([Want(host.PodProcesses, Ref("Pod", uid=OTHER))])
    (process,) = only(facts, host.PodProcesses).items
    assert (process.state, process.waits_in, process.stuck_threads, process.killed) == (
        "D",
        "request_wait_answer",
        1,
        True,
    )


def test_with_fusectl_requests_are_counted_and_decide_between_two_mounts(tree: Tree) -> None:
    hung_gluster(tree)
    both = GLUSTER.format(at="/logs") + "71 27 0:90 / /ok rw - fuse.sshfs host:/ rw\n"
    tree.write("/proc/5000/mountinfo", both)
    tree.write("/sys/fs/fuse/connections/76/waiting", "3\n")
    tree.write("/sys/fs/fuse/connections/90/waiting", "0\n")
    waiting = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts)
    assert waiting.whole
    assert [(i.dev, i.waiting, i.seconds > 0, i.tasks) for i in waiting.items] == [
        ("0:76", 3, True, (5000,)),
        ("0:90", 0, False, ()),
    ]


def test_two_fuse_mounts_without_counts_leave_the_task_unassigned(tree: Tree) -> None:
    hung_gluster(tree)
    tree.write(
        "/proc/5000/mountinfo", GLUSTER.format(at="/logs") + "71 27 0:90 / /ok rw - fuse.sshfs host:/ rw\n"
    )
    waiting = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts)
    assert [i.tasks for i in waiting.items] == [(), ()]


def test_a_connection_that_was_unmounted_lazily_is_still_told(tree: Tree) -> None:
    tree.write("/sys/fs/fuse/connections/51/waiting", "2\n")
    waiting = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts)
    assert [(i.dev, i.mountpoints, i.waiting) for i in waiting.items] == [("0:51", (), 2)]


def holds_connection(tree: Tree, pid: int, name: str, number: int) -> None:
    """Add fdinfo in the form of a kernel that shows a daemon's connection."""
    tree.process(pid, name)
    tree.link(f"/proc/{pid}/fd/5", "/dev/fuse")
    tree.write(f"/proc/{pid}/fdinfo/5", f"pos:\t0\nflags:\t02\nmnt_id:\t80\nfuse_connection:\t{number}\n")


@pytest.mark.parametrize(("holder", "tasks"), [(None, (5000,)), (9002, ())])
def test_a_connection_of_another_pid_namespace_is_not_what_a_task_here_waits_for(
    tree: Tree, holder: int | None, tasks: tuple[int, ...]
) -> None:
    hung_gluster(tree)
    tree.write("/proc/5000/mountinfo", GLUSTER.format(at="/logs"))
    tree.write("/sys/fs/fuse/connections/76/waiting", "2\n")
    tree.write("/sys/fs/fuse/connections/51/waiting", "2\n")
    holds_connection(tree, 9001, "glusterfs", 76)
    if holder:
        holds_connection(tree, holder, "sshfs", 51)
    waiting = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts)
    assert [i.tasks for i in waiting.items if i.dev == "0:76"] == [tasks]
    assert [i.dev for i in waiting.items] == ["0:76"] + (["0:51"] if holder else [])


def test_nfs_says_none_for_certain_and_some_only_with_a_task_that_waits(tree: Tree) -> None:
    mounts = "70 27 0:80 / /data rw - nfs4 10.0.3.7:/vol1 rw\n"
    stats = (
        "device 10.0.3.7:/vol1 mounted on /data with fstype nfs4 statvers=1.1\n\txprt:\ttcp 757 1 2 0 41 "
        "{sent} 1123 0 2311 0 4 1 2\n"
    )

    def waiting() -> host.WaitingMount:
        (item,) = only(reader(tree).collect([Want(host.WaitingMounts, NODE)]), host.WaitingMounts).items
        return item

    tree.process(6000, "nginx", mounts=mounts, namespace="mnt:[80]", cgroup=V1.format(id=CONTAINER))
    tree.write("/proc/6000/mountstats", stats.format(sent=1123))
    assert (waiting().waiting, waiting().pods) == (0, (UID,))
    tree.write("/proc/6000/mountstats", stats.format(sent=1130))
    assert waiting().waiting is None, "a reply that was lost once is never made up for"
    for at in ("/proc/6000", "/proc/6000/task/6000"):
        tree.write(f"{at}/stat", (tree.root / f"{at[1:]}/stat").read_text().replace(") S ", ") D "))
        tree.write(f"{at}/wchan", "rpc_wait_bit_killable")
    assert (waiting().waiting, waiting().tasks) == (7, (6000,))


def test_a_stopped_kubelet_and_an_absent_runtime(tree: Tree) -> None:
    stat = tree.root / "proc/700/stat"
    stat.write_text(stat.read_text().replace(") S ", ") T "))
    argv = tree.root / "proc/700/cmdline"
    argv.write_text(argv.read_text() + "\0--container-runtime-endpoint=unix:///var/run/crio/crio.sock")
    states = {
        f.daemon: f
        for f in reader(tree).collect([Want(host.DaemonState, NODE)])
        if isinstance(f, host.DaemonState)
    }
    assert states["kubelet"].running and states["kubelet"].stopped
    assert not states["crio"].running and states["crio"].whole


def test_without_a_kubelet_directories_are_supposed_and_absence_proves_nothing(tree: Tree) -> None:
    stat = tree.root / "proc/700/stat"
    stat.write_text(stat.read_text().replace("(kubelet)", "(sleep)"))
    facts = reader(tree).collect(
        [
            Want(host.DaemonState, NODE),
            Want(host.PodDirectory, Ref("Pod", uid=OTHER)),
            Want(host.PodDirectory, POD),
        ]
    )
    kubelet = next(f for f in facts if isinstance(f, host.DaemonState) and f.daemon == "kubelet")
    assert kubelet.whole and not kubelet.running
    assert not only(facts, host.PodDirectory, Ref("Pod", uid=OTHER)).whole
    assert only(facts, host.PodDirectory, POD).whole
    sure = NodeCollector(tree.root, now=lambda: NOW, kubelet_root="/var/lib/kubelet").collect(
        [Want(host.PodDirectory, Ref("Pod", uid=OTHER))]
    )
    assert only(sure, host.PodDirectory).whole


def test_a_unit_file_with_its_drop_in(tree: Tree) -> None:
    tree.write(
        "/usr/lib/systemd/system/ntpd.service", "[Service]\nExecStart=/usr/sbin/ntpd\nPrivateTmp=true\n"
    )
    tree.write("/etc/systemd/system/ntpd.service.d/10.conf", "[Service]\nMountFlags=slave\nPrivateTmp=no\n")
    ref = Ref("Unit", "node-1", "ntpd.service")
    unit = only(
        reader(tree).collect(
            [Want(host.UnitFile, ref), Want(host.UnitFile, Ref("Unit", "node-1", "../../etc/passwd"))]
        ),
        host.UnitFile,
    )
    assert (unit.settings, unit.path) == (
        (("MountFlags", "slave"), ("PrivateTmp", "no")),
        "/usr/lib/systemd/system/ntpd.service",
    )


def test_links_of_a_tree_do_not_lead_out_of_it(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "os-release").write_text("PRETTY_NAME=outside\n")
    (tree.root / "etc/os-release").unlink()
    tree.link("/etc/os-release", f"../../../../../../../..{outside}/os-release")
    (tree.root / "proc/sys/kernel/hostname").unlink()
    tree.link("/proc/sys/kernel/hostname", "/proc/sys/kernel/hostname")
    assert only(reader(tree).collect([Want(host.Host, NODE)]), host.Host).distribution == ""


def test_files_that_are_no_files_do_not_stop_the_reader(tree: Tree) -> None:
    for path in ("etc/os-release", "proc/910/cgroup", "proc/910/mountinfo"):
        (tree.root / path).unlink()
        os.mkfifo(tree.root / path)
    tree.link("/var/log/kubelet.log", "/dev/zero")
    tree.directory("/proc/999/stat")
    facts = reader(tree).survey(UID)
    assert [p.pid for p in only(facts, host.PodProcesses).items] == [900, 910], (
        "the cgroup directory lists it still"
    )


def test_a_tree_that_is_no_node(tmp_path: Path) -> None:
    empty = NodeCollector(tmp_path, now=lambda: NOW)
    assert empty.is_node is False
    facts = empty.survey(UID)
    assert not [
        f
        for f in facts
        if f.whole
        and isinstance(
            f, host.PodProcesses | host.PodDirectory | host.PodMounts | host.PodCgroup | host.WaitingMounts
        )
    ]


def test_lines_in_rsyslogs_file_and_links_to_container_logs_tell_of_a_pod_whose_containers_have_no_process(
    tree: Tree,
) -> None:
    gone, uid = "ab" * 32, "6c1a4f52-90c3-4e2f-8f0e-3f1f6f0e7a11"
    path = "/var/lib/docker/overlay2/x/merged"
    said = (
        f'container {gone}: driver \\"overlay2\\" failed to remove root filesystem: remove {path}: device '
        "or resource busy"
    )
    tree.process(650, "dockerd", cgroup="0::/system.slice/docker.service\n")
    tree.write(
        "/var/log/messages",
        "Nov 21 03:09:58 node-1 systemd: Started Session 7 of user root.\n"
        'Nov 21 03:09:59 node-1 dockerd[650]: time="2026-11-21T03:09:59Z" level=error msg="Handler for '
        f'DELETE returned error: {said}"\n'
        f"Nov 21 03:09:59 node-1 other[651]: {gone} permission denied\n",
    )
    tree.link(f"/var/log/containers/api-0_shop_api-{gone}.log", f"/var/log/pods/{uid}/api/0.log")
    tree.link(f"/var/log/containers/not-a-link_{gone}.log", "/nowhere")
    tree.directory(f"/var/lib/kubelet/pods/{uid}/volumes")
    facts = reader(tree).survey(uid)
    pod = Ref("Pod", "shop", "api-0", uid)
    failure = only(facts, Failure, pod)
    assert (failure.operation, failure.error, failure.path, failure.reporter) == (
        "rootfs-remove",
        "EBUSY",
        path,
        "dockerd",
    )
    assert failure.src.where.startswith("node-1 /var/log/messages")
    assert only(facts, Placement, pod).node == NODE and not only(facts, Placement, pod).whole
    assert only(facts, host.MountHolders).about == Ref("Mount", "node-1", path)


def test_what_did_not_answer_in_time_is_not_said_to_be_no_node(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = NodeCollector(tree.root, now=lambda: NOW, deadline=30)
    assert seen.is_node is True and seen.unknown is None

    def cut_off(*_: object, **__: object) -> Iterator[bytes]:
        raise TimeoutError

    monkeypatch.setattr(collector, "read_lines", cut_off)
    late = NodeCollector(tree.root, now=lambda: NOW)
    assert late.is_node is None and late.unknown and late.unknown[0] == "timeout"


def test_a_directory_that_may_not_be_read_is_not_said_to_be_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = NodeView(Root(str(tmp_path)), NOW)
    assert view.is_node is False
    monkeypatch.setattr(Root, "link", lambda *_, **__: ("", errno.EACCES))
    assert view.is_node is None
    monkeypatch.setattr(NodeView, "may_touch", lambda *_: False)
    assert view.is_node is None
