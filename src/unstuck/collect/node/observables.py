"""What can be observed on a node, one declaration for each fact: who reads it, what that costs, and whom it may be told.

The tables for asking, recording and telling are derived from it: `answers.py`, `collect/script/recorded.py`, `agent/tenancy.py`.
Readers are named and not imported, since two of these three have no use for them. See docs/why/observables.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from unstuck.facts.aspects import cni, host, kernel, kubelet, leftovers, node_limits, pulls, runtime, sockets, storage
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
    "plugins",
    "runtimes",
    "health",
    "space",
    "units",
    "leaked",
    "older",
]
# either: of the Node only where no Pod is asked about. on-request: it costs more than it tells, unless somebody wants just that.
Surveyed = Literal["always", "either", "on-request"]
# Of the NodeView: what is waited for while the rest is looked at. watch: the first of two looks; the others: sockets that may stay silent.
Begun = Literal["watch", "runtimes", "statuses"]
# all: it is of the node itself, and of no tenant. owner: what it tells of a Pod is told to who may see that Pod, of a Node to no tenant.
Tenants = Literal["all", "owner"]


@record(kw_only=True)
class NodeObservable(Record):
    """One fact that a node tells. None: nobody has said yet; until then as little as can be is told and concluded.

    readers: by the kind of what is asked about, a function of a module of this package, as `pods.mounts`. It takes the NodeView, and the
    Ref where that is not the Node; it returns facts, or None where it has nothing to tell.
    missing: why there may be no such fact here. surveyed: whether a survey tells it. begins: what is begun before anything is looked at.
    script: the sections of the shell script without which the fact has not seen the full extent; with () it never has, as the script
    asks for less than a collector on the node does. tenants: to whom the agent may tell it.
    """

    fact: type[Fact]
    readers: Mapping[str, str]
    missing: str | None = None
    surveyed: Surveyed = "always"
    begins: Begun | None = None
    script: tuple[Section, ...] | None = None
    tenants: Tenants | None = None


_NOT_HERE = "not found here"
_NO_PODS = "the kubelet's directory of Pods cannot be listed here"
_NO_LOG = "the kernel's log cannot be read here"
_CLOSED = "the kubelet's read-only port is off; an agent in the cluster asks it with nodes/pods and nodes/metrics"

# The order is that of looking, cheap and certain ones first: what comes before a deadline is not lost.
NODE_OBSERVABLES: tuple[NodeObservable, ...] = (
    NodeObservable(
        fact=host.DaemonState,
        readers={"Node": "node_facts.daemons"},
        missing=_NOT_HERE,
        script=("mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=host.Host,
        readers={"Node": "node_facts.machine"},
        missing=_NOT_HERE,
        script=("host",),
        tenants="all",
    ),
    NodeObservable(
        fact=node_limits.HostLimits,
        readers={"Node": "limits.limits"},
        missing=_NOT_HERE,
        script=("host",),
        tenants="all",
    ),
    NodeObservable(
        fact=node_limits.Clock,
        readers={"Node": "clock.clock"},
        missing=_NOT_HERE,
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=cni.NetworkPlugins,
        readers={"Node": "cni.network_plugins"},
        missing=_NOT_HERE,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodDirectory,
        readers={"Pod": "pods.directory"},
        missing=_NO_PODS,
        script=("daemon", "pod"),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodMounts,
        readers={"Pod": "pods.mounts"},
        missing="no mount table can be read here",
        script=("daemon", "mounts", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodCgroup,
        readers={"Pod": "pods.cgroup"},
        missing=_NOT_HERE,
        script=("pod",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.PodProcesses,
        readers={"Pod": "pods.processes"},
        missing=_NOT_HERE,
        script=("pod", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.VolumeData,
        readers={"Pod": "csi.volume_data"},
        missing=_NO_PODS,
        script=("daemon", "pod"),
        tenants="owner",
    ),
    NodeObservable(
        fact=storage.PodRoom,
        readers={"Pod": "csi.room"},
        missing="the kubelet's own mounts cannot be read here",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=storage.PluginSockets,
        readers={"Node": "csi.plugin_sockets"},
        missing="the kubelet's directory of plugins cannot be listed here",
        script=("daemon", "plugins"),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletConfig,
        readers={"Node": "settings.config"},
        missing="no kubelet runs here that would tell its settings",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.StaticManifests,
        readers={"Node": "settings.manifests"},
        missing="no kubelet runs here, or its directory of static Pods cannot be listed",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.Certificates,
        readers={"Node": "certificates.certificates"},
        missing="no certificate of a kubelet was found",
        script=("daemon",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.LogSeen,
        readers={"Node": "node_facts.log_seen"},
        missing="no log of the kubelet was found",
        script=("logs",),
        tenants="all",
    ),
    NodeObservable(
        fact=host.UnitFile,
        readers={"Unit": "node_facts.unit"},
        missing="no such unit file",
        script=("units",),
        tenants="all",
    ),
    NodeObservable(
        fact=host.MountHolders,
        readers={"Mount": "node_facts.holders"},
        missing="no absolute path",
        script=("mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=host.OomKills,
        readers={"Pod": "pods.killed_for_memory", "Node": "node_facts.killed_for_memory"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kernel.HungTasks,
        readers={"Pod": "kernel_facts.blocked_of", "Node": "kernel_facts.blocked"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=kernel.KernelEvents,
        readers={"Pod": "kernel_facts.events_of", "Node": "kernel_facts.events"},
        missing=_NO_LOG,
        script=("host",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.DiskSpace,
        readers={"Node": "space.space"},
        missing=_NOT_HERE,
        script=("mounts", "space"),
        tenants="all",
    ),
    NodeObservable(
        # Those of leaked snapshots, where no Pod was asked about, say themselves whether they came to their end.
        fact=host.FlaggedFiles,
        readers={"Pod": "pods.flagged", "Node": "node_facts.leaked"},
        missing="this recorded tree keeps no file flags",
        surveyed="either",
        script=("flags",),
        tenants="owner",
    ),
    NodeObservable(
        fact=host.WaitingMounts,
        readers={"Node": "node_facts.waiting"},
        missing=_NOT_HERE,
        begins="watch",
        script=("again", "mounts", "processes"),
        tenants="all",
    ),
    NodeObservable(
        fact=host.PathUses,
        readers={"Pod": "pods.uses"},
        missing=_NOT_HERE,
        script=("holds", "mounts", "processes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletHealth,
        readers={"Node": "health.health"},
        missing="the kubelet's local port cannot be asked from here",
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=kubelet.KubeletPods,
        readers={"Node": "health.pods"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletPod,
        readers={"Pod": "health.pod"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=kubelet.KubeletMetrics,
        readers={"Node": "health.metrics"},
        missing=_CLOSED,
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=node_limits.InotifyUse,
        readers={"Node": "limits.inotify"},
        missing=_NOT_HERE,
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=leftovers.PodDirectories,
        readers={"Node": "leftovers.directories"},
        missing="the kubelet's directory of Pods cannot be listed here, or its processes are not in sight",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=runtime.RuntimeAnswer,
        readers={"Node": "runtimes.answers"},
        missing="no runtime's socket is offered here",
        begins="runtimes",
        script=(),
        tenants="all",
    ),
    NodeObservable(
        fact=runtime.RuntimeContainers,
        readers={"Pod": "runtimes.containers_of", "Node": "runtimes.containers"},
        missing="no runtime's files are offered here",
        begins="runtimes",
        script=("pod", "processes", "runtimes"),
        tenants="owner",
    ),
    NodeObservable(
        fact=runtime.ContainerAnswers,
        readers={"Pod": "statuses.of_pod", "Node": "statuses.of_node"},
        missing="no runtime that answers is offered here, or none of its containers is known",
        surveyed="on-request",
        begins="statuses",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=sockets.Listening,
        readers={"Pod": "sockets.listening"},
        missing="no process of the Pod whose sockets may be read runs here",
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
    NodeObservable(
        fact=pulls.Unpacking,
        readers={"Node": "unpack.unpacking"},
        missing=_NOT_HERE,
        surveyed="on-request",
        script=(),
        tenants="owner",
    ),
)
