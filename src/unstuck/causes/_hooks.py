"""The trace of a running lifecycle hook on the Node: a process that entered its container from outside."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.host import PodProcesses, Proc
from unstuck.facts.aspects.pod import Handler
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

_SHELLS = ("sh", "bash", "ash", "dash", "busybox")


def find_hook_process(
    pod: Ref, snap: Facts, hooks: Iterable[Handler | None], since: datetime | None
) -> Sign[Proc]:
    """Find a process of one of these hooks that began since then. Never a no: a hook between two looks, or
    one that is a request, has no process.
    """
    names = {h.what.rpartition("/")[2][:15] for h in hooks if h and h.how == "exec"}
    if since is None or not names:
        return Sign(None)
    found = some(snap, PodProcesses, pod, lambda f: _exec_processes(f.items, names, since))
    return found if found.value or not found.seen else Sign(None, seen=found.seen)


def _exec_processes(found: tuple[Proc, ...], names: set[str], since: datetime) -> list[Proc]:
    """Return the processes that entered from outside, without a container's first one."""
    inside, first = (
        {p.pid for p in found},
        {min(p.pid for p in found if p.container == q.container) for q in found},
    )
    new = (
        p
        for p in found
        if p.start is not None and p.start >= since and p.parent not in inside and p.pid not in first
    )
    return [p for p in new if p.state != "Z" and (p.comm in names or any(n in _SHELLS for n in names))]
