"""Conclusions from a Pod's cgroups, for every cause that reads them."""

from __future__ import annotations

from unstuck.facts.aspects.host import FrozenGroup, PodCgroup


def find_frozen(fact: PodCgroup) -> tuple[FrozenGroup, ...]:
    """Return the frozen directories whose processes cannot be killed: directories of version 1.

    In version 2 a frozen process still acts on SIGKILL. If a fact has only paths, the name of the hierarchy
    gives the version.
    """
    groups = fact.stopped or tuple(
        FrozenGroup(p, 1 if "freezer" in p else 2, pids=fact.procs) for p in fact.frozen
    )
    return tuple(g for g in groups if g.version == 1)
