"""Facts about the node itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from unstuck.collect.node import logs, recorded_tree
from unstuck.collect.node.kubelet import daemon_states
from unstuck.collect.node.last_words import read_last_words
from unstuck.collect.node.net import answers_ok
from unstuck.collect.node.pods import find_flags
from unstuck.collect.node.refusal import refuse
from unstuck.collect.node.system import host, oom_fact
from unstuck.collect.node.units import unit_file
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import (
    DaemonState,
    FlaggedFiles,
    Host,
    LogSeen,
    MountHolders,
    UnitFile,
    WaitingMounts,
)
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.core import Ref, Refused, Source, Want
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.names import find_pod

_HEALTHZ_SECONDS = 1.0
_SNAPSHOTS = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots"
_SNAPSHOT = regex(r"^(.*/(?:snapshots/\d+|overlay2?/[0-9a-f]{64}|aufs/diff/[0-9a-f]{64}))(?:/|$)")
_MAX_LEAKED = 200
# Lines about the node that name no Pod.
_NODE_LINES = (
    b"failed to remove directory",
    b"failed to remove root filesystem",
    b"Error removing mounted layer",
    b"failed to remove snapshot",
    b"snapshot garbage collection failed",
    b"Cleanup failed for snapshot",
    b"failed to cleanup snapshot",
    b"PLEG is not healthy",
    b"container runtime is down",
    b"no space left on device",
    b"Failed to ensure",
    b"Failed to update lease",
    b"Failed to update node lease",
    b"Error updating node status",
    b"Unable to register node",
    b"ContainerStatus from runtime service failed",
    b'ContainerStatus "',
    # The last words of a kubelet that ends, and why a daemon's module is not there.
    b"ailed to run Kubelet",
    b"ailed to start ContainerManager",
    b"ailed to start cAdvisor",
    b"ailed to initialize internal modules",
    b"ailed to get node info",
    b"ailed to listen and serve",
    b"ubelet config file",
    b"kubelet flag",
    b"validate kubelet",
    b"kubelet dependencies",
    b"set feature gates from",
    b"could not insert",
    b"process manifest file",
    b"process config file",
)
# The last words of a runtime that ends at its start. They may be of any earlier start, and mostly have no
# time: only a log's end is read.
_RUNTIME_ENDS = (
    b"TOML",
    b"configure the Docker daemon",
    b"update config from file",
    b"decode configuration",
    b"invalid plugin",
)
_LAST_LINES = 5
# Attempts of a running kubelet for its Node alone. Its messages about Pods, volumes and files within the hour
# may be over: questions about those ask for them.
_FOR_THE_NODE: frozenset[Operation] = frozenset(
    {
        "apiserver-reach",
        "certificate-check",
        "node-ready",
        "node-report",
        "pod-address-range",
        "static-pod-read",
        "watch",
    }
)


def daemons(view: NodeView) -> list[DaemonState]:
    """Return the kubelet and the runtimes; whether the kubelet's /healthz answers if it can be asked from
    here.
    """
    found = daemon_states(view.kubelet, view.ref, view.name, _ask_healthz(view))
    return [_strip_processes(f) for f in found] if not view.sees_node else found


def _strip_processes(fact: DaemonState) -> DaemonState:
    """Reduce the fact to the part that is certain without seeing the node's processes."""
    return DaemonState(
        about=fact.about, src=fact.src, whole=False, daemon=fact.daemon, running=fact.running, proc=fact.proc
    )


def _ask_healthz(view: NodeView) -> bool | None:
    process, target = view.kubelet.process, view.kubelet.healthz
    if process is not None and not view.root.live:
        return recorded_tree.is_healthy(view.root)
    if process is None or target is None:
        return None
    its = view.table.namespace(process.pid, "net")[0]
    if not its or its != os.readlink("/proc/self/ns/net"):  # a name, not a path
        return None
    return answers_ok(*target, "/healthz", _HEALTHZ_SECONDS)


def machine(view: NodeView) -> Host:
    """Return Kernel, distribution, boot time, sysctls."""
    return host(view.root, view.table, view.ref, view.name)


def waiting_mounts(view: NodeView) -> WaitingMounts:
    """Return network and FUSE file systems, and the tasks that wait for them."""
    items, whole = view.watch.answer()
    worst = max(items, key=lambda i: (len(i.tasks), i.waiting or 0), default=None)
    quote = "no network or FUSE file system"
    if worst:
        count = "?" if worst.waiting is None else worst.waiting
        quote = f"{worst.fstype} {worst.source} {worst.dev}: waiting {count}, {len(worst.tasks)} tasks in D"
    return WaitingMounts(
        about=view.ref,
        src=Source(f"{view.name} /sys/fs/fuse/connections/*/waiting, /proc/*/wchan", quote),
        whole=whole and view.sees_node,
        items=items,
    )


def logs_seen(view: NodeView) -> Iterator[LogSeen | Failure | Refused]:
    """Yield each log that was found, whether the journal could not be read, the kubelet's messages about its
    Node, and a runtime's last words.

    The last kubelet's end is reported only if none runs: it says nothing about a running one.
    """
    for log in view.log_tails:
        since, until = logs.span(log, view.now)
        told = view.kubelet.verbosity if log.component == "kubelet" else None
        shown = logs.find_verbosity(log)
        level = max((v for v in (told, shown) if v is not None), default=None)
        yield LogSeen(
            about=view.ref,
            src=Source(
                f"{view.name} {log.where}",
                f"not read to its end: {', '.join(log.cut)}" if log.cut else "",
                at=until,
            ),
            whole=not log.cut,
            component=log.component,
            path=log.where,
            since=since,
            until=until,
            verbosity=level,
        )
    if not any(log.component == "kubelet" for log in view.log_tails) and logs.has_unread_journal(view.root):
        yield refuse(
            Want(LogSeen, view.ref),
            "not-offered",
            "the journal is here, and no journalctl that could read it",
            view.name,
        )
    down = view.sees_node and view.kubelet.process is None
    yield from (f for f in log_failures(view) if f.operation in _FOR_THE_NODE)
    if down:
        yield from _ends_of_kubelet(view)
    if view.sees_node:
        runs: set[str] = {
            f.daemon for f in daemon_states(view.kubelet, view.ref, view.name, None) if f.running
        }
        yield from (
            f
            for log in view.log_tails
            if log.component not in {*runs, "kubelet"}
            for f in _list_failures_at_end(view, log)
        )


def _ends_of_kubelet(view: NodeView) -> list[Failure]:
    """Return the known failures of the kubelet's starts; without any, its last words."""
    known = [f for f in log_failures(view) if f.operation == "kubelet-start"]
    its = [log for log in view.log_tails if log.component == "kubelet" and log.pieces]
    return known or [f for log in its for f in read_last_words(log, view.ref, view.name, view.now)]


def _list_failures_at_end(view: NodeView, log: logs.Log) -> Iterator[Failure]:
    """Yield failed starts from the last lines of a runtime's log."""
    newest = log.pieces[-1]
    end = b"\n".join(newest.data.rstrip(b"\n").split(b"\n")[-_LAST_LINES:])
    last = replace(log, pieces=(replace(newest, data=end, begins=None),))
    found = logs.fold_failures(
        logs.find_entries(last, _RUNTIME_ENDS, view.now), last, about=view.ref, node=view.name
    )
    yield from (f for f in found if f.operation == "runtime-start")


def log_failures(view: NodeView) -> tuple[Failure, ...]:
    """Return the failures in the node's logs that name no Pod."""
    if view.told is None:
        view.told = tuple(f for log in view.log_tails for f in _list_failures_in(view, log))
    return view.told


def _list_failures_in(view: NodeView, log: logs.Log) -> list[Failure]:
    found = [f for f in logs.find_entries(log, _NODE_LINES, view.now) if find_pod(f.record.message) is None]
    return logs.fold_failures(found, log, about=view.ref, node=view.name)


def holders(view: NodeView, about: Ref) -> MountHolders | None:
    """Return foreign mount namespaces in which a path is mounted."""
    if not about.name or not about.name.startswith("/"):
        return None
    items = view.mounts.holders(about.name, view.home[0])
    first = items[0] if items else None
    return MountHolders(
        about=about,
        src=Source(
            f"{view.name} /proc/{first.proc.pid if first else '*'}/mountinfo",
            f"{first.proc.pid} {first.proc.comm} {first.namespace} {first.mountpoint}"
            if first
            else "no other mount namespace",
        ),
        whole=view.mounts.complete and view.sees_node and bool(view.home[0]),
        items=items,
    )


def leaked_files(view: NodeView, seconds: float = 2.0) -> FlaggedFiles | None:
    """Return files with flags in snapshots that no mount uses: first the ones that a log line names; None for
    a recorded tree that keeps no flags.
    """
    if not view.root.live:
        return recorded_tree.leaked_files(view.root, view.ref, view.name)
    named = [m.group(1) for f in log_failures(view) if f.path and (m := _SNAPSHOT.match(f.path))]
    overlays = (e for entries in view.mounts.by_namespace.values() for e in entries if e.fstype == "overlay")
    used = {part for e in overlays for part in _list_layers(e.options)}
    names = [n for n in view.root.names(_SNAPSHOTS) or () if n.isdigit()]
    unused = [
        d for n in sorted(names, key=int, reverse=True) if f"{(d := f'{_SNAPSHOTS}/{n}')}/fs" not in used
    ]
    directories = list(dict.fromkeys([*named, *unused]))
    return find_flags(view, view.ref, directories[:_MAX_LEAKED], len(directories) <= _MAX_LEAKED, seconds)


def _list_layers(options: str) -> Iterator[str]:
    for option in options.split(","):
        key, _, value = option.partition("=")
        if key in ("lowerdir", "lowerdir+", "upperdir"):
            yield from value.split(":")


def oom_kills(view: NodeView) -> OomKills | None:
    """Return the kernel's kills for lack of the node's memory."""
    return oom_fact(view.kernel_log, view.ref, None, view.name)


def unit(view: NodeView, about: Ref) -> UnitFile | None:
    """Return a systemd unit's settings."""
    return unit_file(view.root, about, view.name)
