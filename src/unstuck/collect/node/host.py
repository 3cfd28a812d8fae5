"""The machine: kernel, distribution, boot time, sysctls that causes read, and what the kernel killed for memory.

Sources: os-release(5), fs/namespace.c of RHEL 7 (`fs.may_detach_mounts`), mm/oom_kill.c
(4.19+: `oom-kill:constraint=…`; before: `Task in … killed as a result of limit of …`).
"""

from __future__ import annotations

import re

from unstuck.collect.node.cgroup import parse_groups
from unstuck.collect.node.kernel import KernelLog
from unstuck.collect.node.proc import ProcessTable
from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import Host, OomKills
from unstuck.facts.core import Ref, Source

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
# Where a distribution's point release stands, when os-release tells only the major one.
_RELEASES = ("/etc/redhat-release", "/etc/debian_version", "/etc/alpine-release")
_VERSION = re.compile(r"(?<![\w.])\d+(?:\.\d+)+")
_NEW = re.compile(r"oom-kill:constraint=CONSTRAINT_(\w+),.*?(?:,oom_memcg=([^,]*))?(?:,task_memcg=([^,]*))?,task=([^,]*),pid=(\d{1,10})")
_TASK_IN = re.compile(r"Task in (\S+) killed as a result of limit of (\S+)")
_KILLED = re.compile(r"(Memory cgroup out of memory|Out of memory)(?: \([^)]*\))?: Kill(?:ed)? process (\d{1,10}) \(([^)]{0,64})\)")


def host(root: Root, table: ProcessTable, about: Ref, node: str) -> Host:
    """Kernel release, distribution, boot time and sysctls; what cannot be read stays empty, and the fact is then not whole."""
    kernel = (root.text("/proc/sys/kernel/osrelease", 1024) or "").strip()
    release = root.text("/etc/os-release", 1 << 16) or root.text("/usr/lib/os-release", 1 << 16) or ""
    fields = dict(line.partition("=")[::2] for line in release.splitlines())
    distribution = fields.get("PRETTY_NAME", "").strip("\"'") or (root.text("/etc/redhat-release", 1024) or "").strip()
    exact = next((m[0] for p in _RELEASES if (m := _VERSION.search(root.text(p, 1024) or ""))), "")
    sysctls = tuple((n, v.strip()) for n in _SYSCTLS if (v := root.text("/proc/sys/" + n.replace(".", "/"), 1024)) is not None)
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


def oom_kills(text: str) -> list[tuple[str | None, str, int, str]]:
    """(Pod uid, constraint, pid, process name) of each kill; constraint `memcg` for a cgroup's limit, `none` for the machine's memory.

    Old and new kernels; a kill that two lines tell of is told once.
    """
    out: dict[tuple[int, str], tuple[str | None, str, int, str]] = {}
    group = ""
    for line in text.splitlines():
        if found := _NEW.search(line):
            constraint, limit, task, comm, pid = found.groups()
            pod = parse_groups(f"1:memory:{task or limit or ''}").pod
            out[int(pid), comm] = (pod, constraint.lower(), int(pid), comm)
        elif found := _TASK_IN.search(line):
            group = found.group(1)
        elif found := _KILLED.search(line):
            memcg = found.group(1).startswith("Memory")
            pod = parse_groups(f"1:memory:{group}").pod if memcg else None
            out.setdefault((int(found.group(2)), found.group(3)), (pod, "memcg" if memcg else "none", int(found.group(2)), found.group(3)))
            group = ""
    return list(out.values())


def oom_fact(log: KernelLog | None, about: Ref, pod: str | None, node: str) -> OomKills | None:
    """The kills in a Pod's cgroups, or with no Pod those of the whole machine; None where the kernel's log cannot be read."""
    if log is None:
        return None
    kills = [k for k in oom_kills("\n".join(line.text for line in log.lines)) if (k[0] == pod if pod else k[1] != "memcg")]
    quote = "; ".join(f"{c} (pid {p})" for _, _, p, c in kills[-3:])
    items = tuple((p, c, k) for _, k, p, c in kills)
    return OomKills(about=about, src=Source(f"{node} {log.where}", quote), whole=log.complete, items=items)
