"""Reads the kernel's settings as visible to a Pod's processes.

/proc/sys/net shows only the reader's own network, and a locked reader (seccomp.py) may not enter another one:
network settings are read only for Pods on the node's network. Source: Documentation/networking/ip-sysctl.rst,
net/sysctl_net.c (`net_ctl_root`).
"""

from __future__ import annotations

import os

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_processes import PodSysctls
from unstuck.facts.core import Ref, Source

_OF_NETWORK = (
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_nonlocal_bind",
    "net.ipv4.ip_local_port_range",
    "net.ipv6.conf.all.disable_ipv6",
)
_OF_NODE = (
    "fs.aio-max-nr",
    "fs.file-max",
    "fs.inotify.max_user_instances",
    "fs.inotify.max_user_watches",
    "kernel.keys.maxkeys",
    "kernel.perf_event_paranoid",
    "kernel.pid_max",
    "kernel.threads-max",
    "kernel.unprivileged_bpf_disabled",
    "user.max_user_namespaces",
    "vm.max_map_count",
    "vm.overcommit_memory",
)


def pod_sysctls(view: NodeView, pod: Ref) -> PodSysctls | None:
    """Return the settings; None where no process of the Pod runs, so that its network is not known."""
    networks = [
        name for p in view.pod_processes(pod.uid or "") if (name := view.table.namespace(p.pid, "net")[0])
    ]
    if not networks:
        return None
    own = (
        networks[0] != view.table.namespace(view.kubelet.process.pid if view.kubelet.process else 1, "net")[0]
    )
    # Of a recording the script's own; a name, not a path.
    self = os.readlink("/proc/self/ns/net") if view.root.live else view.root.link("/proc/self/ns/net")[0]
    ours = networks[0] == self
    names = (*(_OF_NETWORK if ours else ()), *_OF_NODE)
    items = [
        (name, value) for name in names if (value := " ".join((view.root.brief(_file(name)) or "").split()))
    ]
    start = dict(items).get(_OF_NETWORK[0], "")
    return PodSysctls(
        about=pod,
        src=Source(
            f"{view.name} {_file(_OF_NETWORK[0])}",
            f"{_OF_NETWORK[0]} = {start}" if start else "settings of the kernel",
        ),
        whole=view.sees_node and ours,
        items=tuple(items),
        own_network=own,
    )


def _file(name: str) -> str:
    return "/proc/sys/" + name.replace(".", "/")
