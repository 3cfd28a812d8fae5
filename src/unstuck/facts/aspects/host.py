"""Facts visible only on the node: processes, mounts, files, the kubelet and the runtime on disk. Each costs
`node`.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from unstuck.facts.core import Cost, Fact
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record


@record(kw_only=True)
class NodeFact(Fact):
    """An observation made on a node. A Pod's are about the Pod (with its uid), the node's about the Node."""

    cost: ClassVar[Cost] = "node"
    ask: ClassVar[str] = "unstuck node --here --pod={uid}"


def _is_in_pod_directory(path: str, uid: str | None) -> bool:
    """Tell whether a path is in the kubelet's directory of a Pod, for any kubelet root."""
    return uid is None or f"/pods/{uid}/" in f"{path}/"


@record()
class FlaggedFile(Record):
    """A file or directory with the immutable (i) or append-only (a) attribute. flags: in the form of
    lsattr.
    """

    path: str
    flags: str

    @property
    def immutable(self) -> bool:
        """Whether i is set."""
        return "i" in self.flags

    @property
    def append_only(self) -> bool:
        """Whether a is set."""
        return "a" in self.flags


@record(kw_only=True)
class FlaggedFiles(NodeFact):
    """Files with i or a below a Pod's volumes (about the Pod) or below the runtime's snapshots (about the
    Node).

    under: the directories walked. not_looked_at: directories left out (too many, other file system) or
    without flag support; the fact is whole only if this is empty.
    """

    files: tuple[FlaggedFile, ...]
    under: tuple[str, ...] = ()
    not_looked_at: tuple[str, ...] = ()
    ask: ClassVar[str] = "lsattr -aR /var/lib/kubelet/pods/{uid}/volumes"

    def reaches(self, path: str) -> bool:
        """Tell whether the path is in a walked directory."""
        return not self.under or any(is_at_or_below(path, top) for top in self.under)


@record()
class MountEntry(Record):
    """One line of mountinfo. dev: `major:minor`. propagation: the optional fields (`shared:3`,
    `master:1`).
    """

    mountpoint: str
    fstype: str
    source: str
    root: str = "/"
    dev: str = ""
    options: str = ""
    propagation: str = ""


@record(kw_only=True)
class PodMounts(NodeFact):
    """Mounts at or below the Pod's directory, in the kubelet's mount namespace.

    extra: mounts outside the Pod's volumes. containers: the mounts of its containers and sandbox (root file
    system, shm).
    """

    items: tuple[MountEntry, ...]
    extra: tuple[MountEntry, ...] = ()
    containers: tuple[MountEntry, ...] = ()
    ask: ClassVar[str] = "grep {uid} /proc/$(pgrep -o kubelet)/mountinfo"

    def reaches(self, path: str) -> bool:
        """Tell whether the path is in the Pod's directory."""
        return _is_in_pod_directory(path, self.about.uid)


@record()
class Proc(Record):
    """A process. start: its start time. unit: systemd unit, from its cgroup. pod: uid from its cgroup.
    container: its id.

    waits_in: wchan. stuck_threads: tids in D. parent: ppid. killed: whether SIGKILL is pending on a thread
    that cannot act on it (`SigPnd` in /proc/PID/task/TID/status while in D). syscall: the system call of its
    first thread in D (/proc/TID/syscall): a name, `call NUMBER`, "" if unknown. dead_threads: threads in Z or
    X. live_threads: for a process in Z, the threads still alive; it is reaped only after them. parent_comm,
    parent_state: for a process in Z, its parent's, which would have to reap it; "" if not seen. namespaces:
    `mnt:[4026532198]`, … for a Pod's processes. missing_namespaces: broken links in /proc/PID/ns, as for a
    task that released its namespaces at its end (kernel/exit.c, exit_task_namespaces).
    """

    pid: int
    comm: str
    state: str = ""
    start: datetime | None = None
    parent: int | None = None
    unit: str | None = None
    pod: str | None = None
    container: str | None = None
    waits_in: str = ""
    stuck_threads: int = 0
    killed: bool = False
    syscall: str = ""
    dead_threads: int = 0
    live_threads: int = 0
    parent_comm: str = ""
    parent_state: str = ""
    namespaces: tuple[str, ...] = ()
    missing_namespaces: tuple[str, ...] = ()


@record()
class Use(Record):
    """One process' hold on a path. how: `fd`, `cwd`, `root`, `maps`, `mount`."""

    proc: Proc
    how: str
    path: str


@record(kw_only=True)
class PathUses(NodeFact):
    """Processes with an open file, cwd, root or map at or below the Pod's volumes, in any namespace.

    A process that holds a volume only by its own private mount is in `MountHolders`. not_read: unreadable
    processes and files, one line each; the fact is whole only if this is empty.
    """

    items: tuple[Use, ...]
    not_read: tuple[str, ...] = ()
    ask: ClassVar[str] = "lsof +D /var/lib/kubelet/pods/{uid}/volumes"

    def reaches(self, path: str) -> bool:
        """Tell whether the path is in the Pod's directory."""
        return _is_in_pod_directory(path, self.about.uid)


@record()
class MountHolder(Record):
    """One mount namespace with a visible mount, identified by its first process. namespace:
    `mnt:[4026532198]`.
    """

    proc: Proc
    namespace: str
    mountpoint: str


@record(kw_only=True)
class MountHolders(NodeFact):
    """Foreign mount namespaces with a mount of a path. about: `Ref("Mount", NODE, PATH)`."""

    items: tuple[MountHolder, ...]
    ask: ClassVar[str] = "grep -lF -e {path} /proc/[0-9]*/mountinfo"


@record(kw_only=True)
class PodProcesses(NodeFact):
    """Every process in the Pod's cgroups. cgroup: the Pod's cgroup directory, None if it is gone."""

    items: tuple[Proc, ...]
    cgroup: str | None = None
    ask: ClassVar[str] = "ps -eo pid,stat,wchan:32,comm,cgroup | grep {uid}"


@record()
class WaitingMount(Record):
    """A network or FUSE file system with its waiting tasks.

    waiting: unanswered requests, None if unknown. seconds: how long this stayed above 0 under observation, or
    the age of the oldest request. tasks: tasks in D in this file system's functions, on this node. sleepers:
    tasks that wait there too but can still be ended (a FUSE request turns into D only when its task is
    killed; a blocking lock on a healthy FUSE file system waits like this as well). mountpoints: its mount
    points, the node's own first. pods: uids of Pods with a mount of it. server: its host or address, "" if
    the mount does not contain it. options: the mount options that matter for a silent server (`hard`,
    `timeo=600`), never a name or secret. daemons: local server processes of a FUSE file system (they hold its
    connection: `fuse_connection` in /proc/PID/fdinfo of newer kernels), empty if unknown. processes: pids of
    the processes of `tasks`.
    """

    fstype: str
    source: str
    dev: str
    mountpoints: tuple[str, ...]
    waiting: int | None
    seconds: float = 0.0
    tasks: tuple[int, ...] = ()
    pods: tuple[str, ...] = ()
    sleepers: tuple[int, ...] = ()
    server: str = ""
    options: str = ""
    daemons: tuple[Proc, ...] = ()
    processes: tuple[int, ...] = ()


@record(kw_only=True)
class WaitingMounts(NodeFact):
    """Network and FUSE file systems of the node, observed passively without touching any.

    Whole only if requests could be counted for each of them.
    """

    items: tuple[WaitingMount, ...]
    ask: ClassVar[str] = (
        "cat /sys/fs/fuse/connections/*/waiting; ps -eo pid,stat,wchan:32,comm | awk '$2 ~ /D/'"
    )


@record(kw_only=True)
class PodDirectory(NodeFact):
    """`<kubelet root>/pods/<uid>` on disk. volumes: `PLUGIN/NAME` of directories still there."""

    exists: bool
    volumes: tuple[str, ...] = ()
    path: str = ""
    ask: ClassVar[str] = "find /var/lib/kubelet/pods/{uid} -maxdepth 3"


@record()
class FrozenGroup(Record):
    """A cgroup directory frozen by its own setting, not only through a parent.

    version: of the hierarchy; only version 1 keeps a process from being killed (cgroups(7),
    Documentation/admin-guide/cgroup-v2.rst). state: `FROZEN`, or `FREEZING` while a process in it cannot be
    stopped. pids: the Pod's processes in it or below.
    """

    path: str
    version: int
    state: str = "FROZEN"
    pids: tuple[int, ...] = ()


@record(kw_only=True)
class PodCgroup(NodeFact):
    """The Pod's cgroup directories. frozen: the frozen directories, its own or parents. procs: 0 means
    invisible processes: of another PID namespace, or zombies. below: directories below the Pod's own.
    occupied: the directories with processes. stopped: `frozen` with their states.
    """

    paths: tuple[str, ...]
    procs: tuple[int, ...] = ()
    frozen: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    occupied: tuple[str, ...] = ()
    stopped: tuple[FrozenGroup, ...] = ()
    ask: ClassVar[str] = "find /sys/fs/cgroup -type d -name '*{uid}*'"


# The programs that contain a kubelet, alone or with other components.
KUBELETS = ("kubelet", "kubelite", "hyperkube", "k3s-server", "k3s-agent")


@record(kw_only=True)
class DaemonState(NodeFact):
    """A daemon of the node. about: the Node. daemon: `kubelet`, `containerd`, `dockerd`, `crio`.

    running: whether a process of it was found. stopped: whether it is in state T. answers: the kubelet's
    /healthz result, None if not asked. processes_max: its own limit (RLIMIT_NPROC), inherited by the
    containers of a runtime; None: unlimited or unknown.
    """

    daemon: Literal["kubelet", "containerd", "dockerd", "crio"]
    running: bool
    proc: Proc | None = None
    stopped: bool = False
    answers: bool | None = None
    version: str = ""
    processes_max: int | None = None
    ask: ClassVar[str] = (
        f"ps -ww -C {','.join((*KUBELETS, 'containerd', 'dockerd', 'crio'))} -o pid,stat,lstart,args; "
        "systemctl status kubelet"
    )


@record(kw_only=True)
class LogSeen(NodeFact):
    """A log that has been read. about: the Node.

    verbosity: the highest klog V level seen in it; below level 2 the absence of a V(2) line proves nothing.
    pid: of the last writer, if known. worst: for a log in a short text, the gravest line without a known
    fault, quoted.
    """

    component: str
    path: str
    since: datetime | None = None
    until: datetime | None = None
    verbosity: int | None = None
    matched: int = 0
    pid: int | None = None
    worst: str = ""
    ask: ClassVar[str] = "journalctl -u kubelet --since -1h"


@record(kw_only=True)
class Host(NodeFact):
    """The node's operating system. about: the Node. sysctls: those read by causes, as pairs. boot: its boot
    time.

    version: of the distribution, with its point release if given (`7.5.1804`).
    """

    kernel: str = ""
    distribution: str = ""
    boot: datetime | None = None
    sysctls: tuple[tuple[str, str], ...] = ()
    version: str = ""
    ask: ClassVar[str] = "uname -r; cat /etc/os-release; sysctl fs.may_detach_mounts"


@record(kw_only=True)
class UnitFile(NodeFact):
    """The settings of a systemd unit that are read by causes (`PrivateTmp`, `MountFlags`). about:
    `Ref("Unit", NODE, "ntpd.service")`.

    settings: with all drop-ins applied; a missing setting has systemd's default. drop_ins: the applied ones,
    in order.
    """

    settings: tuple[tuple[str, str], ...]
    path: str = ""
    drop_ins: tuple[str, ...] = ()
    ask: ClassVar[str] = "systemctl cat {unit}"
