"""The node's operating system: kernel, distribution, boot time, sysctls that causes read, and processes that
the kernel killed for memory.

Sources: os-release(5), fs/namespace.c of RHEL 7 (`fs.may_detach_mounts`), mm/oom_kill.c
(4.19+: `oom-kill:constraint=…`; before: `Task in … killed as a result of limit of …`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from unstuck.collect.node.cgroup import parse_groups
from unstuck.collect.node.kernel import KernelLine, KernelLog
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import Host
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex

_SYSCTLS = (
    "fs.may_detach_mounts",
    "fs.inotify.max_user_instances",
    "fs.inotify.max_user_watches",
    "fs.file-max",
    "kernel.pid_max",
    "kernel.threads-max",
    "kernel.hung_task_timeout_secs",
    "net.netfilter.nf_conntrack_max",
)
# /proc/sys/net shows the reader's own network (net/sysctl_net.c, `net_ctl_root`).
_OF_NETWORK = ("net.ipv4.ip_forward",)
# Files with a distribution's point release, if os-release has only the major one.
_RELEASES = ("/etc/redhat-release", "/etc/debian_version", "/etc/alpine-release")
_VERSION = regex(r"(?<![\w.])\d+(?:\.\d+)+")
_NEW = regex(
    r"oom-kill:constraint=CONSTRAINT_(\w+),.*?(?:,oom_memcg=([^,]*))?"
    r"(?:,task_memcg=([^,]*))?,task=([^,]*),pid=(\d{1,10})"
)
_TASK_IN = regex(r"Task in (\S+) killed as a result of limit of (\S+)")
# Cgroups that the kubelet limits with `--enforce-node-allocatable=pods`, and the classes of service below it.
# Source: pkg/kubelet/cm/node_container_manager_linux.go.
_ALL_PODS = regex(
    r"(?:/[\w.-]{1,60}){0,2}/kubepods(?:\.slice)?(?:/(?:kubepods-)?(?:burstable|besteffort)(?:\.slice)?)?"
)
_STATS = regex(r"Memory cgroup stats for (/\S{1,400}?):(?:\s|$)")
_SIGNS = ("oom-kill:", "Task in ", "Memory cgroup stats for", "ut of memory")
_KILLED = regex(
    r"(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: Kill(?:ed)? process (\d{1,10}) "
    r"\(([^)]{0,64})\)"
)


def host(root: Root, table: ProcessTable, about: Ref, node: str) -> Host:
    """Return kernel release, distribution, boot time and sysctls; unreadable ones stay empty, and the fact
    is then not whole.
    """
    kernel = (root.text("/proc/sys/kernel/osrelease", 1024) or "").strip()
    release = root.text("/etc/os-release", 1 << 16) or root.text("/usr/lib/os-release", 1 << 16) or ""
    fields = dict(line.partition("=")[::2] for line in release.splitlines())
    distribution = (
        fields.get("PRETTY_NAME", "").strip("\"'") or (root.text("/etc/redhat-release", 1024) or "").strip()
    )
    exact = next((m[0] for p in _RELEASES if (m := _VERSION.search(root.text(p, 1024) or ""))), "")
    sysctls = tuple(
        (n, v.strip())
        for n in (*_SYSCTLS, *(_OF_NETWORK if _is_in_network(root, table) else ()))
        if (v := root.text("/proc/sys/" + n.replace(".", "/"), 1024)) is not None
    )
    return Host(
        about=about,
        src=Source(f"{node} /proc/sys/kernel/osrelease", f"{kernel} {distribution}".strip()),
        whole=bool(kernel),
        kernel=kernel,
        distribution=distribution,
        version=exact or fields.get("VERSION_ID", "").strip("\"'"),
        boot=table.boot,
        sysctls=sysctls,
    )


def _is_in_network(root: Root, table: ProcessTable) -> bool:
    """Tell whether the reader is in the node's own network."""
    return root.live and table.namespace(1, "net")[0] == os.readlink(
        "/proc/self/ns/net"
    )  # a name, not a path


def oom_kills(lines: Iterable[KernelLine]) -> list[tuple[str | None, Kill]]:
    """Return (Pod uid, kill), each once. `memcg` for a cgroup's limit, `none` for the node's memory.

    Old and new kernels; a kill that two lines report is returned once.
    """
    out: dict[tuple[int, str], tuple[str | None, Kill]] = {}
    group = bound = ""
    for line in lines:
        if not any(sign in line.text for sign in _SIGNS):
            continue
        if found := _NEW.search(line.text):
            constraint, limit, task, comm, pid = found.groups()
            out[int(pid), comm] = _make_kill(
                task or limit or "", int(pid), comm, constraint.lower(), limit or "", line
            )
        elif found := _TASK_IN.search(line.text):
            group, bound = found.groups()
        elif found := _STATS.search(line.text):
            # The first is the group whose limit was reached, with which a cut paste may begin; those below it
            # follow.
            group, bound = group or found.group(1), bound or found.group(1)
        elif found := _KILLED.search(line.text):
            memcg = found.group(1).startswith("Memory")
            pid, comm = int(found.group(2)), found.group(3)
            told = _make_kill(
                group if memcg else "", pid, comm, "memcg" if memcg else "none", bound if memcg else "", line
            )
            out.setdefault((pid, comm), told)
            group = bound = ""
    return list(out.values())


def _make_kill(
    path: str, pid: int, comm: str, constraint: str, bound: str, line: KernelLine
) -> tuple[str | None, Kill]:
    """Return the kill. path: the victim's cgroup, "" if the kernel gives none. bound: the cgroup whose limit
    was met; a limit of all Pods together is no container's.
    """
    groups = parse_groups(f"1:memory:{path}")
    shared = constraint == "memcg" and _ALL_PODS.fullmatch(bound) is not None
    why, of_all = ("none", bound) if shared else (constraint, "")
    return groups.pod, Kill(pid, comm, why, line.at, groups.container or "", of_all)


def oom_fact(log: KernelLog | None, about: Ref, pod: str | None, node: str) -> OomKills | None:
    """Return the kills in a Pod's cgroups, or without a Pod all kills of the node; None if the kernel's log
    cannot be read.
    """
    if log is None:
        return None
    kills = [k for of, k in oom_kills(log.lines) if (of == pod if pod else k.why != "memcg")]
    quote = "; ".join(f"{k.comm} (pid {k.pid})" for k in kills[-3:])
    return kills_fact(kills, about, Source(f"{node} {log.where}", quote), whole=log.complete)


def kills_fact(kills: Sequence[Kill], about: Ref, src: Source, *, whole: bool) -> OomKills:
    """Return the fact of these kills."""
    items = tuple((k.pid, k.comm, k.why) for k in kills)
    return OomKills(
        about=about,
        src=src,
        whole=whole,
        items=items,
        more=tuple((k.at, k.container) for k in kills),
        bounds=tuple(k.bound for k in kills) if any(k.bound for k in kills) else (),
    )
