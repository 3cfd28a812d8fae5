"""The file systems of the kubelet, the runtime and the logs, as far as a pasted list of mount points shows
them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.facts.paths import find_deepest

_PLACES = (
    ("/", "root"),
    ("/var/lib/kubelet", "kubelet"),
    ("/var/lib/containerd", "runtime"),
    ("/var/lib/docker", "runtime"),
    ("/var/lib/containers", "runtime"),
    # The state directories of containerd, CRI-O and k3s: with a full /run no shim starts.
    ("/run", "runtime"),
    ("/var/log", "logs"),
)


def find_roles(point: str, points: Collection[str], named: Collection[str] | None) -> tuple[str, ...]:
    """Return the roles of this mount point's file system, of `kubelet`, `runtime`, `logs`, `root`; those of
    some directories are unknown.

    points: the mount points shown. named: directories whose file system is certainly among them; None if all
    file systems are shown.
    """
    on = {
        role
        for place, role in _PLACES
        if (find_deepest(place, points) if named is None or place in named else place) == point
    }
    return tuple(sorted(on))


def find_named_directories(program: str, command: TypedCommand | None, rows: int) -> frozenset[str]:
    """Return the directories given to a program, as in `df /a /b` or `for d in /a /b; do df $d; done`.

    For several calls, the directories common to all; nothing if rows may be missing: each directory needs a
    row.
    """
    if command is None or command.is_filtered:
        return frozenset()
    calls, looped = list[frozenset[str]](), frozenset[str]()
    for part in re.split(r";|&&", command.text):
        words = part.split()
        directories = frozenset(w for w in words if w.startswith("/"))
        if words[:1] in (["for"], ["done"]):
            looped = directories
        elif program in words:
            calls.append(directories | looped)
    named = frozenset.intersection(*calls) if calls else frozenset()
    return named if rows > 1 or len(named) == 1 else frozenset()
