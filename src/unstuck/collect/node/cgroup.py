"""Cgroups: the Pod, container and systemd unit of a process, and the cgroup directories of a Pod.

Sources: cgroups(7); pkg/kubelet/cm/cgroup_manager_linux.go for the names under both drivers
(`kubepods/burstable/pod<uid>/<id>`, `kubepods-burstable-pod<uid with _>.slice/cri-containerd-<id>.scope`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from unstuck.collect.node.root import Root
from unstuck.facts.aspects.host import FrozenGroup
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

TOP = "/sys/fs/cgroup"
_UID = r"[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32}"
_POD = regex(rf"(?<![0-9a-zA-Z])pod({_UID})(?![0-9a-f])")
_CONTAINER = regex(r"(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])")
_PLAIN_UID = regex(rf"^(?:{_UID})$")
_MAX_DIRS = 50_000
_MAX_DEPTH = 12
_MAX_PIDS = 50


@record()
class Groups(Record):
    """A process' cgroups. paths: (controllers, path) of each hierarchy; `""` for the unified one."""

    paths: tuple[tuple[str, str], ...] = ()
    pod: str | None = None
    container: str | None = None
    unit: str | None = None


@record()
class PodGroups(Record):
    """A Pod's cgroup directories on disk. paths: its own, one for each hierarchy. inside: these and all
    below.

    occupied: the directories of `inside` that hold processes themselves. procs: 0 means a process that is not
    visible from this PID namespace. frozen: the directories of `inside`, or parents, that were frozen
    themselves; stopped: the same with their state. complete: every hierarchy was walked to its end.
    """

    paths: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    procs: tuple[int, ...] = ()
    occupied_paths: tuple[str, ...] = ()
    frozen_groups: tuple[FrozenGroup, ...] = ()
    complete: bool = True

    @property
    def frozen_paths(self) -> tuple[str, ...]:
        """The paths of frozen directories."""
        return tuple(g.path for g in self.frozen_groups)


def normalize_uid(text: str) -> str | None:
    """Return a Pod's uid as the API writes it, from either driver's form; None for anything else."""
    text = text.strip().lower()
    return text.replace("_", "-") if _PLAIN_UID.match(text) else None


@lru_cache(4096)
def parse_groups(text: str) -> Groups:
    """Return `/proc/PID/cgroup` of v1, v2 or both."""
    paths: list[tuple[str, str]] = []
    for line in text.split("\n"):
        parts = line.split(":", 2)
        if len(parts) == 3 and parts[0].isdigit():
            paths.append((parts[1], parts[2]))
    pod = container = unit = None
    for controllers, path in paths:
        found = _POD.search(path)
        if found and pod is None:
            pod = normalize_uid(found.group(1))
        if (
            container is None
            and (inner := _CONTAINER.search(path, found.end() if found else 0))
            and "conmon" not in path
        ):
            container = inner.group(1)
        if controllers in ("", "name=systemd") and unit is None:
            unit = next((p for p in reversed(path.split("/")) if p.endswith((".service", ".scope"))), None)
    return Groups(tuple(paths), pod, container, None if pod else unit)


def pod_groups(root: Root, uid: str, members: Mapping[int, Groups] | None = None) -> PodGroups:
    """Return every cgroup directory of the Pod, for any driver, hierarchy or cgroupRoot of the kubelet.

    members: processes by their own `/proc/PID/cgroup`. A reader in another PID namespace does not see them in
    `cgroup.procs`.
    """
    hierarchies, complete = _hierarchies(root)
    own: list[str] = []
    for top in hierarchies:
        found, all_seen = _find_pod_directories(root, top, uid)
        own += found
        complete = complete and all_seen
    inside = [d for path in own for d in _list_descendants(root, path)]
    held = {d: pids for d in inside if (pids := _list_procs(root, d))}
    for d, pid in _find_members(own, set(inside), members or {}):
        held[d] = sorted({*held.get(d, ()), pid} - {0})
    held.update({d: [0] for d in _find_hidden(root, inside, held)})
    procs = {pid for pids in held.values() for pid in pids}
    around = dict.fromkeys([*(p for path in own for p in _list_parents(path, hierarchies)), *inside])
    stopped = [group for d in around if (group := _read_freezer(root, d, held))]
    return PodGroups(tuple(own), tuple(inside), tuple(sorted(procs)), tuple(held), tuple(stopped), complete)


def _hierarchies(root: Root) -> tuple[list[str], bool]:
    """Return the top directory of each mounted hierarchy, from the entries of /sys/fs/cgroup. Links (`cpu` →
    `cpu,cpuacct`) are left out.
    """
    names = root.names(TOP)
    if names is None:
        return [], False
    if "cgroup.controllers" in names:
        return [TOP], True
    tops = [f"{TOP}/{n}" for n in names if root.link(f"{TOP}/{n}")[1]]
    found = [
        t for t in tops if (inner := root.names(t)) is not None and {"cgroup.procs", "tasks"} & set(inner)
    ]
    return found, bool(found)


def _find_pod_directories(root: Root, top: str, uid: str) -> tuple[list[str], bool]:
    """Return directories of this Pod below `top`. Other Pods' and containers' directories are not entered."""
    found: list[str] = []
    todo = [(top, 0)]
    seen = 0
    while todo:
        path, depth = todo.pop()
        for name in _list_directories(root, path):
            seen += 1
            match = _POD.search(name)
            if match and normalize_uid(match.group(1)) == uid:
                found.append(f"{path}/{name}")
            elif not match and not _CONTAINER.search(name) and depth < _MAX_DEPTH:
                todo.append((f"{path}/{name}", depth + 1))
        if seen > _MAX_DIRS:
            return found, False
    return sorted(found), True


def _list_descendants(root: Root, path: str) -> list[str]:
    """Return a directory and all below it."""
    out = [path]
    for d in out:
        if len(out) > _MAX_DIRS:
            break
        out += [f"{d}/{n}" for n in _list_directories(root, d)]
    return out


_FILE = regex(
    r"^(?:cgroup|memory|cpu|cpuset|cpuacct|io|blkio|pids|hugetlb|devices|freezer|net_cls|net_prio|perf_event"
    r"|rdma|misc|dmem|irq)\.[A-Za-z0-9_.]+$"
)
# Names of version 1 hierarchies; every other directory is below the unified one.
_CONTROLLERS = frozenset(
    ("memory", "cpu", "cpuset", "cpuacct", "cpu,cpuacct", "blkio", "pids", "hugetlb", "devices", "freezer")
) | frozenset(("net_cls", "net_prio", "net_cls,net_prio", "perf_event", "rdma", "misc", "systemd"))
_PLAIN_FILES = {"tasks", "notify_on_release", "release_agent"}


def _list_directories(root: Root, path: str) -> list[str]:
    """Return child cgroups by their names alone: the kernel's own files are `controller.something`."""
    names = root.names(path) or ()
    return [n for n in names if n not in _PLAIN_FILES and not _FILE.match(n)]


def _list_procs(root: Root, path: str) -> list[int]:
    return [int(w) for w in (root.text(f"{path}/cgroup.procs") or "").split() if w.isdigit()]


def _find_members(
    own: list[str], inside: set[str], members: Mapping[int, Groups]
) -> Iterator[tuple[str, int]]:
    """Yield (directory, pid) by each process' own /proc/PID/cgroup: `freezer:/kubepods/podUID/left` is
    below the Pod's directory.
    """
    for pid, groups in members.items():
        for controllers, path in groups.paths:
            for top in own:
                hierarchy, name = top[len(TOP) :].split("/")[1], top.rpartition("/")[2]
                _, found, after = path.partition(f"/{name}")
                at = f"{top}{after}"
                if found and _is_same_hierarchy(hierarchy, controllers) and at in inside:
                    yield at, pid


def _is_same_hierarchy(directory: str, controllers: str) -> bool:
    """Tell whether a directory of /sys/fs/cgroup (`freezer`, `cpu,cpuacct`, `unified`) is the hierarchy of
    a line of /proc/PID/cgroup.
    """
    if controllers.startswith("name="):
        return directory == controllers[5:]
    told = set(filter(None, controllers.split(",")))
    return bool(told & set(directory.split(","))) if told else directory not in _CONTROLLERS


def _find_hidden(root: Root, inside: list[str], held: Mapping[str, list[int]]) -> list[str]:
    """Return directories with processes of another PID namespace, which version 1 leaves out of cgroup.procs.

    `pids.current` and `cgroup.events` show them, but count subdirectories as well: hence the deepest
    directories.
    """
    out: list[str] = []
    for path in sorted(inside, key=len, reverse=True):
        if not any(is_at_or_below(d, path) for d in (*held, *out)) and _is_populated(root, path):
            out.append(path)
    return out


def _is_populated(root: Root, path: str) -> bool:
    count = (root.text(f"{path}/pids.current") or "").strip()
    return (count.isdecimal() and int(count[:9]) > 0) or "populated 1" in (
        root.text(f"{path}/cgroup.events") or ""
    ).splitlines()


def _list_parents(path: str, tops: list[str]) -> list[str]:
    out = []
    while path not in tops and len(path) > len(TOP):
        path = path.rpartition("/")[0]
        out.append(path)
    return out


def _read_freezer(root: Root, path: str, held: Mapping[str, list[int]]) -> FrozenGroup | None:
    """Return it if it is frozen itself, not by a parent (v1: freezer.self_freezing, v2: cgroup.freeze).
    held: processes by directory.
    """
    pids = tuple(sorted({pid for d, found in held.items() if is_at_or_below(d, path) for pid in found}))[
        :_MAX_PIDS
    ]
    own = root.text(f"{path}/freezer.self_freezing")
    state = (root.text(f"{path}/freezer.state") or "").strip()
    if own is not None or state:
        frozen = own.strip() == "1" if own is not None else state in ("FROZEN", "FREEZING")
        return FrozenGroup(path, 1, state or "FREEZING", pids) if frozen else None
    if (root.text(f"{path}/cgroup.freeze") or "").strip() != "1":
        return None
    reached = "frozen 1" in (root.text(f"{path}/cgroup.events") or "").splitlines()
    return FrozenGroup(path, 2, "FROZEN" if reached else "FREEZING", pids)
