"""Declares every fact that can be observed on a node: its reader, its cost, and the tenants who may see it.

The tables for asking, recording and telling are derived from it: `answers.py`, `collect/script/recorded.py`,
`agent/tenancy.py`. Readers are named and not imported, since two of these three have no use for them. See
docs/why/observables.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from unstuck.facts.aspects import (
    cgroup_limits,
    cni,
    firewall,
    host,
    kernel,
    kubelet,
    leftovers,
    node_limits,
    node_mounts,
    node_paths,
    node_processes,
    oom,
    packet_way,
    pulls,
    runtime,
    signals,
    sockets,
    space,
    storage,
)
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record

# Of the shell script's stream; see `collect.sh`.
Section = Literal[
    "host",
    "processes",
    "mounts",
    "daemon",
    "pod",
    "flags",
    "holds",
    "again",
    "logs",
    "sockets",
    "plugins",
    "runtimes",
    "health",
    "space",
    "filter",
    "units",
    "leaked",
    "older",
]
# either: about the Node only if the question is not about a Pod. on-request: it costs more than it is worth,
# unless it is asked for.
Surveyed = Literal["always", "either", "on-request"]
# Of the NodeView: slow answers to wait for while the rest is read. watch: the first of two looks; the others:
# sockets that may stay silent.
Begun = Literal["watch", "runtimes", "statuses"]
# all: it is about the node itself, not a tenant. owner: facts about a Pod go to users who may see that Pod,
# those about a Node to no tenant.
Tenants = Literal["all", "owner"]


@record(kw_only=True)
class NodeObservable(Record):
    """One fact that a node reports. None: not declared yet; until then as little as possible is reported and
    concluded.

    readers: for each kind of subject a function in a module of this package, such as `pods.mounts`. It takes
    the NodeView, and the Ref if that is not the Node; it returns facts, or None if there are none. missing:
    why there may be no such fact here. surveyed: whether a survey reads it. begins: what to begin before
    anything is looked at. script: the sections of the shell script without which the fact has not seen the
    full extent; with () it never has, as the script asks for less than a collector on the node does. tenants:
    who may receive it from the agent.
    """

    fact: type[Fact]
    readers: Mapping[str, str]
    extent: str = ""
    missing: str | None = None
    surveyed: Surveyed = "always"
    begins: Begun | None = None
    script: tuple[Section, ...] | None = None
    tenants: Tenants | None = None


_NOT_HERE = "not found here"
_NO_PODS = "the kubelet's directory of Pods cannot be listed here"
_NO_LOG = "the kernel's log cannot be read here"
_CLOSED = (
    "the kubelet's read-only port is off; an agent in the cluster asks it with nodes/pods and nodes/metrics"
)

# The order is that of looking, cheap and certain ones first: facts from before a deadline are not lost.
NODE_OBSERVABLES: tuple[NodeObservable, ...] = (
    NodeObservable(
        fact=host.DaemonState,
        extent="every process of the node, for the daemons' names",
        readers={"Node": "node_facts.daemons"},
        missing=_NOT_HERE,
        script=("mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=host.Host,
        extent="the machine's own release, boot time and the sysctls that causes read",
        readers={"Node": "node_facts.machine"},
        missing=_NOT_HERE,
        script=("host",),
        tenants="all",
    ),
    NodeObservable(
        fact=node_limits.HostLimits,
        extent="the open files and threads of the whole machine",
        readers={"Node": "limits.limits"},
        missing=_NOT_HERE,
        script=("host",),
        tenants="all",
    ),
    NodeObservable(
        fact=node_limits.Clock,
        extent="the node's own clock and what keeps it",
        readers={"Node": "clock.clock"},
        missing=_NOT_HERE,
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=cni.NetworkPlugins,
        extent="the directories of network configuration and of plugin binaries that the runtime is set to",
        readers={"Node": "cni.network_plugins"},
        missing=_NOT_HERE,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodDirectory,
        extent="the Pod's directory below the kubelet's root",
        readers={"Pod": "pods.directory"},
        missing=_NO_PODS,
        script=("daemon", "pod"),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodMounts,
        extent="what is mounted at or below the Pod's directory, in the kubelet's mount namespace",
        readers={"Pod": "pods.mounts"},
        missing="no mount table can be read here",
        script=("daemon", "mounts", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodCgroup,
        extent="the Pod's directories in every cgroup hierarchy, with all below them",
        readers={"Pod": "pods.cgroup"},
        missing=_NOT_HERE,
        script=("pod",),
        tenants="owner",
    ),
    NodeObservable(
        fact=cgroup_limits.CgroupLimits,
        extent="the Pod's directories in every cgroup hierarchy, with all below and all above them",
        readers={"Pod": "cgroup_limits.limits_of_pod"},
        missing="the Pod has no cgroup here",
        script=("pod",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodProcesses,
        extent="every process in the Pod's cgroups",
        readers={"Pod": "pods.processes"},
        missing=_NOT_HERE,
        script=("pod", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.VolumeData,
        extent="the directories of the Pod's CSI volumes",
        readers={"Pod": "csi.volume_data"},
        missing=_NO_PODS,
        script=("daemon", "pod"),
        tenants="owner",
    ),
    NodeObservable(
        fact=storage.PodRoom,
        extent="the mounts that the Pod's volume directories lie on, not the volumes' own",
        readers={"Pod": "csi.room"},
        missing="the kubelet's own mounts cannot be read here",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_mounts.NodeMounts,
        extent="the kubelet's mount namespace, but for the mounts of single Pods and containers",
        readers={"Node": "node_mounts.node_mounts"},
        missing="no mount table can be read here",
        script=("host", "mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=storage.PluginSockets,
        extent="the kubelet's directories of plugins and of their registration",
        readers={"Node": "csi.plugin_sockets"},
        missing="the kubelet's directory of plugins cannot be listed here",
        script=("daemon", "plugins"),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletConfig,
        extent="the kubelet's flags, configuration file and drop-ins",
        readers={"Node": "settings.config"},
        missing="no kubelet runs here that would tell its settings",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.StaticManifests,
        extent="the kubelet's directory of static Pods",
        readers={"Node": "settings.manifests"},
        missing="no kubelet runs here, or its directory of static Pods cannot be listed",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.Certificates,
        extent="the kubelet's own client and serving certificates, and the CA it trusts",
        readers={"Node": "certificates.certificates"},
        missing="no certificate of a kubelet was found",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.LogSeen,
        extent="the part of one log from `since` to `until`",
        readers={"Node": "node_facts.logs_seen"},
        missing="no log of the kubelet was found",
        script=("logs",),
        tenants="all",
    ),
    NodeObservable(
        fact=host.UnitFile,
        extent="one unit's file with all drop-ins",
        readers={"Unit": "node_facts.unit"},
        missing="no such unit file",
        script=("units",),
        tenants="all",
    ),
    NodeObservable(
        fact=host.MountHolders,
        extent="one mount point, in the mount namespace of every process of the node",
        readers={"Mount": "node_facts.holders"},
        missing="no absolute path",
        script=("mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=oom.OomKills,
        extent="what the kernel's log still has since boot",
        readers={"Pod": "pods.oom_kills", "Node": "node_facts.oom_kills"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kernel.HungTasks,
        extent="what the kernel's log still has, while the kernel still tells of hung tasks",
        readers={"Pod": "kernel_facts.hung_tasks_of_pod", "Node": "kernel_facts.hung_tasks_of_node"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kernel.KernelEvents,
        extent="what the kernel's log still has since `since`",
        readers={"Pod": "kernel_facts.events_of_pod", "Node": "kernel_facts.events_of_node"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=space.DiskSpace,
        extent=(
            "the mounts in `items`: of /, the kubelet's root, the runtime's directories and the logs, and "
            "local ones below these two"
        ),
        readers={"Node": "space.space"},
        missing=_NOT_HERE,
        script=("mounts", "space"),
        tenants="all",
    ),
    NodeObservable(
        # Those of leaked snapshots, if the question was not about a Pod, say themselves whether they are
        # complete.
        fact=host.FlaggedFiles,
        extent="the directories in `under`, each on its own file system",
        readers={"Pod": "pods.flagged_files", "Node": "node_facts.leaked_files"},
        missing="this recorded tree keeps no file flags",
        surveyed="either",
        script=("flags",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.WaitingMounts,
        extent="every network and FUSE mount of every mount namespace of the node",
        readers={"Node": "node_facts.waiting_mounts"},
        missing=_NOT_HERE,
        begins="watch",
        script=("again", "mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=host.PathUses,
        extent=(
            "the Pod's directory, for the open files, working directories, roots and maps of every process "
            "of the node"
        ),
        readers={"Pod": "pods.uses"},
        missing=_NOT_HERE,
        script=("holds", "mounts", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=firewall.PacketFilter,
        extent="the chains that FORWARD leads to in the table `filter` of IPv4, at one moment",
        readers={"Node": "packet_filter.packet_filter"},
        missing="iptables-save is not here, or not in the node's own network",
        script=("filter",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletHealth,
        extent="the kubelet's local health port, at one moment",
        readers={"Node": "health.health"},
        missing="the kubelet's local port cannot be asked from here",
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=kubelet.KubeletPods,
        extent="every Pod that the kubelet has",
        readers={"Node": "health.pods"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletPod,
        extent="what the kubelet has of one Pod",
        readers={"Pod": "health.pod"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletMetrics,
        extent="the counters that causes read, since the kubelet's start",
        readers={"Node": "health.metrics"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_limits.InotifyUse,
        extent="every open file of every process of the node, for inotify",
        readers={"Node": "limits.inotify"},
        missing=_NOT_HERE,
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=leftovers.PodDirectories,
        extent="every directory of a Pod below the kubelet's root",
        readers={"Node": "leftovers.directories"},
        missing="the kubelet's directory of Pods cannot be listed here, or its processes are not in sight",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=runtime.RuntimeAnswer,
        extent="the runtime's sockets that are offered, at one moment",
        readers={"Node": "runtimes.answers"},
        missing="no runtime's socket is offered here",
        begins="runtimes",
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=runtime.RuntimeContainers,
        extent="every container in the runtime's own records; about a Pod, those of its sandboxes",
        readers={"Pod": "runtimes.containers_of", "Node": "runtimes.containers"},
        missing="no runtime's files are offered here",
        begins="runtimes",
        script=("pod", "processes", "runtimes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=runtime.ContainerAnswers,
        extent="every container that the runtime has, each asked for by itself",
        readers={"Pod": "statuses.of_pod", "Node": "statuses.of_node"},
        missing="no runtime that answers is offered here, or none of its containers is known",
        surveyed="on-request",
        begins="statuses",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=sockets.Listening,
        extent="the sockets of the Pod's network namespace",
        readers={"Pod": "sockets.listeners"},
        missing="no process of the Pod whose sockets may be read runs here",
        script=("pod", "processes", "sockets"),
        tenants="owner",
    ),
    NodeObservable(
        fact=sockets.PortHolders,
        extent="the open files of every process of the node, for the listening sockets of one network",
        readers={"Pod": "port_holders.pod_holders", "Node": "port_holders.node_holders"},
        missing="no process whose network may be read runs here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_paths.NodePath,
        extent="one path with all directories that lead to it, and its file system",
        readers={"File": "node_paths.node_path"},
        missing="the path may not be looked at from here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_processes.NumberedProcess,
        extent="every process of the node, for one number",
        readers={"Process": "processes.numbered"},
        missing="no number, or the processes of the node are not in sight here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_processes.PodSysctls,
        extent="the settings that causes read; those of the network if the Pod shares the node's",
        readers={"Pod": "pod_sysctls.pod_sysctls"},
        missing="no process of the Pod runs here",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=signals.SignalTraces,
        extent=(
            "the ends of the logs in /var/log and right below it that were written to in the last half hour"
        ),
        readers={"Node": "signal_traces.signal_traces"},
        missing="/var/log cannot be listed here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=packet_way.PacketWay,
        extent=(
            "the main routing table and the packet filter of IPv4 in the node's own network, at one moment"
        ),
        readers={"Route": "packet_way.packet_way"},
        missing="no IPv4 address, or neither the node's routes nor its packet filter can be seen here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=packet_way.LinkSizes,
        extent=(
            "the interface of the default route, the interfaces to Pods and the packet filter of IPv4, at "
            "one moment"
        ),
        readers={"Node": "link_sizes.link_sizes"},
        missing="no default route, or its interface cannot be seen here",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=pulls.Unpacking,
        extent="every process of the node that bears a daemon's or an unpacker's name",
        readers={"Node": "unpackers.unpacking_processes"},
        missing=_NOT_HERE,
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
)
