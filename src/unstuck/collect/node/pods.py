"""Facts about one Pod on its node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.collect.node import files, logs, recorded_tree
from unstuck.collect.node.cgroup import parse_groups
from unstuck.collect.node.logs import LogEntry
from unstuck.collect.node.mounts import is_local, mount_of, pod_mounts
from unstuck.collect.node.path_holders import find_uses
from unstuck.collect.node.proc import Process
from unstuck.collect.node.root import escape_name
from unstuck.collect.node.system import oom_fact
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.host import (
    FlaggedFiles,
    PathUses,
    PodCgroup,
    PodDirectory,
    PodMounts,
    PodProcesses,
    Proc,
)
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Source
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.wording.names import find_pod

_MAX_ITEMS = 2_000
_ID = regex(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_MAX_CONTAINERS = 40
# A container's or sandbox' id in a field of its own; an image's digest is not one.
_CONTAINER = regex(
    r"(?:containerI[Dd]|podSandboxI[Dd]|\"ID\"|\"Data\"|(?:docker|containerd|cri-o)://|[cC]ontainer for"
    r"|[sS]andbox)\W{0,8}"
    r"([0-9a-f]{64})(?![0-9a-f])"
)


def _uid(pod: Ref) -> str:
    return pod.uid or ""


def directory(view: NodeView, pod: Ref) -> PodDirectory | None:
    """Return whether the Pod's directory exists, and its volumes. None if the directory of Pods cannot be
    listed.
    """
    top = f"{view.kubelet.root_dir}/pods"
    there = view.kubelet.files.names(top) if view.may_touch(top) else None
    if there is None:
        return None
    path = view.pod_directory(_uid(pod))
    exists = _uid(pod) in there
    volumes = tuple(list_volumes(view, path)) if exists else ()
    return PodDirectory(
        about=pod,
        src=Source(
            f"{view.name} {path}", f"{len(volumes)} volume directories" if exists else "no such directory"
        ),
        whole=view.kubelet.sure or exists,
        exists=exists,
        volumes=volumes,
        path=path,
    )


def placement(view: NodeView, pod: Ref) -> Placement | None:
    """Return a Placement on this Node, because its kubelet works only on Pods bound to it; None if nothing
    of the Pod is here.
    """
    found = directory(view, pod)
    if (found is None or not found.exists) and not view.pod_processes(_uid(pod)):
        return None
    return Placement(
        about=pod,
        src=Source(f"{view.name} {view.pod_directory(_uid(pod))}", "the Pod's directory"),
        whole=False,
        node=view.ref,
    )


def list_volumes(view: NodeView, path: str) -> Iterator[str]:
    """Yield `PLUGIN/NAME` of the volumes' directories below a Pod's."""
    for plugin in view.kubelet.files.names(f"{path}/volumes") or ():
        at = f"{path}/volumes/{plugin}"
        on = mount_of(at, view.home[1])
        # Listing a directory on a remote file system may hang; its name is reported all the same.
        names = view.kubelet.files.names(at) if on is None or is_local(on.fstype) else ()
        yield from (f"{escape_name(plugin)}/{escape_name(n)}" for n in names or ())


def cgroup(view: NodeView, pod: Ref) -> PodCgroup:
    """Return the Pod's cgroup directories, in every hierarchy."""
    found = view.pod_groups(_uid(pod))
    stopped = next(iter(found.frozen_groups), None)
    quote = (
        f"{stopped.state}: {stopped.path}"
        if stopped
        else f"{len(found.paths)} directories, {len(found.procs)} processes"
    )
    return PodCgroup(
        about=pod,
        src=Source(f"{view.name} {found.paths[0] if found.paths else '/sys/fs/cgroup'}", quote),
        whole=found.complete,
        paths=found.paths,
        procs=found.procs[:_MAX_ITEMS],
        frozen=found.frozen_paths,
        below=tuple(d for d in found.inside if d not in found.paths)[:_MAX_ITEMS],
        occupied=found.occupied_paths[:_MAX_ITEMS],
        stopped=found.frozen_groups,
    )


def processes(view: NodeView, pod: Ref) -> PodProcesses:
    """Return every process in the Pod's cgroups, and the unreaped ones that ended in its PID namespaces."""
    groups = view.pod_groups(_uid(pod))
    found = view.pod_processes(_uid(pod))
    procs = [_make_proc(view, p, pod) for p in (*found, *_find_unreaped(view, found))]
    worst = next(
        (p for p in procs if p.stuck_threads),
        next((p for p in procs if p.state == "Z"), next(iter(procs), None)),
    )
    quote = f"{worst.pid} {worst.comm} {worst.state} {worst.waits_in}".strip() if worst else "no process"
    path = next(
        (p for p in groups.paths if "/memory/" in p or "/systemd/" in p),
        groups.paths[0] if groups.paths else None,
    )
    return PodProcesses(
        about=pod,
        src=Source(f"{view.name} /proc/{worst.pid if worst else '*'}/stat", quote),
        whole=view.sees_node and view.table.stuck[1] and len(procs) <= _MAX_ITEMS,
        items=tuple(procs[:_MAX_ITEMS]),
        cgroup=path,
    )


def _make_proc(view: NodeView, process: Process, pod: Ref) -> Proc:
    present, missing = view.table.namespaces(process.pid)
    return replace(
        view.table.as_steady_fact(process), pod=pod.uid, namespaces=present, missing_namespaces=missing
    )


def _find_unreaped(view: NodeView, found: Sequence[Process]) -> list[Process]:
    """Return processes in Z in the Pod's PID namespaces that are no longer in its cgroups, such as a process
    that entered from outside.

    The first process of such a namespace cannot end before they are reaped (kernel/pid_namespace.c,
    zap_pid_ns_processes).
    """
    table = view.table
    hosts = [1, "self", *([view.kubelet.process.pid] if view.kubelet.process else [])]
    common = {view.root.link(f"/proc/{pid}/ns/pid")[0] for pid in hosts}
    inside = {n for p in found if (n := table.namespace(p.pid, "pid")[0])} - common
    known = {p.pid for p in found}
    return [
        p
        for p in table.user
        if p.stat.state == "Z" and p.pid not in known and table.namespace(p.pid, "pid")[0] in inside
    ]


def mounts(view: NodeView, pod: Ref) -> PodMounts | None:
    """Return mounts at or below the Pod's directory, and its containers' mounts, as the kubelet sees them."""
    _, entries, pid = view.home
    if pid is None:
        return None
    items, extra = pod_mounts(view.pod_directory(_uid(pod)), entries)
    ids = _list_container_ids(view, pod)
    rest = tuple(
        e for e in entries if (found := _ID.search(e.mountpoint)) and found[0] in ids and e not in items
    )
    quote = f"{extra[0].fstype} on {extra[0].mountpoint}" if extra else f"{len(items)} mounts"
    return PodMounts(
        about=pod,
        src=Source(f"{view.name} /proc/{pid}/mountinfo", quote),
        whole=view.home_sure or (view.sees_node and view.kubelet.sure),
        items=items[:_MAX_ITEMS],
        extra=extra[:_MAX_ITEMS],
        containers=rest[:_MAX_ITEMS],
    )


def _list_container_ids(view: NodeView, pod: Ref) -> set[str]:
    """Return the ids of its containers and its sandbox, by its processes, cgroups and log links."""
    uid = _uid(pod)
    ids = {p.groups.container for p in view.pod_processes(uid)}
    ids |= {parse_groups(f"1:x:{d}").container for d in view.pod_groups(uid).inside}
    ids |= {c.container for c in view.logged_containers if c.uid == uid}
    return {i for i in ids if i}


def uses(view: NodeView, pod: Ref) -> PathUses:
    """Return processes that hold something below the Pod's directory."""
    found = find_uses(f"/pods/{_uid(pod)}", view.mounts, view.home[1])
    first = found.uses[0] if found.uses else None
    return PathUses(
        about=pod,
        src=Source(
            (
                f"{view.name} "
                f"/proc/{first.proc.pid if first else '*'}/{first.how if first else '{cwd,root,fd,maps}'}"
            ),
            f"{first.proc.pid} {first.proc.comm}: {first.path}" if first else "nobody",
        ),
        whole=found.complete and view.sees_node,
        items=found.uses,
        not_read=found.not_read,
    )


def flagged_files(view: NodeView, pod: Ref, seconds: float = 2.0) -> FlaggedFiles | None:
    """Return files with the immutable or append-only flag in the Pod's directory; None for a recorded tree
    that keeps no flags.
    """
    if not view.root.live:
        return recorded_tree.flagged_files(view.root, pod, view.name, view.kubelet.sure)
    return find_flags(view, pod, [view.pod_directory(_uid(pod))], view.kubelet.sure, seconds)


def find_flags(
    view: NodeView, about: Ref, directories: list[str], sure: bool, seconds: float
) -> FlaggedFiles:
    """Search the directories for flagged files, as far as that is safe."""
    plan = files.plan_search(directories, view.home[1], view.own_mounts)
    pid = files.find_hung_look(view.table, [view.prefix + t for t in plan.tops])
    if pid is not None:
        left = tuple(f"{t} (process {pid} looked there and has not returned)" for t in plan.tops)
        return FlaggedFiles(
            about=about,
            src=Source(f"{view.name} /proc/{pid}/wchan"),
            whole=False,
            files=(),
            not_looked_at=left,
        )
    looked = files.find_flagged(plan, view.prefix, seconds=seconds)
    first = looked.files[0] if looked.files else None
    return FlaggedFiles(
        about=about,
        src=Source(
            f"{view.name} {first.path if first else ' '.join(directories[:3])}",
            f"flags {first.flags}" if first else "no flags",
        ),
        whole=sure and not looked.skipped,
        files=tuple(looked.files),
        under=tuple(looked.walked),
        not_looked_at=tuple(looked.skipped),
    )


def oom_kills(view: NodeView, pod: Ref) -> OomKills | None:
    """Return the kernel's kills in the Pod's cgroups."""
    return oom_fact(view.kernel_log, pod, pod.uid, view.name)


def log_failures(view: NodeView, pod: Ref) -> Iterator[Failure]:
    """Yield the Pod's failures from the kubelet's and the runtime's log: lines with its uid or an id of
    one of its containers.
    """
    uid = _uid(pod)
    needles = {uid.encode(), uid.replace("-", "_").encode()}
    needles |= {i.encode() for i in _list_container_ids(view, pod)}
    if pod.name and pod.within:
        needles |= {f'pod="{pod.within}/{pod.name}"'.encode()}
    for log in view.log_tails:
        found = _list_only_of_pod(logs.find_entries(log, sorted(needles), view.now), pod)
        if log.component == "kubelet":
            # Deleted containers: some lines name their ids with the Pod, others their ids alone.
            ids = {
                i.encode()
                for f in found
                if uid in f.record.message
                for i in _CONTAINER.findall(f.record.message)
            } - needles
            if ids and len(ids) <= _MAX_CONTAINERS:
                needles |= ids
                found = _list_only_of_pod(logs.find_entries(log, sorted(needles), view.now), pod)
        yield from logs.fold_failures(found, log, about=pod, node=view.name)


def _list_only_of_pod(found: list[LogEntry], pod: Ref) -> list[LogEntry]:
    """Leave out entries that name another Pod, also an earlier one of the same name."""
    return [f for f in found if (named := find_pod(f.record.message)) is None or _is_same_pod(named, pod)]


def _is_same_pod(named: Ref, pod: Ref) -> bool:
    if named.uid is not None:
        return named.uid == pod.uid
    return named.name in (None, pod.name) and named.within in (None, pod.within)


def busy_paths(found: list[Failure], pod: Ref | None, view: NodeView) -> list[str]:
    """Return the paths that a failure calls busy, and the mounts that are in the Pod's way."""
    paths = [f.path for f in found if f.error in ("EBUSY", "mounted-elsewhere") and f.path]
    fact = mounts(view, pod) if pod else None
    paths += [e.mountpoint for e in fact.extra] if fact else []
    return list(dict.fromkeys(p for p in paths if is_at_or_below(p, "/") and len(p) > 1))[:20]
