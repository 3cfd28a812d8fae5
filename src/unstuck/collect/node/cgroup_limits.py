"""Reads the limits of a Pod's cgroups for processes, processor time and memory, in either version of the
hierarchy.

Sources: kernel/cgroup/pids.c (`pids.*`), kernel/sched/core.c (`cpu.max`, `cpu.stat`, `cpu.cfs_*`),
mm/memcontrol.c (`memory.*`).
"""

from __future__ import annotations

from unstuck.collect.node.cgroup import TOP, parse_groups
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.cgroup_limits import CgroupLimit, CgroupLimits
from unstuck.facts.core import Ref, Source

_MANY = 200
_CAP = 4096
# Version 1 shows the largest number of pages for no limit (PAGE_COUNTER_MAX).
_NO_LIMIT = 1 << 62


def limits_of_pod(view: NodeView, pod: Ref) -> CgroupLimits | None:
    """Return the limits of the Pod's cgroups and of those above them; None if it has no cgroup."""
    groups = view.pod_groups(pod.uid or "")
    if not groups.paths:
        return None
    above = [p for path in groups.paths for p in _list_parents(path)]
    every = list(dict.fromkeys([*groups.paths, *groups.inside, *above]))
    items = tuple(one for path in every[:_MANY] if (one := _read_limit(view.root, path)))
    return CgroupLimits(
        about=pod,
        src=Source(f"{view.name} {groups.paths[0]}", _quote(items)),
        whole=groups.complete and len(every) <= _MANY,
        items=items,
    )


def _list_parents(path: str) -> list[str]:
    """Return the directories above a cgroup, without the top of the hierarchy, which has no limits."""
    out = []
    while (path := path.rpartition("/")[0]) and len(path) > len(TOP):
        out.append(path)
    return out


def _read_limit(root: Root, path: str) -> CgroupLimit | None:
    """Return a directory's limits; None if it has none of the controllers."""
    pids = _number(root, f"{path}/pids.current")
    quota, period = _read_quota(root, path)
    stat = _pairs(root, f"{path}/cpu.stat")
    memory, memory_max = _read_memory(root, path)
    if pids is None and quota is None and memory is None and "nr_periods" not in stat:
        return None
    named = parse_groups(f"0::{path[len(TOP) :]}")
    return CgroupLimit(
        path=path,
        pod=named.pod,
        container=named.container,
        pids=pids,
        pids_max=_number(root, f"{path}/pids.max"),
        pids_peak=_number(root, f"{path}/pids.peak"),
        pids_refused=_pairs(root, f"{path}/pids.events").get("max"),
        quota=quota,
        period=period,
        periods=stat.get("nr_periods"),
        throttled=stat.get("nr_throttled"),
        memory=memory,
        memory_max=memory_max,
    )


def _read_memory(root: Root, path: str) -> tuple[int | None, int | None]:
    """Return the bytes in use, and the limit."""
    now = _number(root, f"{path}/memory.current")
    if now is not None:
        return now, _number(root, f"{path}/memory.max")
    limit = _number(root, f"{path}/memory.limit_in_bytes")
    limit = None if limit is None or limit >= _NO_LIMIT else limit
    return _number(root, f"{path}/memory.usage_in_bytes"), limit


def _read_quota(root: Root, path: str) -> tuple[int | None, int | None]:
    """Return the processor time in each period, of `cpu.max` (`20000 100000`, `max 100000`) or version 1's
    two files (`-1`: no limit).
    """
    words = (root.text(f"{path}/cpu.max", _CAP) or "").split()
    if len(words) == 2:
        return _parse_decimal(words[0]), _parse_decimal(words[1])
    return _number(root, f"{path}/cpu.cfs_quota_us"), _number(root, f"{path}/cpu.cfs_period_us")


def _number(root: Root, path: str) -> int | None:
    """Return the number in a file; None for `max`, `-1`, and an unreadable one."""
    return _parse_decimal((root.text(path, _CAP) or "").strip())


def _parse_decimal(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 20 else None


def _pairs(root: Root, path: str) -> dict[str, int]:
    """Return a file of `name number` lines."""
    rows = (line.split() for line in (root.text(path, _CAP) or "").splitlines())
    return {row[0]: n for row in rows if len(row) == 2 and (n := _parse_decimal(row[1])) is not None}


def _quote(items: tuple[CgroupLimit, ...]) -> str:
    """Return the values nearest to their limit: processes, and the share of time spent waiting."""
    bounded = [(i.pids, i.pids_max) for i in items if i.pids is not None and i.pids_max]
    throttled = [(i.throttled, i.periods) for i in items if i.throttled and i.periods]
    near = max(bounded, key=lambda b: b[0] / b[1], default=None)
    slow = max(throttled, key=lambda t: t[0] / t[1], default=None)
    words = [f"pids {near[0]} of {near[1]}"] if near else ["no limit of processes"]
    words += [f"throttled in {slow[0]} of {slow[1]} periods"] if slow else []
    return ", ".join(words)
