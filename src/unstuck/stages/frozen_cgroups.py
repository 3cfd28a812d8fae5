"""Tells whether a Pod's processes are frozen, so that signals do not end them and other causes do not
apply.
"""

from __future__ import annotations

from typing import Any

from unstuck.diagnosis.sign import Sign, some
from unstuck.facts.aspects.host import FrozenGroup, PodCgroup, PodProcesses
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.cgroups import find_frozen
from unstuck.facts.lookup import Facts


def is_held_frozen(pod: Ref, snap: Facts) -> Sign[FrozenGroup]:
    """Return yes if a frozen directory of cgroup version 1 holds processes of the Pod; no if none is frozen,
    or the Pod has no process.

    Unknown for a frozen directory without visible processes: they may be in another PID namespace.
    """
    held = some(snap, PodCgroup, pod, lambda f: [g for g in find_frozen(f) if g.pids])
    if held.value is not False:
        return held
    bare = some(snap, PodCgroup, pod, find_frozen)
    left: Sign[Any] = some(snap, PodProcesses, pod, lambda f: f.items)
    if not bare.value or left.value is False:
        return Sign(False, seen=(*held.seen, *(left.seen if bare.value else ())))
    return Sign(None, seen=bare.seen, wants=left.wants or (Want(PodCgroup, pod),))
