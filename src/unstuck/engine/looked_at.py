"""Reports a node look without a result: it would not appear in the answer otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts, list_names
from unstuck.facts.aspects import (
    cgroup_limits,
    cni,
    firewall,
    host,
    kernel,
    kubelet,
    leftovers,
    node_files,
    node_limits,
    node_mounts,
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
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)

_NODE = "node:"
# The limits of names in a sentence, and of a name's length.
_NAMED, _LONGEST = 4, 60
_TOLD = ("stuck", "unknown")
_PROCESSES, _MOUNTS = say("processes"), say("mounts")
_LOGS, _KERNEL_LOG = say("the logs of kubelet and runtime"), say("the kernel's log")
_KUBELET, _RUNTIME = say("the kubelet's settings"), say("the runtime's containers")
_VOLUMES, _SYSCTLS, _LIMITS = say("volume directories"), say("sysctls"), say("limits of the machine")
_IPTABLES, _LISTENING = say("routes and iptables rules"), say("listening ports")
# Operators' names for the facts of a node, in the order of the output. Facts about a file or a configuration
# word are listed by its name.
READ: Mapping[type[Fact], Text] = MappingProxyType(
    {
        host.DaemonState: _PROCESSES,
        host.PodProcesses: _PROCESSES,
        host.PathUses: _PROCESSES,
        node_processes.NumberedProcess: _PROCESSES,
        pulls.Unpacking: _PROCESSES,
        host.PodCgroup: say("control groups"),
        cgroup_limits.CgroupLimits: say("limits of control groups"),
        host.PodMounts: _MOUNTS,
        host.MountHolders: _MOUNTS,
        host.WaitingMounts: _MOUNTS,
        node_mounts.NodeMounts: _MOUNTS,
        node_mounts.ContainerMounts: _MOUNTS,
        host.PodDirectory: _VOLUMES,
        kubelet.VolumeData: _VOLUMES,
        storage.PodRoom: _VOLUMES,
        leftovers.PodDirectories: _VOLUMES,
        storage.PluginSockets: say("CSI sockets"),
        space.DiskSpace: say("disk space"),
        host.LogSeen: _LOGS,
        signals.SignalTraces: _LOGS,
        oom.OomKills: _KERNEL_LOG,
        kernel.HungTasks: _KERNEL_LOG,
        kernel.KernelEvents: _KERNEL_LOG,
        kubelet.KubeletConfig: _KUBELET,
        kubelet.KubeletHealth: _KUBELET,
        kubelet.KubeletPods: _KUBELET,
        kubelet.KubeletPod: _KUBELET,
        kubelet.KubeletMetrics: _KUBELET,
        kubelet.StaticManifests: say("static Pods"),
        kubelet.Certificates: say("the kubelet's certificates"),
        runtime.RuntimeAnswer: _RUNTIME,
        runtime.RuntimeContainers: _RUNTIME,
        runtime.ContainerAnswers: _RUNTIME,
        cni.NetworkPlugins: say("the CNI configuration"),
        firewall.PacketFilter: _IPTABLES,
        packet_way.PacketWay: _IPTABLES,
        packet_way.LinkSizes: say("MTU"),
        sockets.Listening: _LISTENING,
        sockets.PortHolders: _LISTENING,
        host.Host: _SYSCTLS,
        node_processes.PodSysctls: _SYSCTLS,
        node_limits.HostLimits: _LIMITS,
        node_limits.InotifyUse: _LIMITS,
        node_limits.Clock: say("the clock"),
        host.UnitFile: say("systemd units"),
        host.FlaggedFiles: say("file attributes"),
    }
)


def tell_looked_at(d: Diagnosis, snap: Snapshot) -> Diagnosis:
    """Return the answer with a note on the node facts that were read, if none of them is in its evidence."""
    nodes = unique(s.removeprefix(_NODE) for s in snap.sources if s.startswith(_NODE))
    if not nodes or not d.causes or d.state.name not in _TOLD or d.subject.kind == "Node":
        return d
    facts = (e.fact for cause in d.causes for e in cause.evidence)
    if any(fact.cost == "node" for fact in facts):
        return d
    told = _describe_look(nodes, snap)
    if not told.en:
        return d
    first, *others = d.causes
    finding = replace(first.finding, notes=(told, *first.finding.notes))
    return replace(d, causes=(replace(first, finding=finding), *others))


def _describe_look(nodes: tuple[str, ...], snap: Snapshot) -> Text:
    """Return a text that lists the facts read on the nodes; empty if none were read."""
    facts = [f for f in snap.facts if f.cost == "node"]
    seen = {type(f) for f in facts}
    read = unique(words for fact, words in READ.items() if fact in seen)
    single: tuple[str, ...] = unique(_name(f) for f in facts if f.about.kind in ("File", "ConfigWord"))
    named = [list_names(single[:_NAMED])] if single else []
    if not read and not named:
        return NO_TEXT
    return say(
        "read on Node {nodes}: {read}; no known fault was found there",
        nodes=list_names(nodes),
        read=join_texts([*read, *named]),
    )


def _name(fact: Fact) -> str:
    name = (fact.about.name or "")[:_LONGEST]
    return f"“{name}”" if isinstance(fact, node_files.ConfigMentions) else name
