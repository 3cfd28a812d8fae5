"""One look at a node: data that several facts share is read once, and only when it is needed."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from unstuck.collect.node import logs
from unstuck.collect.node.cgroup import PodGroups, normalize_uid, pod_groups
from unstuck.collect.node.kernel import KernelLog, read_log
from unstuck.collect.node.kubelet import Kubelet
from unstuck.collect.node.mounts import Mounts, MountTable, is_remote, mount_of
from unstuck.collect.node.network_mounts import WaitingWatch
from unstuck.collect.node.proc import Process, ProcessTable
from unstuck.collect.node.root import Root
from unstuck.collect.node.runtimes import Runtimes
from unstuck.collect.node.statuses import ContainerCalls
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_CONTAINER_LOGS = "/var/log/containers"
_LOG_LINK = regex(r"^([^_]{1,253})_([^_]{1,63})_[^_]{1,63}-([0-9a-f]{64})\.log$")
_POD_LOGS = regex(r"/pods/(?:[^/_]+_[^/_]+_)?([0-9a-f-]{32,36})/")
_THROUGH = regex(r"^(.*)/proc/(\d+)/root$")
_MAX_LINKS = 5_000
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
_RUNTIME = ("containerd", "dockerd", "crio", "containerd-shim", "conmon", "docker-containe")


@record()
class LoggedContainer(Record):
    """A container that the kubelet keeps a log of."""

    namespace: str
    name: str
    uid: str
    container: str


class NodeView:
    """root: the node's. now: the moment, UTC. node_name, kubelet_root: if known better than from the node.

    since: when a deletion was requested, if known: logs are then read from shortly before on.
    """

    def __init__(
        self,
        root: Root,
        now: datetime,
        node_name: str | None = None,
        kubelet_root: str | None = None,
        since: datetime | None = None,
    ) -> None:
        self.root = root
        self.now = now
        self.since = since
        self.table = ProcessTable(root)
        self.mounts = MountTable(root, self.table)
        self.kubelet = Kubelet(root, self.table, kubelet_root)
        self._node_name = node_name
        self._pod_groups: dict[str, PodGroups] = {}
        # The logs' messages about the node itself (node_facts.py), once searched for: the search reads all of
        # them many times.
        self.told: tuple[Failure, ...] | None = None
        # The outputs of programs that were run (network_tools.py), by their name there.
        self.outputs: dict[str, tuple[str, ...]] = {}

    @cached_property
    def name(self) -> str:
        """The Node's name."""
        return self._node_name or self.kubelet.node_name or "localhost"

    @property
    def ref(self) -> Ref:
        """The Node."""
        return Ref("Node", None, self.name)

    @cached_property
    def sees_node(self) -> bool:
        """Whether the visible processes are a node's, and not only a container's without the host's PID
        namespace.
        """
        if self.root.live and os.geteuid() != 0:
            return False
        kernel = self.table.all.get(2)
        daemons = any(p.stat.comm.startswith(_RUNTIME) for p in self.table.user)
        return self.kubelet.process is not None or daemons or (kernel is not None and kernel.stat.kernel)

    @property
    def is_node(self) -> bool | None:
        """Whether there is anything of Kubernetes here; None if that cannot be seen, because only a
        missing directory means no.
        """
        top = f"{self.kubelet.root_dir}/pods"
        if self.kubelet.process is not None:
            return True
        if not self.may_touch(top):
            return None
        if self.root.names(top) is not None:
            return True
        return False if self.root.link(top)[1] in _ABSENT else None

    @cached_property
    def home(self) -> tuple[str, Mounts, int | str | None]:
        """The kubelet's mount namespace, its mounts, and the pid they were read from; the root's own if no
        kubelet runs.
        """
        candidates: list[int | str] = [self.kubelet.process.pid] if self.kubelet.process else []
        for pid in [
            *candidates,
            "self" if self.root.path == "/" else 1,
            1,
            *(p.pid for p in self.table.user[:3]),
        ]:
            entries = self.mounts.of_process(pid)
            if entries is not None:
                return self.root.link(f"/proc/{pid}/ns/mnt")[0], entries, pid
        return "", Mounts(), None

    @property
    def home_sure(self) -> bool:
        """Whether `home` is the kubelet's own."""
        return self.kubelet.process is not None and self.home[2] == self.kubelet.process.pid

    @cached_property
    def watch(self) -> WaitingWatch:
        """Return the watch, begun at the first use: the earlier that is, the more the second look shows."""
        return WaitingWatch(self.mounts, self.kubelet.process.pid if self.kubelet.process else None)

    @property
    def prefix(self) -> str:
        """The prefix of the kubelet's paths on this machine."""
        return "" if self.kubelet.files.path == "/" else self.kubelet.files.path.rstrip("/")

    @cached_property
    def own_mounts(self) -> Mounts:
        """The mounts that we ourselves see below the kubelet's root, under its paths."""
        if not self.root.live:
            return Mounts()
        prefix = self.prefix
        if through := _THROUGH.match(prefix):
            # Paths below /proc/PID/root are looked up among that process' mounts, not ours.
            top = Root(through[1] or "/")
            return MountTable(top, ProcessTable(top)).of_process(through[2]) or Mounts()
        ours = self.mounts if self.root.path == "/" else MountTable(Root("/"), ProcessTable(Root("/")))
        entries = ours.of_process("self") or Mounts()
        if not prefix:
            return entries
        return Mounts(
            replace(e, mountpoint=e.mountpoint[len(prefix) :] or "/")
            for e in entries
            if is_at_or_below(e.mountpoint, prefix)
        )

    def may_touch(self, path: str) -> bool:
        """Tell whether a path may be looked at without asking another machine or a process: always in a
        recorded tree.
        """
        if not self.root.live:
            return True
        on = [e for table in (self.home[1], self.own_mounts) if (e := mount_of(path, table))]
        return not any(is_remote(e.fstype) for e in on)

    def pod_directory(self, uid: str) -> str:
        """Return the directory of this Pod's volumes in the kubelet's root."""
        return f"{self.kubelet.root_dir}/pods/{uid}"

    def pod_groups(self, uid: str) -> PodGroups:
        """Return the Pod's cgroup directories."""
        if uid not in self._pod_groups:
            members = {p.pid: p.groups for p in self.table.in_pod(uid) if p.stat.state != "Z"}
            self._pod_groups[uid] = pod_groups(self.root, uid, members)
        return self._pod_groups[uid]

    def pod_processes(self, uid: str) -> tuple[Process, ...]:
        """Return processes in the Pod's cgroups, by their own word and by the directories' (a cgroup
        namespace hides the path).
        """
        listed = set(self.pod_groups(uid).procs)
        found = {p.pid: p for p in self.table.in_pod(uid)}
        found.update({p.pid: p for p in self.table.user if p.pid in listed})
        return tuple(found[pid] for pid in sorted(found))

    @cached_property
    def _named_pods(self) -> tuple[tuple[str, str, str], ...]:
        """(namespace, name, uid) of the Pods with a log directory; a name holds no underscore."""
        top = self.kubelet.pod_logs
        parts = (n.split("_") for n in (self.kubelet.files.names(top) if self.may_touch(top) else None) or ())
        listed = tuple((p[0], p[1], uid) for p in parts if len(p) == 3 and (uid := normalize_uid(p[2])))
        return tuple(
            dict.fromkeys((*listed, *((c.namespace, c.name, c.uid) for c in self.logged_containers)))
        )

    @cached_property
    def logged_containers(self) -> tuple[LoggedContainer, ...]:
        """Containers whose log is linked from /var/log/containers: `POD_NAMESPACE_CONTAINER-ID.log` →
        `…/pods/…UID/…`.

        The links stay until a container is removed, even after its processes have ended.
        """
        names = self.kubelet.files.names(_CONTAINER_LOGS) if self.may_touch(_CONTAINER_LOGS) else None
        found = (
            (_LOG_LINK.match(n), self.kubelet.files.link(f"{_CONTAINER_LOGS}/{n}")[0])
            for n in (names or ())[:_MAX_LINKS]
        )
        return tuple(
            LoggedContainer(link[2], link[1], uid, link[3])
            for link, target in found
            if link and (inner := _POD_LOGS.search(target)) and (uid := normalize_uid(inner[1]))
        )

    def pod(self, about: Ref) -> Ref | None:
        """Return the Pod with its uid, and its name if the node knows it; None if the node cannot identify
        it.
        """
        uid = normalize_uid(about.uid or "")
        if uid is not None:
            named = next(((ns, name) for ns, name, u in self._named_pods if u == uid), (None, None))
            return Ref("Pod", about.within or named[0], about.name or named[1], uid)
        uids = {u for ns, name, u in self._named_pods if (ns, name) == (about.within, about.name)}
        return Ref("Pod", about.within, about.name, uids.pop()) if len(uids) == 1 else None

    @cached_property
    def runtimes(self) -> Runtimes:
        """The container runtimes; their sockets are asked from the first use on, beside all else."""
        return Runtimes(self.kubelet, self.table, self.sees_node, self.may_touch)

    @cached_property
    def statuses(self) -> ContainerCalls:
        """The state of each container, asked one by one; begun at the first use."""
        return ContainerCalls(self)

    @cached_property
    def log_clock(self) -> logs.LogClock:
        """The context for parsing timestamps in logs."""
        return logs.LogClock(self.now, logs.zone_of(self.root))

    @cached_property
    def log_tails(self) -> tuple[logs.Log, ...]:
        """The logs of the kubelet and of the existing runtimes, in the time in question."""
        place = logs.LogPlace(self.root, self.kubelet, self.table, self.may_touch)
        return logs.read_node_logs(place, logs.windows(self.now, self.since), self.log_clock)

    @cached_property
    def kernel_log(self) -> KernelLog | None:
        """The kernel's messages since the boot, as far as they can be read here."""
        return read_log(self.root, self.table.boot, self.log_clock, self.may_touch)
