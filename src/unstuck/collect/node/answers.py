"""Questions → facts: which function answers which fact type, about a Pod, the Node, a mount or a unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from unstuck.collect.node import (
    certificates,
    clock,
    cni,
    csi,
    health,
    kernel_facts,
    left,
    limits,
    machine,
    pods,
    runtimes,
    settings,
    sockets,
    space,
    statuses,
    unpack,
)
from unstuck.collect.node.refusal import refuse
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects import cni as cni_facts
from unstuck.facts.aspects import host, kernel, kubelet, pulls, runtime, storage
from unstuck.facts.aspects import left as left_facts
from unstuck.facts.aspects import machine as machine_facts
from unstuck.facts.aspects import sockets as sockets_facts
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Refused, Source, Want

_Answer = Fact | Iterable[Fact] | None

# The quick and certain ones first: what comes before a deadline is not lost.
_OF_POD: Mapping[type[Fact], Callable[[NodeView, Ref], _Answer]] = {
    host.PodDirectory: pods.directory,
    host.PodMounts: pods.mounts,
    host.PodCgroup: pods.cgroup,
    host.PodProcesses: pods.processes,
    kubelet.VolumeData: csi.volume_data,
    storage.PodRoom: csi.room,
    kubelet.KubeletPod: health.pod,
    host.OomKills: pods.killed_for_memory,
    runtime.RuntimeContainers: runtimes.containers_of,
    runtime.ContainerAnswers: statuses.of_pod,
    kernel.HungTasks: kernel_facts.blocked_of,
    kernel.KernelEvents: kernel_facts.events_of,
    host.FlaggedFiles: pods.flagged,
    host.PathUses: pods.uses,
    sockets_facts.Listening: sockets.listening,
}
_OF_NODE: Mapping[type[Fact], Callable[[NodeView], _Answer]] = {
    host.DaemonState: machine.daemons,
    host.Host: machine.machine,
    kubelet.KubeletConfig: settings.config,
    kubelet.StaticManifests: settings.manifests,
    kubelet.Certificates: certificates.certificates,
    kubelet.KubeletHealth: health.health,
    kubelet.KubeletPods: health.pods,
    kubelet.KubeletMetrics: health.metrics,
    machine_facts.HostLimits: limits.limits,
    machine_facts.Clock: clock.clock,
    host.LogSeen: machine.log_seen,
    cni_facts.NetworkPlugins: cni.network_plugins,
    storage.PluginSockets: csi.plugin_sockets,
    host.DiskSpace: space.space,
    host.OomKills: machine.killed_for_memory,
    kernel.HungTasks: kernel_facts.blocked,
    kernel.KernelEvents: kernel_facts.events,
    host.FlaggedFiles: machine.leaked,
    host.WaitingMounts: machine.waiting,
    machine_facts.InotifyUse: limits.inotify,
    pulls.Unpacking: unpack.unpacking,
    runtime.RuntimeAnswer: runtimes.answers,
    runtime.RuntimeContainers: runtimes.containers,
    runtime.ContainerAnswers: statuses.of_node,
    left_facts.PodDirectories: left.directories,
}
_OF_OTHER: Mapping[type[Fact], Callable[[NodeView, Ref], _Answer]] = {
    host.MountHolders: machine.holders,
    host.UnitFile: machine.unit,
}
# Costs more than it tells, unless somebody wants just that.
_ON_REQUEST = (machine_facts.InotifyUse, runtime.ContainerAnswers, sockets_facts.Listening, pulls.Unpacking)
_ORDER = (
    host.DaemonState,
    host.Host,
    machine_facts.HostLimits,
    machine_facts.Clock,
    cni_facts.NetworkPlugins,
    host.PodDirectory,
    host.PodMounts,
    host.PodCgroup,
    host.PodProcesses,
    kubelet.VolumeData,
    storage.PodRoom,
    storage.PluginSockets,
    kubelet.KubeletConfig,
    kubelet.StaticManifests,
    kubelet.Certificates,
    host.LogSeen,
    host.UnitFile,
    host.MountHolders,
    host.OomKills,
    kernel.HungTasks,
    kernel.KernelEvents,
    host.DiskSpace,
    host.FlaggedFiles,
    host.WaitingMounts,
    host.PathUses,
    kubelet.KubeletHealth,
    kubelet.KubeletPods,
    kubelet.KubeletPod,
    kubelet.KubeletMetrics,
    machine_facts.InotifyUse,
    left_facts.PodDirectories,
    runtime.RuntimeAnswer,
    runtime.RuntimeContainers,
    runtime.ContainerAnswers,
)
_CLOSED = "the kubelet's read-only port is off; an agent in the cluster asks it with nodes/pods and nodes/metrics"
_WHY_NOT = {
    host.PodDirectory: "the kubelet's directory of Pods cannot be listed here",
    host.PodMounts: "no mount table can be read here",
    kubelet.VolumeData: "the kubelet's directory of Pods cannot be listed here",
    storage.PodRoom: "the kubelet's own mounts cannot be read here",
    storage.PluginSockets: "the kubelet's directory of plugins cannot be listed here",
    kubelet.KubeletConfig: "no kubelet runs here that would tell its settings",
    kubelet.StaticManifests: "no kubelet runs here, or its directory of static Pods cannot be listed",
    kubelet.Certificates: "no certificate of a kubelet was found",
    kubelet.KubeletHealth: "the kubelet's local port cannot be asked from here",
    kubelet.KubeletPods: _CLOSED,
    kubelet.KubeletPod: _CLOSED,
    kubelet.KubeletMetrics: _CLOSED,
    host.OomKills: "the kernel's log cannot be read here",
    kernel.HungTasks: "the kernel's log cannot be read here",
    kernel.KernelEvents: "the kernel's log cannot be read here",
    host.FlaggedFiles: "this recorded tree keeps no file flags",
    host.LogSeen: "no log of the kubelet was found",
    host.UnitFile: "no such unit file",
    runtime.RuntimeAnswer: "no runtime's socket is offered here",
    runtime.RuntimeContainers: "no runtime's files are offered here",
    runtime.ContainerAnswers: "no runtime that answers is offered here, or none of its containers is known",
    left_facts.PodDirectories: "the kubelet's directory of Pods cannot be listed here, or its processes are not in sight",
    host.MountHolders: "no absolute path",
    sockets_facts.Listening: "no process of the Pod whose sockets may be read runs here",
}


def answer(view: NodeView, wants: Sequence[Want]) -> Iterator[Fact]:
    """Yield every Want's facts or why not, each as soon as it is known; and for each Pod named what the logs say of it."""
    ordered = sorted(dict.fromkeys(wants), key=lambda w: (_ORDER.index(w.fact) if w.fact in _ORDER else -1, w.key))
    if any(w.fact is host.WaitingMounts for w in ordered):
        _ = view.watch  # its first look, so that the second one is as late as can be
    if any(w.fact in (runtime.RuntimeAnswer, runtime.RuntimeContainers) for w in ordered):
        _ = view.runtimes  # a socket that stays silent is waited for while the rest is looked at
    if any(w.fact is runtime.ContainerAnswers for w in ordered):
        _ = view.statuses
    told: set[Ref] = set()
    for want in ordered:
        if want.about.kind == "Pod" and (pod := view.pod(want.about)) and pod not in told and want.fact in _OF_POD:
            told.add(pod)
            yield from pods.told_in_logs(view, pod)
        yield from _one(view, want)


def _one(view: NodeView, want: Want) -> Iterator[Fact]:
    about = want.about
    got: _Answer
    if about.kind == "Pod" and want.fact in _OF_POD:
        pod = view.pod(about)
        if pod is None:
            yield refuse(want, "not-offered", "this node does not know the Pod's uid", view.name)
            return
        got = _OF_POD[want.fact](view, pod)
    elif about.kind == "Node" and want.fact in _OF_NODE:
        if about.name not in (None, view.name):
            yield refuse(want, "not-offered", f"this is node {view.name}", view.name)
            return
        got = _OF_NODE[want.fact](view)
    elif want.fact in _OF_OTHER:
        got = _OF_OTHER[want.fact](view, about)
    else:
        yield refuse(want, "not-offered", f"a node does not tell {want.fact.__name__} of a {about.kind}", view.name)
        return
    facts = [got] if isinstance(got, Fact) else list(got or ())
    yield from facts
    if not facts:
        yield refuse(want, "not-offered", _WHY_NOT.get(want.fact, "not found here"), view.name)


def survey(view: NodeView, uid: str | None) -> Iterator[Fact]:
    """Yield everything that the node tells about itself, and about one Pod."""
    pod = view.pod(Ref("Pod", uid=uid)) if uid else None
    left_out = _ON_REQUEST if pod is None else (*_ON_REQUEST, host.FlaggedFiles)
    wants = [Want(fact, view.ref) for fact in _OF_NODE if fact not in left_out]
    wants += [Want(fact, pod) for fact in _OF_POD if fact not in _ON_REQUEST] if pod else []
    told: list[Failure] = []
    units: set[str] = set()
    if pod and (here := pods.placed(view, pod)):
        yield here
    for fact in chain(answer(view, wants), machine.told_in_logs(view)):
        if fact in told:
            continue
        yield fact
        if isinstance(fact, Failure):
            told.append(fact)
        elif isinstance(fact, host.DaemonState) and fact.proc and fact.proc.unit:
            units.add(fact.proc.unit)
    if any(statuses.speaks_for_it(f) for f in told):
        yield from answer(view, [Want(runtime.ContainerAnswers, about) for about in (view.ref, pod) if about])
    if uid and pod is None:
        yield Refused(
            about=Ref("Pod", uid=uid), src=Source(f"node:{view.name}"), want="survey", why="not-offered", detail="this is no Pod's uid"
        )
    for fact in answer(view, [Want(host.MountHolders, Ref("Mount", view.name, path)) for path in pods.busy_paths(told, pod, view)]):
        yield fact
        if isinstance(fact, host.MountHolders):
            units |= {h.proc.unit for h in fact.items if h.proc.unit}
    yield from answer(view, [Want(host.UnitFile, Ref("Unit", view.name, unit)) for unit in sorted(units)])
