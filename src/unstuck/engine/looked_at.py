"""Reports a node look without a result: it would not appear in the answer otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts, list_names
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
_STATIC = say("static Pods")
# Operators' names for the facts of a node, by their types, in the order of the output. Facts about a file or
# a configuration word are listed by its name.
READ: Mapping[str, Text] = MappingProxyType(
    {
        "DaemonState": _PROCESSES,
        "PodProcesses": _PROCESSES,
        "PathUses": _PROCESSES,
        "NumberedProcess": _PROCESSES,
        "Unpacking": _PROCESSES,
        "PodCgroup": say("control groups"),
        "CgroupLimits": say("limits of control groups"),
        "PodMounts": _MOUNTS,
        "MountHolders": _MOUNTS,
        "WaitingMounts": _MOUNTS,
        "NodeMounts": _MOUNTS,
        "ContainerMounts": _MOUNTS,
        "PodDirectory": _VOLUMES,
        "VolumeData": _VOLUMES,
        "PodRoom": _VOLUMES,
        "PodDirectories": _VOLUMES,
        "PluginSockets": say("CSI sockets"),
        "DiskSpace": say("disk space"),
        "LogSeen": _LOGS,
        "SignalTraces": _LOGS,
        "OomKills": _KERNEL_LOG,
        "HungTasks": _KERNEL_LOG,
        "KernelEvents": _KERNEL_LOG,
        "KubeletConfig": _KUBELET,
        "KubeletHealth": _KUBELET,
        "KubeletPods": _KUBELET,
        "KubeletPod": _KUBELET,
        "KubeletMetrics": _KUBELET,
        "StaticManifests": _STATIC,
        "StaticPods": _STATIC,
        "Certificates": say("the kubelet's certificates"),
        "RuntimeAnswer": _RUNTIME,
        "RuntimeContainers": _RUNTIME,
        "ContainerAnswers": _RUNTIME,
        "NetworkPlugins": say("the CNI configuration"),
        "PacketFilter": _IPTABLES,
        "PacketWay": _IPTABLES,
        "LinkSizes": say("MTU"),
        "Listening": _LISTENING,
        "PortHolders": _LISTENING,
        "Host": _SYSCTLS,
        "PodSysctls": _SYSCTLS,
        "HostLimits": _LIMITS,
        "InotifyUse": _LIMITS,
        "Clock": say("the clock"),
        "UnitFile": say("systemd units"),
        "FlaggedFiles": say("file attributes"),
        "NodeSettings": say("settings of the kernel, the network and the daemons"),
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
    seen = {type(f).__name__ for f in facts}
    read = unique(words for fact, words in READ.items() if fact in seen)
    single = sorted({_name(f) for f in facts if f.about.kind in ("File", "FileLine", "ConfigWord")})
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
    return f"“{name}”" if fact.about.kind == "ConfigWord" else name
